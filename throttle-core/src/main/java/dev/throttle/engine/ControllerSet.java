package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.SleepController;
import dev.throttle.engine.SharedPool.Share;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of one throttle as one: the longest wait wins, and none of them can break a request. Guarded by the
 * engine's lock.
 */
final class ControllerSet {

    private ControllerParts parts;
    private @Nullable SleepController sleep;
    private String sleepName = "";
    /** The limits of this throttle alone. */
    private RateController[] rates = {};
    /** All limits: those of this throttle alone, and then those that it shares with others. */
    private RateController[] limits = {};

    private String[] names = {};
    private final Shares shares;
    private final ConcurrencyQuota concurrencyQuota = new ConcurrencyQuota();
    private @Nullable QuotaReserve reserve;
    /** The last answers. Each arrival asks for the head again, and an equal wait need not be created anew. */
    private Wait lastOfHead = Wait.NONE;

    private Wait lastOfOthers = Wait.NONE;
    /** When a request was last let go, or a signal came. */
    private long lastUsedAt;

    private boolean used;

    ControllerSet(ControllerParts parts, PriorityPolicy priorities) {
        this.parts = parts;
        this.shares = new Shares(parts.shares());
        arrange(priorities);
    }

    /** Goes on with other controllers, which take over what those knew in whose place they come. */
    void become(ControllerParts next, PriorityPolicy priorities, RateLimit.Load load, long now) {
        next.takeOver(parts, load, now);
        parts = next;
        arrange(priorities);
    }

    private void arrange(PriorityPolicy priorities) {
        Map<RateController, String> own = new LinkedHashMap<>();
        Map<RateController, String> shared = new LinkedHashMap<>();
        sleep = null;
        sleepName = "";
        for (ControllerParts.Part part : parts.parts()) {
            if (part.sleep != null) {
                sleep = part.sleep;
                sleepName = part.name;
            } else if (part.rate != null) {
                (part.rate instanceof Share ? shared : own).put(part.rate, part.name);
            }
        }
        own.put(concurrencyQuota, ConcurrencyQuota.NAME);
        boolean reserves = QuotaReserve.isAskedFor(priorities);
        reserve = !reserves ? null : reserve == null ? new QuotaReserve() : reserve;
        if (reserve != null) {
            own.put(reserve, QuotaReserve.NAME);
        }
        rates = own.keySet().toArray(RateController[]::new);
        own.putAll(shared);
        limits = own.keySet().toArray(RateController[]::new);
        names = own.values().toArray(String[]::new);
        lastOfHead = Wait.NONE;
        lastOfOthers = Wait.NONE;
    }

    /** {@return the limits that it shares with other throttles; these it does not wait for, nor take from} */
    Shares shares() {
        return shares;
    }

    /** Hands over what is to be said when the lock is free. */
    void takeFaults(Consumer<Runnable> news) {
        parts.takeFaults(news);
    }

    boolean isIdle() {
        return (sleep == null || sleep.isIdle()) && !isAny(rate -> !rate.isIdle());
    }

    /**
     * Whether new controllers would admit no more than these: no limit has permits out, and no strategy holds requests
     * back. What was learned about a server does not count, except for a sleep that is not over since the last use.
     */
    boolean isForgettable(long now) {
        if (sleep != null && used && now - lastUsedAt < Sleeps.longestNanos(sleep)) {
            return false;
        }
        for (RateController rate : rates) {
            if (!rate.isForgettable(now)) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return how long the next attempt of a call still has to wait}
     *
     * @param reserve the share of each limit that it leaves to others
     */
    Wait waitOf(CallState call, Cost ahead, double reserve, long now) {
        Wait rate = rateWait(ahead, call.cost(), reserve, now);
        long left = sleepLeftNanos(call, now);
        return rate.nanos() > left ? rate : Wait.of(left, sleepName);
    }

    /** {@return how much is left of the sleep that the strategy gives a call; zero or less if it is over} */
    long sleepLeftNanos(CallState call, long now) {
        long sleepNanos = call.isRefused() ? retrySleepNanos(call) : firstSleepNanos(call.random());
        return sleepNanos - call.sleptNanos(now);
    }

    /** {@return the longest wait that a call has whatever happens; what only a signal can end is left out} */
    Wait knownWaitOf(CallState call, Cost ahead, long now) {
        Wait longest = Wait.of(sleepLeftNanos(call, now), sleepName);
        for (int i = 0; i < limits.length; i++) {
            long due = limits[i].dueNanos(ahead, call.cost(), now);
            if (due != RateController.UNTIL_SIGNAL && due - now > longest.nanos()) {
                longest = new Wait(Math.min(due - now, Nanos.MAX), names[i]);
            }
        }
        return longest;
    }

    /** Tells the limits that a request wants to be admitted, so that they can fetch permits for it. */
    void prefetch(Cost ahead, Cost cost, long now) {
        for (RateController rate : rates) {
            rate.prefetch(ahead, cost, now);
        }
    }

    /** {@return whether a request without a call could go at once} It wants to be admitted. */
    boolean letsGo(Cost cost, double reserve, long now) {
        prefetch(Cost.NONE, cost, now);
        return rateWait(Cost.NONE, cost, reserve, now).isOver() && firstSleepNanos(0) <= 0;
    }

    /** {@return the longest wait that a rate demands} */
    Wait rateWait(Cost ahead, Cost cost, double reserve, long now) {
        boolean isHead = ahead.requests() == 0;
        Wait last = isHead ? lastOfHead : lastOfOthers;
        long longest = 0;
        String reason = "";
        for (int i = 0; i < rates.length; i++) {
            long due = rates[i].dueNanos(ahead, cost, reserve, now);
            long wait = due == RateController.UNTIL_SIGNAL ? Wait.UNTIL_SIGNAL : Math.min(due - now, Nanos.MAX);
            if (wait > longest) {
                longest = wait;
                reason = names[i];
            }
        }
        if (!last.reason().equals(reason) || last.nanos() != longest) {
            last = Wait.of(longest, reason);
        }
        if (isHead) {
            lastOfHead = last;
        } else {
            lastOfOthers = last;
        }
        return last;
    }

    private long firstSleepNanos(double random) {
        return sleep == null ? 0 : Sleeps.withJitter(Nanos.ofSeconds(sleep.firstSleepSeconds()), sleep, random);
    }

    private long retrySleepNanos(CallState call) {
        if (sleep == null) {
            return 0;
        }
        double decided = Nanos.toSeconds(call.retrySleepNanos());
        return Sleeps.withJitter(Nanos.ofSeconds(sleep.retrySleepSeconds(decided)), sleep, call.random());
    }

    private void used(long now) {
        lastUsedAt = now;
        used = true;
    }

    /**
     * {@return the sleep that is a refused call's own, counted from its refusal: a first attempt need not sleep, or not
     * as long, and must not wait behind it}
     */
    Wait ownSleep(CallState call) {
        boolean own = sleep != null
                && call.isRefused()
                && sleep.retrySleepSeconds(Nanos.toSeconds(call.retrySleepNanos())) > sleep.firstSleepSeconds();
        return own ? Wait.of(retrySleepNanos(call), sleepName) : Wait.NONE;
    }

    /** {@return whether a strategy of this name learns; a limit that does not is a demand of its own} */
    boolean isAdaptive(String name) {
        for (int i = 0; i < limits.length; i++) {
            if (names[i].equals(name)) {
                return limits[i].isAdaptive();
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
        for (RateController rate : limits) {
            if (predicate.test(rate)) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return the longest wait that is accepted for the limit that turns a newcomer away, because its wait would be
     * longer; null if none does}
     */
    @Nullable Wait turnsAway(Cost ahead, Cost cost, long now) {
        for (int i = 0; i < limits.length; i++) {
            long most = limits[i].maxWaitNanos();
            if (most != Long.MAX_VALUE) {
                long due = limits[i].dueNanos(ahead, cost, now);
                if (due == RateController.UNTIL_SIGNAL || due - now > most) {
                    return new Wait(most, names[i]);
                }
            }
        }
        return null;
    }

    void onAdmitted(Cost cost, long permitId, long now) {
        used(now);
        for (RateController rate : rates) {
            rate.onAdmitted(cost, permitId, now);
        }
    }

    /** {@return how long the call that was refused sleeps before it tries again} */
    long onSignal(Signal signal, int refusals, RateLimit.Load load, long now) {
        used(now);
        for (RateController rate : limits) {
            rate.onSignal(signal, load, now);
        }
        Outcome outcome = signal.outcome();
        if (sleep == null || outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED) {
            return 0;
        }
        return Nanos.ofSeconds(sleep.onSignal(signal, refusals, now));
    }

    /** {@return what a call that was refused takes, as far as its refusal has told} */
    Cost costAfterRefusal(Cost cost) {
        Cost told = cost;
        for (RateController rate : rates) {
            told = rate.costAfterRefusal(told);
        }
        return told;
    }

    /** {@return how long such a call stands aside for others} */
    long standAsideNanos(int refusals) {
        return Arrays.stream(rates)
                .mapToLong(rate -> rate.standAsideNanos(refusals))
                .max()
                .orElse(0);
    }

    /** {@return a cost, of no unit more than every limit of it can grant: what callers behind it wait for at least} */
    Cost cut(Cost cost) {
        if (cost.isRequestsOnly()) {
            return cost;
        }
        Cost cut = cost;
        for (RateController rate : limits) {
            if (cut.amount(rate.unit()) > rate.maxUnits()) {
                cut = cut.and(rate.unit(), rate.maxUnits());
            }
        }
        return cut;
    }

    void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
        for (RateController rate : limits) {
            rate.onSettled(admitted, actual, permitId, admittedAt, now);
        }
    }

    void onHeard(Signal signal, RateLimit.Load load, long now) {
        for (RateController rate : limits) {
            rate.onHeard(signal, load, now);
        }
    }

    void onShared(int processes, double perSecond, long now) {
        parts.onShared(processes, perSecond, now);
    }

    /** {@return the strategy's sleep} */
    long sleepNanos() {
        return sleep == null ? 0 : Nanos.ofSeconds(sleep.sleepSeconds());
    }

    double limitPerSecond(long now) {
        double lowest = Double.POSITIVE_INFINITY;
        for (RateController rate : limits) {
            lowest = Math.min(lowest, rate.limitPerSecond(now));
        }
        return lowest;
    }

    /** {@return how many requests may be on the wire at a time; {@link Integer#MAX_VALUE} if any number} */
    int limitInFlight() {
        int lowest = Integer.MAX_VALUE;
        for (RateController rate : limits) {
            lowest = Math.min(lowest, rate.limitInFlight());
        }
        return lowest;
    }
}
