package dev.throttle;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the server said last about each of its policies. Written under the throttle's lock, read by anyone. */
final class QuotaBoard {

    /** A server that invents policy names must not fill the memory, or the metrics. */
    private static final int MOST_POLICIES = 16;

    private volatile List<Seen> board = List.of();

    void put(List<Quota> quotas, long now) {
        List<Seen> updated = new ArrayList<>(quotas.size());
        for (Quota quota : quotas) {
            if (updated.size() < MOST_POLICIES) {
                updated.add(new Seen(quota, now));
            }
        }
        for (Seen old : board) {
            if (updated.size() < MOST_POLICIES && !contains(quotas, old.quota)) {
                updated.add(old);
            }
        }
        board = updated;
    }

    private static boolean contains(List<Quota> quotas, Quota old) {
        for (Quota quota : quotas) {
            if (quota.isSameAs(old)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the quotas with their resets counted from now} */
    List<Quota> read(long now) {
        List<Quota> quotas = new ArrayList<>();
        for (Seen seen : board) {
            quotas.add(seen.at(now));
        }
        return List.copyOf(quotas);
    }

    private record Seen(Quota quota, long since) {

        Quota at(long now) {
            Duration reset = quota.reset();
            if (reset == null) {
                return quota;
            }
            Duration left = Duration.ofNanos(Math.max(0, Nanos.of(reset) - (now - since)));
            return quota.withReset(left);
        }
    }
}
