package dev.throttle.engine;

import dev.throttle.Priority;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
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
        int going = 0;
        WaitLine only = null;
        for (WaitLine line : lines.values()) {
            if (!line.isClear()) {
                going++;
                only = line;
            }
        }
        if (going > 1) {
            head = turns.next(going == lines.size() ? lines.values() : goingLines(), now);
        } else {
            head = only == null ? null : only.first();
        }
    }

    private List<WaitLine> goingLines() {
        List<WaitLine> going = new ArrayList<>(lines.values());
        going.removeIf(WaitLine::isClear);
        return going;
    }

    /** {@return the caller of a class behind all others of it; null if there is none, or if it tries again} */
    @Nullable Waiter last(Priority priority) {
        WaitLine line = lines.get(priority);
        return line == null ? null : line.last();
    }

    int size() {
        int size = 0;
        for (WaitLine line : lines.values()) {
            size += line.size();
        }
        return size;
    }

    /** {@return the first in line of the highest class, passed over or not} */
    Waiter firstOfAll() {
        return lines.values().iterator().next().firstOfAll();
    }
}
