package dev.throttle.engine;

import dev.throttle.control.SleepController;
import dev.throttle.internal.Faults;
import dev.throttle.signal.Signal;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A sleep controller that may be the user's own: whatever it throws or answers, requests go on. */
final class SafeSleepController implements SleepController {

    private final SleepController controller;
    private final Faults faults;
    private final Consumer<Runnable> later;
    private final boolean adaptive;

    /**
     * Makes a controller safe.
     *
     * @param later takes what is to be said when the engine's lock is free: a log may take its time
     */
    SafeSleepController(SleepController controller, String name, Consumer<Runnable> later) {
        this.controller = controller;
        this.later = later;
        this.faults = new Faults("the sleep controller of " + name);
        boolean learns = true;
        try {
            learns = controller.isAdaptive();
        } catch (Throwable e) {
            report(e);
        }
        this.adaptive = learns;
    }

    private void report(Throwable failure) {
        later.accept(() -> faults.report(failure));
    }

    @Override
    public boolean isAdaptive() {
        return adaptive;
    }

    @Override
    public boolean isIdle() {
        try {
            return controller.isIdle();
        } catch (Throwable e) {
            report(e);
            return false; // keep asking it
        }
    }

    @Override
    public double sleepSeconds() {
        try {
            return positive(controller.sleepSeconds());
        } catch (Throwable e) {
            report(e);
            return 0;
        }
    }

    @Override
    public double firstSleepSeconds() {
        try {
            return positive(controller.firstSleepSeconds());
        } catch (Throwable e) {
            report(e);
            return 0;
        }
    }

    @Override
    public double jitter() {
        try {
            double jitter = controller.jitter();
            return jitter > 0 ? Math.min(1, jitter) : 0; // NaN is none
        } catch (Throwable e) {
            report(e);
            return 0;
        }
    }

    @Override
    public void takeOver(@Nullable SleepController before, long nowNanos) {
        try {
            controller.takeOver(before instanceof SafeSleepController safe ? safe.controller : before, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public double onSignal(Signal signal, int refusals, long nowNanos) {
        try {
            return positive(controller.onSignal(signal, refusals, nowNanos));
        } catch (Throwable e) {
            report(e);
            return 0;
        }
    }

    @Override
    public double retrySleepSeconds(double decidedSeconds) {
        try {
            return positive(controller.retrySleepSeconds(decidedSeconds));
        } catch (Throwable e) {
            report(e);
            return decidedSeconds;
        }
    }

    private static double positive(double seconds) {
        return seconds > 0 ? seconds : 0; // NaN is none
    }
}
