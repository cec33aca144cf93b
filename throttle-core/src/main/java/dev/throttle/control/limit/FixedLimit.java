package dev.throttle.control.limit;

import dev.throttle.control.RateController;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;

/**
 * A limit that learns nothing. It hears of every admission, and takes permits back that the server never counted.
 *
 * <p>What it is told of a permit that comes back must leave it as if the request had never been, or stricter: a limit
 * never promises less because of it.
 */
abstract class FixedLimit implements RateController {

    private final double perSecond;

    FixedLimit(double perSecond) {
        this.perSecond = perSecond;
    }

    /** Takes permits back. */
    abstract void release(int permits, long admittedAtNanos, long nowNanos);

    @Override
    public final boolean isIdle() {
        return false;
    }

    @Override
    public final boolean isAdaptive() {
        return false;
    }

    @Override
    public final void onSignal(Signal signal, Load load, long nowNanos) {
        if (signal.outcome() == Outcome.IGNORED) {
            release(load.permits(), load.admittedAtNanos(), nowNanos);
        }
    }

    @Override
    public final double limitPerSecond() {
        return perSecond;
    }
}
