package dev.throttle.lease.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What this process spent of its own shares without a confirmation by the store. If there are too many keys, those stay
 * that were used last. Times are nanoseconds of the process. Thread-safe.
 */
final class Untold {

    /** Of so many tellings of a key it is known that the store may have heard them. */
    private static final int MOST_DOUBTFUL = 3;
    /** Several limits may have one key in the store, which knows only the process. */
    private static final AtomicLong NAMES = new AtomicLong();

    private final Map<String, Key> own;
    private final long nearNanos;
    private final long countsNanos;

    /**
     * What is told at once. It keeps its name when it is told again, so that the store counts it once.
     *
     * @param name tells it from all others of this process
     * @param isAgain whether the store may have heard it before
     */
    record Telling(String name, OwnSpending spending, boolean isAgain) {}

    /**
     * What is to be told of a key.
     *
     * @param doubtful what the store may have heard, the oldest first
     * @param fresh what it has not
     */
    private record Key(List<Telling> doubtful, @Nullable OwnSpending fresh) {}

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

    /** Keeps what was spent and is not reported to the store yet. */
    void keep(String id, OwnSpending more) {
        own.merge(id, new Key(List.of(), more), (there, added) -> new Key(there.doubtful, and(there.fresh, more)));
    }

    private OwnSpending and(@Nullable OwnSpending before, OwnSpending more) {
        return before == null ? more : before.and(more, nearNanos);
    }

    /** Keeps a report that the store did not answer. If it was sent, the store may have counted it. */
    void failed(String id, Telling telling, boolean wasSent) {
        if (wasSent || telling.isAgain) {
            doubt(id, new Telling(telling.name, telling.spending, true));
        } else {
            keep(id, telling.spending);
        }
    }

    private void doubt(String id, Telling telling) {
        own.merge(id, new Key(List.of(telling), null), (there, added) -> {
            if (there.doubtful.size() == MOST_DOUBTFUL) { // rather twice than not at all
                return new Key(there.doubtful, and(there.fresh, telling.spending));
            }
            List<Telling> all = new ArrayList<>(there.doubtful);
            all.add(telling);
            return new Key(List.copyOf(all), there.fresh);
        });
    }

    /** Takes what is to be told of a key, as far as it still counts; each by itself, in this order. */
    List<Telling> take(String id, long now) {
        Key key = own.remove(id);
        if (key == null) {
            return List.of();
        }
        List<Telling> all = new ArrayList<>();
        for (Telling telling : key.doubtful) {
            add(all, telling, now);
        }
        if (key.fresh != null) {
            add(all, new Telling(String.valueOf(NAMES.incrementAndGet()), key.fresh, false), now);
        }
        return all;
    }

    private void add(List<Telling> all, Telling telling, long now) {
        OwnSpending counts = telling.spending.since(now - countsNanos);
        if (counts != null) {
            all.add(new Telling(telling.name, counts, telling.isAgain));
        }
    }

    /** {@return the keys with something to report, the most recently used at the end} */
    List<String> ids() {
        return List.copyOf(own.keySet());
    }
}
