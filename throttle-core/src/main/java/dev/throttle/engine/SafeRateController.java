package dev.throttle.engine;

import dev.throttle.control.RateController;
import dev.throttle.internal.Faults;
import dev.throttle.signal.Signal;

/** A rate controller that may be the user's own: whatever it throws or answers, requests go on. */
final class SafeRateController implements RateController {

    private final RateController controller;
    private final Faults faults;
    private final boolean adaptive;
    private final int maxPermits;
    private final long maxWaitNanos;

    SafeRateController(RateController controller, String name) {
        this.controller = controller;
        this.faults = new Faults("the rate controller of " + name);
        boolean learns = true;
        int permits = Integer.MAX_VALUE;
        long wait = Long.MAX_VALUE;
        try {
            learns = controller.isAdaptive();
            permits = Math.max(1, controller.maxPermits());
            wait = Math.max(0, controller.maxWaitNanos());
        } catch (Throwable e) {
            faults.report(e);
        }
        this.adaptive = learns;
        this.maxPermits = permits;
        this.maxWaitNanos = wait;
    }

    @Override
    public boolean isAdaptive() {
        return adaptive;
    }

    @Override
    public int maxPermits() {
        return maxPermits;
    }

    @Override
    public long maxWaitNanos() {
        return maxWaitNanos;
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
    public boolean plansResets() {
        try {
            return controller.plansResets();
        } catch (Throwable e) {
            faults.report(e);
            return false;
        }
    }

    @Override
    public long dueNanos(long permitsAhead, int permits, long nowNanos) {
        try {
            return controller.dueNanos(permitsAhead, permits, nowNanos);
        } catch (Throwable e) {
            faults.report(e);
            return nowNanos;
        }
    }

    @Override
    public void onAdmitted(int permits, long nowNanos) {
        try {
            controller.onAdmitted(permits, nowNanos);
        } catch (Throwable e) {
            faults.report(e);
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        try {
            controller.onSignal(signal, load, nowNanos);
        } catch (Throwable e) {
            faults.report(e);
        }
    }

    @Override
    public double limitPerSecond() {
        try {
            double limit = controller.limitPerSecond();
            return limit >= 0 ? limit : Double.POSITIVE_INFINITY; // NaN is no limit either
        } catch (Throwable e) {
            faults.report(e);
            return Double.POSITIVE_INFINITY;
        }
    }
}
