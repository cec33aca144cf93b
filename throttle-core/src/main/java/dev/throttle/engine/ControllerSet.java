package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Scope;
import dev.throttle.engine.SharedPool.Share;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of one throttle as one: the longest wait wins, and none of them can break a request. Guarded by the
 * engine's lock.
 */
final class ControllerSet {

    /** A limit with the reason of waits for it. */
    private record Limit(String name, RateController rate, Outage outage) {

        Wait waitOf(Cost ahead, Cost cost, double reserve, Scope scope, long now) {
            Wait wait = Wait.until(rate.dueNanos(ahead, cost, reserve, scope, now), name, now);
            return rate.isAdaptive() ? outage.bound(wait, now) : wait;
        }
    }

    private final Outage outage;
    private ControllerParts parts;
    /** Whether limits that do not learn are left out, which would only add up what they cannot hold back. */
    private boolean learnsOnly;

    private @Nullable SafeSleepController sleep;
    /** The limits of this throttle alone. */
    private Limit[] own = {};
    /** The same, and then those that it shares with others. */
    private Limit[] all = {};

    private final Shares shares;
    private final ConcurrencyQuota concurrencyQuota = new ConcurrencyQuota();
    private @Nullable QuotaReserve reserve;
    /** How many processes share the key, and how fast they go together; negative if that is not known. */
    private int sharers = -1;

    private double together = Double.NaN;
    /** When a request was last let go, or a signal came. */
    private long lastUsedAt;

    private boolean used;

    ControllerSet(ControllerParts parts, PriorityPolicy priorities, boolean learnsOnly, Outage outage) {
        this.outage = outage;
        this.parts = parts;
        this.shares = new Shares(parts.shares());
        this.learnsOnly = learnsOnly;
        arrange(priorities);
    }

    /**
     * Goes on with other controllers.
     *
     * @param heirs those of before that they take over from, in whose place they come
     */
    void become(ControllerParts next, ControllerParts heirs, EnginePolicy policy, RateLimit.Load load, long now) {
        List<ControllerParts.Part> added = next.takeOver(heirs, load, now);
        parts = next;
        learnsOnly = policy.isObserving();
        arrange(policy.priorities());
        if (sharers >= 0) {
            tellSharers(added, now);
        }
    }

    private void arrange(PriorityPolicy priorities) {
        List<Limit> alone = new ArrayList<>();
        List<Limit> shared = new ArrayList<>();
        sleep = null;
        for (ControllerParts.Part part : parts.parts()) {
            if (part.sleep != null) {
                sleep = part.sleep;
            } else if (part.rate != null && (part.rate.isAdaptive() || !learnsOnly)) {
                (part.rate instanceof Share ? shared : alone).add(new Limit(part.name, part.rate, outage));
            }
        }
        alone.add(new Limit(ConcurrencyQuota.NAME, concurrencyQuota, outage));
        boolean reserves = QuotaReserve.isAskedFor(priorities);
        reserve = !reserves ? null : reserve == null ? new QuotaReserve() : reserve;
        if (reserve != null) {
            alone.add(new Limit(QuotaReserve.NAME, reserve, outage));
        }
        own = alone.toArray(Limit[]::new);
        all = Stream.concat(alone.stream(), shared.stream()).toArray(Limit[]::new);
    }

    /** {@return the limits that it shares with other throttles; these it does not wait for, nor take from} */
    Shares shares() {
        return shares;
    }

    boolean isIdle() {
        return (sleep == null || sleep.isIdle()) && !isAny(rate -> !rate.isIdle());
    }

    /**
     * Whether new controllers would admit no more than these: no limit has permits out, and no strategy holds requests
     * back. What was learned about a server does not count, except for a sleep that is not over since the last use.
     */
    boolean isForgettable(long now) {
        boolean sleeps = sleep != null && used && now - lastUsedAt < sleep.longestNanos();
        return !sleeps && Stream.of(own).allMatch(limit -> limit.rate.isForgettable(now));
    }

    /**
     * {@return how long it is until they hold nothing back and no fixed limit is partly used, were there no more
     * requests} What only a signal can end is left out.
     */
    long heldNanos(long now) {
        long held = sleep == null || !used ? 0 : sleep.longestNanos() - (now - lastUsedAt);
        for (Limit limit : own) {
            long most = limit.rate.isAdaptive() ? 1 : Math.min(limit.rate.maxUnits(), Cost.MAX_AMOUNT);
            Cost cost =
                    limit.rate.maxUnits() == Long.MAX_VALUE || most == 1 ? Cost.ONE : Cost.of(limit.rate.unit(), most);
            held = Math.max(
                    held, limit.waitOf(Cost.NONE, cost, 0, Scope.ALL, now).knownNanos());
        }
        return held;
    }

    /**
     * {@return how long the next attempt of a call still has to wait}
     *
     * @param reserve the share of each limit that it leaves to others
     */
    Wait waitOf(CallState call, Cost ahead, double reserve, Scope scope, long now) {
        return sleepLeft(call, now).longer(rateWait(ahead, call.cost(), reserve, scope, now));
    }

    /** {@return what is left of the sleep that the strategy gives a call} */
    Wait sleepLeft(CallState call, long now) {
        return sleep == null ? Wait.NONE : Wait.of(sleep.sleepNanos(call) - call.sleptNanos(now), sleep.name());
    }

    /**
     * {@return the sleep that is a refused call's own, counted from its refusal: a first attempt need not sleep, or not
     * as long, and must not wait behind it}
     */
    Wait ownSleep(CallState call) {
        return sleep == null || !sleep.isOwn(call) ? Wait.NONE : Wait.of(sleep.sleepNanos(call), sleep.name());
    }

    /** {@return the strategy's sleep} */
    long sleepNanos() {
        return sleep == null ? 0 : sleep.sleepNanos();
    }

    /** {@return the longest wait that a call has whatever happens; what only a signal can end is left out} */
    Wait knownWaitOf(CallState call, Cost ahead, long now) {
        Wait longest = sleepLeft(call, now);
        for (Limit limit : all) {
            Wait wait = limit.waitOf(ahead, call.cost(), 0, call.scope(), now);
            longest = wait.isUntilSignal() ? longest : longest.longer(wait);
        }
        return longest;
    }

    /** Tells the limits that a request wants to be admitted, so that they can fetch permits for it. */
    void prefetch(Cost ahead, Cost cost, long now) {
        for (Limit limit : own) {
            limit.rate.prefetch(ahead, cost, now);
        }
    }

    /** {@return whether a request without a call could go at once} It wants to be admitted. */
    boolean letsGo(Cost cost, double reserve, Scope scope, long now) {
        prefetch(Cost.NONE, cost, now);
        return rateWait(Cost.NONE, cost, reserve, scope, now).isOver()
                && (sleep == null || sleep.firstSleepNanos() == 0);
    }

    /** {@return the longest wait that a rate demands} */
    Wait rateWait(Cost ahead, Cost cost, double reserve, Scope scope, long now) {
        Wait longest = Wait.NONE;
        for (Limit limit : own) {
            longest = longest.longer(limit.waitOf(ahead, cost, reserve, scope, now));
        }
        return longest;
    }

    /** {@return the name of the quota that holds a call back in a controller; null if none does that has a name} */
    @Nullable String heldBy(String controller, CallState call, Cost ahead, long now) {
        for (Limit limit : own) {
            if (limit.name.equals(controller)) {
                return limit.rate.heldBy(ahead, call.cost(), call.scope(), now);
            }
        }
        return null;
    }

    /** {@return what controllers take the server's quotas for, as sentences} */
    List<String> explain(long now) {
        List<String> sentences = new ArrayList<>();
        for (Limit limit : own) {
            sentences.addAll(limit.rate.explain(now));
        }
        return sentences;
    }

    /** {@return whether a strategy of this name learns; a limit that does not is a demand of its own} */
    boolean isAdaptive(String name) {
        for (Limit limit : all) {
            if (limit.name.equals(name)) {
                return limit.rate.isAdaptive();
            }
        }
        return true;
    }

    /** {@return whether some controller learns from refusals} */
    boolean isAdaptive() {
        return (sleep != null && sleep.isAdaptive()) || isAny(RateController::isAdaptive);
    }

    /** {@return whether some controller sees to it that a quota lasts until its reset} */
    boolean planResets() {
        return isAny(RateController::plansResets);
    }

    /** {@return whether some limit counts another unit than requests} */
    boolean countsCosts() {
        return isAny(rate -> !rate.unit().equals(Quota.REQUESTS));
    }

    /** {@return whether some limit counts a unit} */
    boolean counts(String unit) {
        return isAny(rate -> rate.unit().equals(unit));
    }

    private boolean isAny(Predicate<RateController> predicate) {
        for (Limit limit : all) {
            if (predicate.test(limit.rate)) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return the longest wait that is accepted for the limit that turns a newcomer away, because its wait would be
     * longer; null if none does}
     */
    @Nullable Wait turnsAway(Cost ahead, Cost cost, Scope scope, long now) {
        for (Limit limit : all) {
            long most = limit.rate.maxWaitNanos();
            if (most != Long.MAX_VALUE
                    && limit.waitOf(ahead, cost, 0, scope, now).nanos() > most) {
                return new Wait(most, limit.name);
            }
        }
        return null;
    }

    private void used(long now) {
        lastUsedAt = now;
        used = true;
    }

    void onAdmitted(Cost cost, long permitId, Scope scope, long now) {
        used(now);
        for (Limit limit : own) {
            limit.rate.onAdmitted(cost, permitId, scope, now);
        }
    }

    /** {@return how long the call that was refused sleeps before it tries again} */
    long onSignal(Signal signal, int refusals, RateLimit.Load load, long now) {
        used(now);
        for (Limit limit : all) {
            limit.rate.onSignal(signal, load, now);
        }
        Outcome outcome = signal.outcome();
        if (sleep == null || outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED) {
            return 0;
        }
        return sleep.onSignal(signal, refusals, now);
    }

    /** {@return what a call that was refused takes, as far as its refusal has told} */
    Cost costAfterRefusal(Cost cost) {
        Cost told = cost;
        for (Limit limit : own) {
            told = limit.rate.costAfterRefusal(told);
        }
        return told;
    }

    /** {@return how long such a call stands aside for others} */
    long standAsideNanos(int refusals) {
        return Stream.of(own)
                .mapToLong(limit -> limit.rate.standAsideNanos(refusals))
                .max()
                .orElse(0);
    }

    /** {@return a cost, of no unit more than every limit of it can grant: what callers behind it wait for at least} */
    Cost cut(Cost cost) {
        if (cost.isRequestsOnly()) {
            return cost;
        }
        Cost cut = cost;
        for (Limit limit : all) {
            String unit = limit.rate.unit();
            if (cut.amount(unit) > limit.rate.maxUnits()) {
                cut = cut.and(unit, limit.rate.maxUnits());
            }
        }
        return cut;
    }

    void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
        for (Limit limit : all) {
            limit.rate.onSettled(admitted, actual, permitId, admittedAt, now);
        }
    }

    void onHeard(Signal signal, RateLimit.Load load, long now) {
        for (Limit limit : all) {
            limit.rate.onHeard(signal, load, now);
        }
    }

    /** How many processes share the key, which controllers that come later are told too. */
    void onShared(int processes, double perSecond, long now) {
        sharers = processes;
        together = perSecond;
        tellSharers(parts.parts(), now);
    }

    private void tellSharers(List<ControllerParts.Part> told, long now) {
        for (ControllerParts.Part part : told) {
            if (part.rate != null) {
                part.rate.onShared(sharers, together, now);
            }
        }
    }

    double limitPerSecond(long now) {
        double lowest = Double.POSITIVE_INFINITY;
        for (Limit limit : all) {
            lowest = Math.min(lowest, limit.rate.limitPerSecond(now));
        }
        return lowest;
    }

    /** {@return how many requests may be on the wire at a time; {@link Integer#MAX_VALUE} if any number} */
    int limitInFlight() {
        int lowest = Integer.MAX_VALUE;
        for (Limit limit : all) {
            lowest = Math.min(lowest, limit.rate.limitInFlight());
        }
        return lowest;
    }
}
