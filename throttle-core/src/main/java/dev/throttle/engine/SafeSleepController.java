package dev.throttle.engine;

import dev.throttle.control.SleepController;
import dev.throttle.signal.Signal;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A sleep controller that may be the user's own: whatever it throws or answers, requests go on. */
final class SafeSleepController implements SleepController {

    private final SleepController controller;
    private final SafeCalls safe;
    private final boolean adaptive;

    /**
     * Makes a controller safe.
     *
     * @param later takes what is to be said when the engine's lock is free: a log may take its time
     */
    SafeSleepController(SleepController controller, String name, Consumer<Runnable> later) {
        this.controller = controller;
        this.safe = new SafeCalls("the sleep controller of " + name, later);
        this.adaptive = safe.get(true, controller::isAdaptive);
    }

    @Override
    public boolean isAdaptive() {
        return adaptive;
    }

    /** A controller that fails is not at rest, so that it is asked again. */
    @Override
    public boolean isIdle() {
        return safe.get(false, controller::isIdle);
    }

    @Override
    public double sleepSeconds() {
        return positive(safe.get(0.0, controller::sleepSeconds));
    }

    @Override
    public double firstSleepSeconds() {
        return positive(safe.get(0.0, controller::firstSleepSeconds));
    }

    @Override
    public double jitter() {
        return Math.min(1, positive(safe.get(0.0, controller::jitter)));
    }

    @Override
    public void takeOver(@Nullable SleepController before, long nowNanos) {
        SleepController own = before instanceof SafeSleepController other ? other.controller : before;
        safe.run(() -> controller.takeOver(own, nowNanos));
    }

    @Override
    public double onSignal(Signal signal, int refusals, long nowNanos) {
        return positive(safe.get(0.0, () -> controller.onSignal(signal, refusals, nowNanos)));
    }

    @Override
    public double retrySleepSeconds(double decidedSeconds) {
        return positive(safe.get(decidedSeconds, () -> controller.retrySleepSeconds(decidedSeconds)));
    }

    private static double positive(double seconds) {
        return seconds > 0 ? seconds : 0; // NaN is none
    }
}
