package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the server said last about each of its policies. Written under the engine's lock, read by anyone. */
final class QuotaBoard {

    /** A server that invents policy names must not fill the memory, or the metrics. */
    private static final int MOST_POLICIES = 16;

    /** The newest first. */
    private volatile List<Told> board = List.of();

    /** A quota, and when the server told it. */
    private record Told(Quota quota, long at) {

        /** {@return the quota with its reset counted from now} */
        Quota read(long now) {
            Duration reset = quota.reset();
            return reset == null ? quota : quota.withReset(Duration.ofNanos(Math.max(0, Nanos.of(reset) - (now - at))));
        }
    }

    void put(List<Quota> quotas, long now) {
        if (quotas.isEmpty()) {
            return;
        }
        List<Told> before = board;
        List<Told> next = new ArrayList<>(quotas.size() + before.size());
        for (Quota quota : quotas) {
            next.add(new Told(quota, now));
        }
        for (Told old : before) {
            if (find(old.quota, next, quotas.size()) == null) {
                next.add(old);
            }
        }
        board = next.size() <= MOST_POLICIES ? next : next.subList(0, MOST_POLICIES); // not changed any more
    }

    /** {@return what was told of a quota, if it is among the first; null if it is not} */
    private static @Nullable Told find(Quota quota, List<Told> all, int first) {
        for (int i = 0; i < first; i++) {
            if (all.get(i).quota.isSameAs(quota)) {
                return all.get(i);
            }
        }
        return null;
    }

    private @Nullable Told find(Quota quota) {
        List<Told> current = board;
        return find(quota, current, current.size());
    }

    /** {@return whether something was told of a quota after an instant} */
    boolean knowsSince(Quota quota, long instant) {
        Told told = find(quota);
        return told != null && told.at - instant > 0;
    }

    /** {@return those that are used up now, and were not when they were last told, or are renewed since} */
    List<Quota> newlyExhausted(List<Quota> quotas, long now) {
        List<Quota> exhausted = new ArrayList<>(0);
        for (Quota quota : quotas) {
            if (quota.isExhausted() && !wasExhausted(quota, now)) {
                exhausted.add(quota);
            }
        }
        return exhausted;
    }

    private boolean wasExhausted(Quota quota, long now) {
        Told told = find(quota);
        return told != null
                && told.quota.isExhausted()
                && !Duration.ZERO.equals(told.read(now).reset());
    }

    /** {@return whether a quota was told to be used up, and its reset is still to come} */
    boolean isUsedUp(long now) {
        for (Told told : board) {
            Duration reset = told.quota.isExhausted() ? told.read(now).reset() : null;
            if (reset != null && !reset.isZero()) {
                return true;
            }
        }
        return false;
    }

    /** {@return the quotas with their resets counted from now} */
    List<Quota> read(long now) {
        return board.stream().map(told -> told.read(now)).toList();
    }
}
