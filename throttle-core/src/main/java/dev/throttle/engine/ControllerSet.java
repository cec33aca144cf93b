package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategy;
import dev.throttle.engine.SharedPool.Share;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of one throttle as one: the longest wait wins, and none of them can break a request. Guarded by the
 * engine's lock.
 */
final class ControllerSet {

    private final @Nullable SleepController sleep;
    private final String sleepName;
    /** The limits of this throttle alone. */
    private final RateController[] rates;
    /** All limits: those of this throttle alone, and then those that it shares with others. */
    private final RateController[] limits;

    private final String[] names;
    private final Shares shares;
    /** The last answers: whoever comes asks for the head again, and a wait that is the same need not be made anew. */
    private Wait lastOfHead = Wait.NONE;

    private Wait lastOfOthers = Wait.NONE;
    /** When a request was last let go, or a signal came. */
    private long lastUsedAt;

    private boolean used;

    /** What is to be said about controllers that threw something, when the lock is free. */
    private final List<Runnable> faults = new ArrayList<>();

    ControllerSet(List<Strategy> strategies, PriorityPolicy priorities, RandomGenerator random) {
        SleepController sleeper = null;
        String sleeperName = "";
        Map<RateController, String> own = new LinkedHashMap<>();
        Map<Share, String> shared = new LinkedHashMap<>();
        for (Strategy strategy : strategies) {
            Controller controller = strategy.newController(random);
            if (controller instanceof SleepController s) {
                sleeperName = strategy.name();
                sleeper = new SafeSleepController(s, sleeperName, faults::add);
            } else if (controller instanceof Share share) {
                if (shared.keySet().stream().noneMatch(share::isOf)) {
                    shared.put(share, strategy.name());
                }
            } else if (controller instanceof RateController r) {
                own.put(new SafeRateController(r, strategy.name(), faults::add), strategy.name());
            } else {
                throw new IllegalArgumentException(
                        "the controller of " + strategy.name() + " is neither a SleepController nor a RateController");
            }
        }
        own.put(new ConcurrencyQuota(), ConcurrencyQuota.NAME);
        if (priorities.reserves().values().stream().anyMatch(share -> share > 0)) {
            own.put(new QuotaReserve(), QuotaReserve.NAME);
        }
        this.sleep = sleeper;
        this.sleepName = sleeperName;
        this.shares = new Shares(List.copyOf(shared.keySet()));
        this.rates = own.keySet().toArray(RateController[]::new);
        own.putAll(shared);
        this.limits = own.keySet().toArray(RateController[]::new);
        this.names = own.values().toArray(String[]::new);
    }

    /** {@return the limits that it shares with other throttles; these it does not wait for, nor take from} */
    Shares shares() {
        return shares;
    }

    /** Hands over what is to be said when the lock is free. */
    void takeFaults(Consumer<Runnable> news) {
        if (!faults.isEmpty()) {
            faults.forEach(news);
            faults.clear();
        }
    }

    boolean isIdle() {
        if (sleep != null && !sleep.isIdle()) {
            return false;
        }
        return !isAny(rate -> !rate.isIdle());
    }

    /**
     * Whether new controllers would admit no more than these: no limit has permits out, and no strategy holds requests
     * back. What was learned about a server does not count, except for a sleep that is not over since the last use.
     */
    boolean isForgettable(long now) {
        if (sleep != null && used && now - lastUsedAt < longestSleepNanos(sleep)) {
            return false;
        }
        for (RateController rate : rates) {
            long most = rate.maxUnits() == Long.MAX_VALUE ? 1 : Math.min(rate.maxUnits(), Cost.MAX_AMOUNT);
            long due = rate.dueNanos(Cost.NONE, Cost.of(rate.unit(), most), now);
            if (due == RateController.UNTIL_SIGNAL || due - now > 0) {
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

    /** {@return whether a request without a call could go at once} */
    boolean letsGo(Cost cost, double reserve, long now) {
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
        return sleep == null ? 0 : withJitter(Nanos.ofSeconds(sleep.firstSleepSeconds()), sleep, random);
    }

    private long retrySleepNanos(CallState call) {
        if (sleep == null) {
            return 0;
        }
        double decided = Nanos.toSeconds(call.retrySleepNanos());
        return withJitter(Nanos.ofSeconds(sleep.retrySleepSeconds(decided)), sleep, call.random());
    }

    private static long longestSleepNanos(SleepController sleep) {
        double seconds = Math.max(sleep.sleepSeconds(), sleep.firstSleepSeconds());
        return withJitter(Math.min(Nanos.ofSeconds(seconds), Nanos.MAX / 2), sleep, 1);
    }

    private void used(long now) {
        lastUsedAt = now;
        used = true;
    }

    private static long withJitter(long plain, SleepController sleep, double random) {
        return plain + (long) (plain * sleep.jitter() * random);
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
        if (sleep != null && sleep.isAdaptive()) {
            return true;
        }
        return isAny(RateController::isAdaptive);
    }

    /** {@return whether some controller sees to it that a quota lasts until its reset} */
    boolean planResets() {
        return isAny(RateController::plansResets);
    }

    /** {@return whether some limit counts another unit than requests} */
    boolean countsCosts() {
        return isAny(rate -> !rate.unit().equals(Quota.REQUESTS));
    }

    private boolean isAny(Predicate<RateController> predicate) {
        for (RateController rate : limits) {
            if (predicate.test(rate)) {
                return true;
            }
        }
        return false;
    }

    /** {@return a limit that can never let a request go that takes this much; null if there is none} */
    @Nullable RateController exceeded(Cost cost) {
        for (RateController rate : limits) {
            if (cost.amount(rate.unit()) > rate.maxUnits()) {
                return rate;
            }
        }
        return null;
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

    void onAdmitted(Cost cost, long now) {
        used(now);
        for (RateController rate : rates) {
            rate.onAdmitted(cost, now);
        }
    }

    /** {@return how long the call that was refused sleeps before it tries again} */
    long onSignal(Signal signal, int refusals, RateController.Load load, long now) {
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

    void onSettled(Cost admitted, Cost actual, long admittedAt, long now) {
        for (RateController rate : limits) {
            rate.onSettled(admitted, actual, admittedAt, now);
        }
    }

    void onHeard(Signal signal, RateController.Load load, long now) {
        for (RateController rate : limits) {
            rate.onHeard(signal, load, now);
        }
    }

    /** {@return the strategy's sleep} */
    long sleepNanos() {
        return sleep == null ? 0 : Nanos.ofSeconds(sleep.sleepSeconds());
    }

    double limitPerSecond() {
        double lowest = Double.POSITIVE_INFINITY;
        for (RateController rate : limits) {
            lowest = Math.min(lowest, rate.limitPerSecond());
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
