package dev.throttle.engine;

import dev.throttle.control.RateController;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A rate controller that may be the user's own: whatever it throws or answers, requests go on. */
final class SafeRateController implements RateController {

    private final RateController controller;
    private final Faults faults;
    private final Consumer<Runnable> later;
    private final boolean adaptive;
    private final String unit;
    private final long maxUnits;
    private final long maxWaitNanos;

    /**
     * Makes a controller safe.
     *
     * @param later takes what is to be said when the engine's lock is free: a log may take its time
     */
    SafeRateController(RateController controller, String name, Consumer<Runnable> later) {
        this.controller = controller;
        this.later = later;
        this.faults = new Faults("the rate controller of " + name);
        boolean learns = true;
        String counted = Quota.REQUESTS;
        long most = Long.MAX_VALUE;
        long wait = Long.MAX_VALUE;
        try {
            learns = controller.isAdaptive();
            String named = Preconditions.required("unit", controller.unit());
            Cost.of(named, 0); // checks the name
            counted = named;
            most = Math.max(1, controller.maxUnits());
            wait = Math.max(0, controller.maxWaitNanos());
        } catch (Throwable e) {
            report(e);
        }
        this.adaptive = learns;
        this.unit = counted;
        this.maxUnits = most;
        this.maxWaitNanos = wait;
    }

    private void report(Throwable failure) {
        later.accept(() -> faults.report(failure));
    }

    @Override
    public boolean isAdaptive() {
        return adaptive;
    }

    @Override
    public String unit() {
        return unit;
    }

    @Override
    public long maxUnits() {
        return maxUnits;
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
            report(e);
            return false; // keep asking it
        }
    }

    @Override
    public boolean plansResets() {
        try {
            return controller.plansResets();
        } catch (Throwable e) {
            report(e);
            return false;
        }
    }

    @Override
    public boolean isForgettable(long nowNanos) {
        try {
            return controller.isForgettable(nowNanos);
        } catch (Throwable e) {
            report(e);
            return true;
        }
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        try {
            return controller.dueNanos(ahead, cost, nowNanos);
        } catch (Throwable e) {
            report(e);
            return nowNanos;
        }
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        if (reserve <= 0) {
            return dueNanos(ahead, cost, nowNanos);
        }
        try {
            return controller.dueNanos(ahead, cost, reserve, nowNanos);
        } catch (Throwable e) {
            report(e);
            return nowNanos;
        }
    }

    /** Controllers of the user's know each other by what they are. */
    @Override
    public void takeOver(@Nullable RateController before, Load load, long nowNanos) {
        try {
            controller.takeOver(before instanceof SafeRateController safe ? safe.controller : before, load, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public void onAdmitted(Cost cost, long nowNanos) {
        try {
            controller.onAdmitted(cost, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        try {
            controller.onSignal(signal, load, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public Cost costAfterRefusal(Cost cost) {
        try {
            return Preconditions.required("cost after a refusal", controller.costAfterRefusal(cost));
        } catch (Throwable e) {
            report(e);
            return cost;
        }
    }

    @Override
    public long standAsideNanos(int refusals) {
        try {
            return Math.max(0, Math.min(Nanos.MAX, controller.standAsideNanos(refusals)));
        } catch (Throwable e) {
            report(e);
            return 0;
        }
    }

    @Override
    public void onSettled(Cost admitted, Cost actual, long admittedAtNanos, long nowNanos) {
        try {
            controller.onSettled(admitted, actual, admittedAtNanos, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        try {
            controller.onHeard(signal, load, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public void onShared(int processes, double perSecond, long nowNanos) {
        try {
            controller.onShared(processes, perSecond, nowNanos);
        } catch (Throwable e) {
            report(e);
        }
    }

    @Override
    public double limitPerSecond() {
        try {
            double limit = controller.limitPerSecond();
            return limit >= 0 ? limit : Double.POSITIVE_INFINITY; // NaN is no limit either
        } catch (Throwable e) {
            report(e);
            return Double.POSITIVE_INFINITY;
        }
    }

    @Override
    public int limitInFlight() {
        try {
            return Math.max(0, controller.limitInFlight());
        } catch (Throwable e) {
            report(e);
            return Integer.MAX_VALUE;
        }
    }
}
