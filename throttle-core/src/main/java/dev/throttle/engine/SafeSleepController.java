package dev.throttle.engine;

import dev.throttle.control.SleepController;
import dev.throttle.internal.Faults;
import dev.throttle.signal.Signal;

/** A sleep controller that may be the user's own: whatever it throws or answers, requests go on. */
final class SafeSleepController implements SleepController {

    private final SleepController controller;
    private final Faults faults;
    private final boolean adaptive;

    SafeSleepController(SleepController controller, String name) {
        this.controller = controller;
        this.faults = new Faults("the sleep controller of " + name);
        boolean learns = true;
        try {
            learns = controller.isAdaptive();
        } catch (Throwable e) {
            faults.report(e);
        }
        this.adaptive = learns;
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
            faults.report(e);
            return false; // keep asking it
        }
    }

    @Override
    public double sleepSeconds() {
        try {
            return positive(controller.sleepSeconds());
        } catch (Throwable e) {
            faults.report(e);
            return 0;
        }
    }

    @Override
    public double firstSleepSeconds() {
        try {
            return positive(controller.firstSleepSeconds());
        } catch (Throwable e) {
            faults.report(e);
            return 0;
        }
    }

    @Override
    public double jitter() {
        try {
            double jitter = controller.jitter();
            return jitter > 0 ? Math.min(1, jitter) : 0; // NaN is none
        } catch (Throwable e) {
            faults.report(e);
            return 0;
        }
    }

    @Override
    public double onSignal(Signal signal, int refusals, long nowNanos) {
        try {
            return positive(controller.onSignal(signal, refusals, nowNanos));
        } catch (Throwable e) {
            faults.report(e);
            return 0;
        }
    }

    @Override
    public double retrySleepSeconds(double decidedSeconds) {
        try {
            return positive(controller.retrySleepSeconds(decidedSeconds));
        } catch (Throwable e) {
            faults.report(e);
            return decidedSeconds;
        }
    }

    private static double positive(double seconds) {
        return seconds > 0 ? seconds : 0; // NaN is none
    }
}
