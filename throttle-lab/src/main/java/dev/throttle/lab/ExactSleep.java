package dev.throttle.lab;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The sleeps of one sequential caller as the strategy itself reckons them, in seconds: a clock rounds them to
 * nanoseconds, and cannot hold all that a multiplication without bound leads to.
 */
final class ExactSleep {

    /** What a clock in nanoseconds cannot tell. */
    private static final double ROUNDING = 2e-9;
    /** The longest sleep that is waited for on the clock: some fifty years. */
    private static final double LONGEST = 1.5e9;

    private final SleepController controller;
    private int refusals;
    private double next;
    private double total;

    private ExactSleep(SleepController controller) {
        this.controller = controller;
        this.next = controller.firstSleepSeconds();
    }

    /** {@return the sleeps of a strategy; null if it does not sleep but sets a pace} */
    static @Nullable ExactSleep of(Strategy strategy, long seed) {
        Controller controller = strategy.newController(ControllerHost.detached(new SplittableRandom(seed)));
        return controller instanceof SleepController sleep ? new ExactSleep(sleep) : null;
    }

    /** {@return the sleep before the next request} */
    double next() {
        return next;
    }

    /** {@return the strategy's sleep, as gauges show it} */
    double shown() {
        return controller.sleepSeconds();
    }

    /** {@return whether the clock cannot go on to the next request} */
    boolean isBeyondTheClock() {
        return total + next > LONGEST;
    }

    /** Learns how the next request ended. */
    void onEnd(Signal signal, long nowNanos) {
        total += next;
        boolean refused = signal.outcome().isRefusal();
        refusals = refused ? refusals + 1 : 0;
        double decided = 0;
        if (signal.outcome() != Outcome.IGNORED && signal.outcome() != Outcome.CANCELLED) {
            decided = controller.onSignal(signal, refusals, nowNanos);
        }
        next = refused ? controller.retrySleepSeconds(decided) : controller.firstSleepSeconds();
    }

    /** {@return the exact value of a measured time, where that is only this one rounded} */
    static double sharpen(double seconds, double exact) {
        return Math.abs(seconds - exact) <= ROUNDING ? exact : seconds;
    }
}
