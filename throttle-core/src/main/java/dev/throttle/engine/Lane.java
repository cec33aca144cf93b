package dev.throttle.engine;

import dev.throttle.Priority;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The callers in line that the same quotas of the server count: one line for each class of {@link Priority}. A lane
 * does not wait for what only another one has to wait for. Guarded by the engine's lock.
 */
final class Lane {

    /** What its callers have in common, see {@link Routes#line}. */
    final long quotas;
    /** Those that are not empty, the highest class first. */
    final Map<Priority, WaitLine> lines = new EnumMap<>(Priority.class);

    /** Which of its callers is next, as of the last choice; null if all are passed over, or before the first choice. */
    @Nullable Waiter head;
    /** What the head waits for, as of the last choice. */
    Wait own = Wait.NONE;
    /** The same, and what it waits for because others go before it. All in this lane wait for it. */
    Wait wait = Wait.NONE;

    /** How long the head waits for something of its own, which does not delay other lanes; 0 if there are none. */
    long ownNanos;
    /** Whether the head stands in line for a limit that is shared with other throttles. */
    boolean isStanding;

    Lane(long quotas) {
        this.quotas = quotas;
    }

    /** Chooses its head: the next of its callers that are not passed over; none if all are. */
    void choose(Turns turns, long now) {
        Collection<WaitLine> candidates = lines.values();
        if (candidates.stream().anyMatch(WaitLine::isClear)) {
            candidates = candidates.stream().filter(line -> !line.isClear()).toList();
        }
        if (candidates.size() > 1) {
            head = turns.next(candidates, now);
        } else {
            head = candidates.isEmpty() ? null : candidates.iterator().next().first();
        }
    }

    /** {@return the caller of a class behind all others of it; null if there is none, or if it tries again} */
    @Nullable Waiter last(Priority priority) {
        WaitLine line = lines.get(priority);
        return line == null ? null : line.last();
    }

    int size() {
        return lines.values().stream().mapToInt(WaitLine::size).sum();
    }

    /** {@return the first in line of the highest class, passed over or not} */
    Waiter firstOfAll() {
        return lines.values().iterator().next().firstOfAll();
    }
}
