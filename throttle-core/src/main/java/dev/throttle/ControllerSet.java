package dev.throttle;

import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategy;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of one throttle as one: the longest wait wins, and none of them can break a request. Guarded by the
 * throttle's lock.
 */
final class ControllerSet {

    /** The wait that {@link RateController#UNTIL_SIGNAL} stands for. */
    static final long UNTIL_SIGNAL = Long.MAX_VALUE;

    private final @Nullable SleepController sleep;
    private final String sleepName;
    private final RateController[] rates;
    private final String[] rateNames;
    /** Which controller the last wait came from. */
    private String reason = "";

    ControllerSet(List<Strategy> strategies, RandomGenerator random) {
        SleepController sleeper = null;
        String sleeperName = "";
        List<RateController> limits = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Strategy strategy : strategies) {
            Controller controller = strategy.newController(random);
            if (controller instanceof SleepController s) {
                sleeperName = strategy.name();
                sleeper = new SafeSleepController(s, sleeperName);
            } else if (controller instanceof RateController r) {
                limits.add(new SafeRateController(r, strategy.name()));
                names.add(strategy.name());
            }
        }
        this.sleep = sleeper;
        this.sleepName = sleeperName;
        this.rates = limits.toArray(RateController[]::new);
        this.rateNames = names.toArray(String[]::new);
    }

    /** {@return a wait as far as it is known; not negative, and small enough to be added to a time} */
    static long known(long wait) {
        return wait == UNTIL_SIGNAL ? 0 : Math.max(0, Math.min(wait, Nanos.MAX));
    }

    boolean isIdle() {
        if (sleep != null && !sleep.isIdle()) {
            return false;
        }
        for (RateController rate : rates) {
            if (!rate.isIdle()) {
                return false;
            }
        }
        return true;
    }

    /**
     * How long a caller still has to wait.
     *
     * @param sleptNanos how long it has waited already
     * @param retrySleepNanos the sleep decided for this call when it was refused, or {@link ThrottledCall#NOT_REFUSED}
     * @param random the caller's draw for the jitter
     * @return 0 or less if it may go; {@link #UNTIL_SIGNAL} if only a signal can tell
     */
    long waitNanos(long sleptNanos, long retrySleepNanos, double random, long permitsAhead, int permits, long now) {
        long rateWait = rateWaitNanos(permitsAhead, permits, now);
        if (sleep == null) {
            return rateWait;
        }
        long plain = Nanos.ofSeconds(
                retrySleepNanos == ThrottledCall.NOT_REFUSED
                        ? sleep.firstSleepSeconds()
                        : sleep.retrySleepSeconds(Nanos.toSeconds(retrySleepNanos)));
        long wait = plain + (long) (plain * sleep.jitter() * random) - sleptNanos;
        if (wait < rateWait) {
            return rateWait;
        }
        reason = sleepName;
        return wait;
    }

    /** {@return the longest wait that a rate demands; 0 or less for none} */
    long rateWaitNanos(long permitsAhead, int permits, long now) {
        long longest = Long.MIN_VALUE;
        reason = "";
        for (int i = 0; i < rates.length; i++) {
            long due = rates[i].dueNanos(permitsAhead, permits, now);
            long wait = due == RateController.UNTIL_SIGNAL ? UNTIL_SIGNAL : Math.min(due - now, Nanos.MAX);
            if (wait > longest) {
                longest = wait;
                reason = rateNames[i];
            }
        }
        return longest == Long.MIN_VALUE ? 0 : longest;
    }

    /** {@return the name of the strategy that the last {@link #waitNanos} came from} */
    String reason() {
        return reason;
    }

    /** {@return whether some controller learns from refusals} */
    boolean isAdaptive() {
        if (sleep != null && sleep.isAdaptive()) {
            return true;
        }
        for (RateController rate : rates) {
            if (rate.isAdaptive()) {
                return true;
            }
        }
        return false;
    }

    /** {@return whether some controller sees to it that a quota lasts until its reset} */
    boolean planResets() {
        for (RateController rate : rates) {
            if (rate.plansResets()) {
                return true;
            }
        }
        return false;
    }

    /** {@return the most permits that all limits can ever grant a request} */
    int maxPermits() {
        int fewest = Integer.MAX_VALUE;
        for (RateController rate : rates) {
            fewest = Math.min(fewest, rate.maxPermits());
        }
        return fewest;
    }

    /** {@return the limit for which a newcomer would have to wait longer than it accepts; null if there is none} */
    @Nullable String turnsAway(long permitsAhead, int permits, long now) {
        for (int i = 0; i < rates.length; i++) {
            long most = rates[i].maxWaitNanos();
            if (most != Long.MAX_VALUE) {
                long due = rates[i].dueNanos(permitsAhead, permits, now);
                if (due == RateController.UNTIL_SIGNAL || due - now > most) {
                    return rateNames[i];
                }
            }
        }
        return null;
    }

    /** {@return the longest wait that a limit accepts} */
    long maxWaitNanos(String limit) {
        for (int i = 0; i < rates.length; i++) {
            if (rateNames[i].equals(limit)) {
                return rates[i].maxWaitNanos();
            }
        }
        throw new IllegalArgumentException(limit);
    }

    void onAdmitted(int permits, long now) {
        for (RateController rate : rates) {
            rate.onAdmitted(permits, now);
        }
    }

    /** {@return how long the call that was refused sleeps before it tries again} */
    long onSignal(Signal signal, int refusals, RateController.Load load, long now) {
        for (RateController rate : rates) {
            rate.onSignal(signal, load, now);
        }
        Outcome outcome = signal.outcome();
        if (sleep == null || outcome == Outcome.IGNORED || outcome == Outcome.CANCELLED) {
            return 0;
        }
        return Nanos.ofSeconds(sleep.onSignal(signal, refusals, now));
    }

    /** {@return the first report of a type; null if no controller gives one} */
    <T extends Controller.Report> @Nullable T report(Class<T> type) {
        if (sleep != null && type.isInstance(sleep.report())) {
            return type.cast(sleep.report());
        }
        for (RateController rate : rates) {
            Controller.Report report = rate.report();
            if (type.isInstance(report)) {
                return type.cast(report);
            }
        }
        return null;
    }

    /** {@return the strategy's sleep} */
    long sleepNanos() {
        return sleep == null ? 0 : Nanos.ofSeconds(sleep.sleepSeconds());
    }

    double limitPerSecond() {
        double lowest = Double.POSITIVE_INFINITY;
        for (RateController rate : rates) {
            lowest = Math.min(lowest, rate.limitPerSecond());
        }
        return lowest;
    }
}
