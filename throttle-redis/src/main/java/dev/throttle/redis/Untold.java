package dev.throttle.redis;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this process spent of its own shares, and Redis has not been told yet. Of more keys than can be kept, those stay
 * that were used last. Times are nanoseconds of the process. Thread-safe.
 */
final class Untold {

    private final Map<String, OwnSpending> own;
    private final long nearNanos;
    private final long countsNanos;

    /**
     * Makes an empty one.
     *
     * @param mostKeys of how many keys it is kept
     * @param nearNanos what was spent within this time need not be told apart
     * @param countsNanos what was spent longer ago does not count any more
     */
    Untold(int mostKeys, long nearNanos, long countsNanos) {
        this.own = LatestUsed.map(mostKeys);
        this.nearNanos = nearNanos;
        this.countsNanos = countsNanos;
    }

    void keep(String id, OwnSpending more) {
        own.merge(id, more, (before, later) -> before.and(later, nearNanos));
    }

    /** Takes what is to be told of a key; {@return null if nothing that still counts} */
    @Nullable OwnSpending take(String id, long now) {
        OwnSpending all = own.remove(id);
        return all == null ? null : all.since(now - countsNanos);
    }

    /** {@return the keys of which there is something to tell, what was used last at the end} */
    List<String> ids() {
        return List.copyOf(own.keySet());
    }
}
