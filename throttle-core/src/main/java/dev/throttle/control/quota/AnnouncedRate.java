package dev.throttle.control.quota;

import dev.throttle.control.Scope;
import dev.throttle.internal.DurationText;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A limit of which it is known how many requests it grants in which time, but not what is left. */
class AnnouncedRate {

    /** A longer time is not planned for. */
    private static final Duration LONGEST = Duration.ofDays(1);
    /** After so many answers that do not tell of a limit it is forgotten. */
    private static final int GIVE_UP_AFTER = 16;
    /** Times are rounded up to one of so many parts of the window, since requests may reach the server later. */
    private static final int PARTS = 64;

    final Quota quota;
    final long limit;
    final long window;
    /** When it was learned. Parts begin here, so that times may overflow. */
    final long beganAt;

    private final History admitted = new History();
    /** How many answers in a row have not told of it. */
    int silent;

    AnnouncedRate(Quota quota, long window, long now) {
        this.quota = quota;
        this.limit = Objects.requireNonNull(quota.limit());
        this.window = Math.max(1, window);
        this.beganAt = now;
    }

    static boolean isAnnounced(Quota quota) {
        return quota.countsRequests()
                && quota.remaining() == null
                && quota.limit() != null
                && quota.limit() > 0
                && quota.window() != null
                && !quota.window().isZero()
                && quota.window().compareTo(LONGEST) <= 0;
    }

    final boolean isCounted(Scope scope) {
        return scope.counts(quota.policy());
    }

    final boolean isOf(Quota other) {
        return other.countsRequests() && quota.isSameAs(other);
    }

    final boolean isOfSize(Quota other) {
        return isOf(other) && Objects.equals(quota.limit(), other.limit());
    }

    final boolean isLike(Quota other) {
        return isOfSize(other) && Objects.equals(quota.window(), other.window());
    }

    /** {@return whether it was not told of for long, has changed, or is told together with a count} */
    boolean isOver(List<Quota> quotas, boolean refused, Scope scope, long now) {
        for (int i = 0; i < quotas.size(); i++) {
            Quota told = quotas.get(i);
            if (isOf(told)) {
                silent = 0;
                return told.remaining() != null || (isAnnounced(told) && !isLike(told));
            }
        }
        return isCounted(scope) && ++silent > GIVE_UP_AFTER;
    }

    /** {@return whether no more requests go than it grants; only then those that go are counted} */
    boolean isBelieved() {
        return true;
    }

    final String explain() {
        return "The server grants " + limit + (limit == 1 ? " request in " : " requests in ")
                + DurationText.spoken(Duration.ofNanos(window)) + ": no more go.";
    }

    final void admitted(long permits, long now) {
        long part = Math.max(1, window / PARTS);
        admitted.add((double) permits, beganAt + part * (1 + Math.floorDiv(now - beganAt, part)), window);
    }

    void release(long permits, long admittedAt) {
        admitted.remove((double) permits, admittedAt);
    }

    /** {@return how many it has counted in the last window} */
    final double used(long now) {
        return admitted.since(admitted.last(now - window));
    }

    /** {@return when so many may go} */
    long dueNanos(long permits, long now) {
        return dueNanos(limit, permits, now);
    }

    final long dueNanos(long granted, long permits, long now) {
        return admitted.whenLeft((double) (granted - Math.min(permits, granted)), window, now);
    }
}
