package dev.throttle.engine;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the engine uses it. It may be the user's own: whatever it throws or answers, requests go on. A limit that
 * does not learn is told only of requests that the server did not count.
 */
final class SafeRateController implements RateController {

    private final RateLimit limit;
    private final @Nullable RateController learner;
    private final SafeCalls safe;
    private final boolean adaptive;
    private final String unit;
    private final long maxUnits;
    private final long maxWaitNanos;

    /**
     * Makes a limit safe.
     *
     * @param later takes what is to be said when the engine's lock is free: a log may take its time
     */
    SafeRateController(RateLimit limit, String name, Consumer<Runnable> later) {
        this.limit = limit;
        this.learner = limit instanceof RateController learns ? learns : null;
        this.safe = new SafeCalls("the rate controller of " + name, later);
        this.adaptive = learner != null && safe.get(true, learner::isAdaptive);
        this.unit = safe.get(Quota.REQUESTS, () -> checked(limit.unit()));
        this.maxUnits = Math.max(1, safe.get(Long.MAX_VALUE, limit::maxUnits));
        this.maxWaitNanos = Math.max(0, safe.get(Long.MAX_VALUE, limit::maxWaitNanos));
    }

    private static String checked(String unit) {
        Preconditions.required("unit", unit);
        Cost.of(unit, 0); // checks the name
        return unit;
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

    /** A controller that fails is not at rest, so that it is asked again. */
    @Override
    public boolean isIdle() {
        return safe.get(false, limit::isIdle);
    }

    @Override
    public boolean plansResets() {
        return learner != null && safe.get(false, learner::plansResets);
    }

    @Override
    public boolean isForgettable(long nowNanos) {
        return safe.get(true, () -> limit.isForgettable(nowNanos));
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return safe.nanos(nowNanos, () -> limit.dueNanos(ahead, cost, nowNanos));
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        return reserve <= 0
                ? dueNanos(ahead, cost, nowNanos)
                : safe.nanos(nowNanos, () -> limit.dueNanos(ahead, cost, reserve, nowNanos));
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, Scope scope, long nowNanos) {
        return learner == null
                ? dueNanos(ahead, cost, reserve, nowNanos)
                : safe.nanos(nowNanos, () -> learner.dueNanos(ahead, cost, reserve, scope, nowNanos));
    }

    @Override
    public @Nullable String heldBy(Cost ahead, Cost cost, Scope scope, long nowNanos) {
        return learner == null
                ? null
                : safe.<Optional<String>>get(
                                Optional.empty(),
                                () -> Optional.ofNullable(learner.heldBy(ahead, cost, scope, nowNanos)))
                        .orElse(null);
    }

    @Override
    public List<String> explain(long nowNanos) {
        return learner == null ? List.of() : safe.get(List.of(), () -> learner.explain(nowNanos));
    }

    @Override
    public void prefetch(Cost ahead, Cost cost, long nowNanos) {
        safe.run(() -> limit.prefetch(ahead, cost, nowNanos));
    }

    /** Limits of the user's know each other by what they are. */
    @Override
    public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        RateLimit own = before instanceof SafeRateController other ? other.limit : before;
        safe.run(() -> limit.takeOver(own, load, nowNanos));
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        safe.run(() -> limit.onAdmitted(cost, permitId, nowNanos));
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, Scope scope, long nowNanos) {
        if (learner == null) {
            onAdmitted(cost, permitId, nowNanos);
        } else {
            safe.run(() -> learner.onAdmitted(cost, permitId, scope, nowNanos));
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        if (learner != null) {
            safe.run(() -> learner.onSignal(signal, load, nowNanos));
        } else if (signal.outcome() == Outcome.IGNORED) {
            safe.run(() -> limit.onReleased(load.cost(), load.admittedAtNanos(), nowNanos));
        }
    }

    @Override
    public Cost costAfterRefusal(Cost cost) {
        return learner == null
                ? cost
                : safe.get(cost, () -> Preconditions.required("cost after a refusal", learner.costAfterRefusal(cost)));
    }

    @Override
    public long standAsideNanos(int refusals) {
        return learner == null
                ? 0
                : Math.max(0, Math.min(Nanos.MAX, safe.nanos(0, () -> learner.standAsideNanos(refusals))));
    }

    @Override
    public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {
        safe.run(() -> limit.onSettled(admitted, actual, permitId, admittedAtNanos, nowNanos));
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        if (learner != null) {
            safe.run(() -> learner.onHeard(signal, load, nowNanos));
        }
    }

    @Override
    public void onShared(int processes, double perSecond, long nowNanos) {
        if (learner != null) {
            safe.run(() -> learner.onShared(processes, perSecond, nowNanos));
        }
    }

    @Override
    public double limitPerSecond() {
        return checked(safe.get(Double.POSITIVE_INFINITY, limit::limitPerSecond));
    }

    @Override
    public double limitPerSecond(long nowNanos) {
        return checked(safe.get(Double.POSITIVE_INFINITY, () -> limit.limitPerSecond(nowNanos)));
    }

    private static double checked(double perSecond) {
        return perSecond >= 0 ? perSecond : Double.POSITIVE_INFINITY; // NaN is no limit either
    }

    @Override
    public int limitInFlight() {
        return Math.max(0, safe.get(Integer.MAX_VALUE, limit::limitInFlight));
    }
}
