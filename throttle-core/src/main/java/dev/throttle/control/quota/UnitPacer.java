package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** All quotas of a server that count something else than requests, each with a law of its own; the slowest decides. */
final class UnitPacer {

    private static final int MOST = 8;

    private final PacingSettings settings;
    private final RandomGenerator random;
    private final List<UnitLaw> laws = new ArrayList<>(0);
    /** Whether the last answer refused for want of something else, such as requests. */
    private boolean otherIsUsedUp;
    /** Whether the last answer refused, and did not say when to come back. */
    private boolean silent;

    UnitPacer(PacingSettings settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
    }

    boolean isEmpty() {
        return laws.isEmpty();
    }

    void admitted(Cost cost, long id, long now) {
        for (int i = 0; i < laws.size(); i++) {
            laws.get(i).admitted(cost, id, now);
        }
    }

    /** A request has ended. */
    void ended(Outcome outcome, long id, long now) {
        for (int i = 0; i < laws.size(); i++) {
            if (outcome == Outcome.SUCCESS || outcome.isFault() || outcome == Outcome.CANCELLED) {
                laws.get(i).ended(id, now);
            } else {
                laws.get(i).forget(id);
            }
        }
    }

    void settled(Cost admitted, Cost actual, long id, long now) {
        for (int i = 0; i < laws.size(); i++) {
            laws.get(i).settled(admitted, actual, id, now);
        }
    }

    /**
     * Learns what a server has told.
     *
     * @param busy whether it refused for want of something else: then its {@code Retry-After} tells nothing of costs
     */
    void read(RateHints hints, boolean refused, boolean busy, boolean answered, Load load, long now) {
        List<Quota> quotas = hints.quotas();
        otherIsUsedUp = hints.isExhausted() || busy;
        Duration retryAfter = busy ? null : hints.retryAfter();
        silent = refused && retryAfter == null;
        for (int i = laws.size() - 1; i >= 0; i--) {
            if (answered && find(quotas, laws.get(i)) == null && laws.get(i).missing()) {
                laws.remove(i);
            }
        }
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (isPaced(quota)) {
                UnitLaw law = law(quota);
                if (law != null) {
                    boolean refusal = refused || (!answered && retryAfter != null);
                    law.read(quota, refusal, answered, retryAfter, load, now);
                }
            }
        }
    }

    private static boolean isPaced(Quota quota) {
        return !quota.countsRequests() && !quota.unit().equals(Quota.CONCURRENT_REQUESTS) && quota.remaining() != null;
    }

    private static @Nullable Quota find(List<Quota> quotas, UnitLaw law) {
        for (int i = 0; i < quotas.size(); i++) {
            if (isPaced(quotas.get(i)) && law.isOf(quotas.get(i))) {
                return quotas.get(i);
            }
        }
        return null;
    }

    private @Nullable UnitLaw law(Quota quota) {
        for (int i = 0; i < laws.size(); i++) {
            if (laws.get(i).isOf(quota)) {
                return laws.get(i);
            }
        }
        if (laws.size() == MOST) {
            return null;
        }
        UnitLaw law = new UnitLaw(settings, random, quota);
        laws.add(law);
        return law;
    }

    /**
     * {@return what the request that was refused last takes} With several quotas it is unknown which of them refused
     * it.
     */
    Cost costAfterRefusal(Cost cost) {
        return laws.size() == 1 && !otherIsUsedUp ? laws.get(0).costAfterRefusal(cost, silent) : cost;
    }

    /** A refusal told what its request would take, which was taken for a cost. */
    void told(Demand demand, Cost cost) {
        for (int i = 0; i < laws.size(); i++) {
            laws.get(i).told(demand, cost);
        }
    }

    /**
     * {@return how long the request that was refused last steps aside}
     *
     * @param refusals how many times in a row it was refused
     */
    long standAsideNanos(int refusals) {
        return laws.size() == 1 && !otherIsUsedUp ? laws.get(0).standAsideNanos(refusals) : 0;
    }

    /** {@return whether one of the quotas says why a request was refused} */
    boolean explains(Cost cost) {
        boolean explained = false;
        for (int i = 0; i < laws.size(); i++) {
            explained |= laws.get(i).explains(cost);
        }
        return explained;
    }

    long dueNanos(Cost ahead, Cost cost, int wire, long now) {
        long due = now;
        for (int i = 0; i < laws.size(); i++) {
            due = Instants.later(due, laws.get(i).dueNanos(ahead, cost, wire, now));
            if (due == RateController.UNTIL_SIGNAL) {
                return due;
            }
        }
        return due;
    }
}
