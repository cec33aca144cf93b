package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit of which only refusals tell, while accepted requests tell of another one with the same name: two limiters,
 * one behind the other, whose headers are the same.
 *
 * <p>It is believed at the second refusal, if no more were accepted in a window than twice what it grants; otherwise it
 * does not count all requests, as that of a route. If a window is no longer than a second, what went in the last second
 * shows it at the first refusal. It is doubted later: one request more is tried, and if none is refused, it is
 * forgotten. A refusal that comes in spite of it has another reason: others use the limit, or its window is longer.
 * Then it is not believed until the next refusal.
 */
final class HiddenLimit extends AnnouncedRate {

    /** One of a longer window is not learned: it could not be doubted for long. */
    private static final Duration LONGEST = Duration.ofMinutes(2);
    /** It is doubted after as many accepted requests as it grants in so many windows. */
    private static final long DOUBTED_AFTER = 8;
    /** Each time that the doubt was wrong, after twice as many as before; after so many at most. */
    private static final int MOST_PATIENCE = 350;
    /** It is forgotten after as many accepted requests more as it grants, and so many at most. */
    private static final long MOST_TRIED = 100;
    /** A time to a reset may be rounded up by so many seconds. */
    private static final double ROUNDING = 1.001;

    private static final long SECOND = 1_000_000_000;

    /**
     * Stands for the patience with a limit that was refused in spite of it: it is not believed, and explains nothing.
     */
    private static final int IN_SPITE = -1;

    /** How many accepted requests it is kept to for without a doubt; 0 or less until it is believed. */
    private final int patience;
    /** Nothing goes before. */
    private final long closedUntil;

    private HiddenLimit(Quota quota, long window, int patience, long now) {
        super(quota, window, now);
        this.patience = patience;
        long reset = quota.reset() == null ? window : Math.max(Nanos.of(quota.reset()), SECOND);
        this.closedUntil = now + Math.min(reset, window);
    }

    /**
     * {@return what a refusal tells; null if that is no such limit}
     *
     * @param before what was known of it
     * @param wire requests that are still on their way
     */
    static @Nullable HiddenLimit of(Quota quota, @Nullable HiddenLimit before, Load load, int wire, long now) {
        long window = window(quota, before);
        if (window == 0 || window > LONGEST.toNanos()) {
            return null;
        }
        long limit = Objects.requireNonNull(quota.limit());
        double most = 2.0 * limit; // at the end of one window and at the beginning of the next one
        int patience = (int) Math.min(MOST_PATIENCE, DOUBTED_AFTER * Math.min(limit, MOST_PATIENCE));
        if (before == null) { // it is not known how many were accepted, but how many went in the last second
            boolean isBrief = window <= SECOND && now - load.admittedAtNanos() < window / 2;
            patience = isBrief && load.requestsPerSecond() <= most + wire ? patience : 0;
        } else if (load.admittedAtNanos() - before.beganAt < 0) { // it left before the last refusal, and belongs to it
            patience = before.patience;
        } else if (before.isBelieved()) {
            patience = before.isTried() ? Math.min(2 * before.patience, MOST_PATIENCE) : IN_SPITE;
        } else if (before.used(now) > most) { // otherwise the second refusal makes it believed
            return null;
        }
        return new HiddenLimit(quota, window, patience, now);
    }

    /** {@return how long its window is; if that is not told, the shortest usual length that fits all resets so far} */
    private static long window(Quota quota, @Nullable HiddenLimit before) {
        if (quota.window() != null) {
            return Nanos.of(quota.window());
        }
        double reset = quota.reset() == null ? 0 : Nanos.toSeconds(Nanos.of(quota.reset()));
        long usual = reset > 0 ? Nanos.ofSeconds(Renewals.nextRound(reset - ROUNDING)) : 0;
        return before == null ? usual : Math.max(usual, before.window);
    }

    /** {@return whether it is the reason of the last refusal that tells of it} */
    boolean explains() {
        return patience != IN_SPITE;
    }

    @Override
    boolean isBelieved() {
        return patience > 0;
    }

    private boolean isTried() {
        return isBelieved() && silent > patience;
    }

    /** {@return whether no refusal has told of it for long, or an accepted request tells of it} */
    @Override
    boolean isOver(List<Quota> quotas, boolean refused, Scope scope, long now) {
        if (refused) {
            return false;
        }
        for (int i = 0; i < quotas.size(); i++) {
            if (isOfSize(quotas.get(i))) {
                return true;
            }
        }
        if (!isCounted(scope)) {
            return false;
        }
        if (!isBelieved()) {
            admitted(1, now); // until then it counts what is accepted
        }
        return ++silent > (isBelieved() ? patience : MOST_PATIENCE) + Math.min(limit, MOST_TRIED);
    }

    @Override
    void release(long permits, long admittedAt) {
        if (admittedAt - beganAt >= 0) { // what went before is not counted
            super.release(permits, admittedAt);
        }
    }

    @Override
    long dueNanos(long permits, long now) {
        long most = isTried() ? limit + 1 : limit;
        return Nanos.later(closedUntil, isBelieved() ? dueNanos(most, permits, now) : now);
    }
}
