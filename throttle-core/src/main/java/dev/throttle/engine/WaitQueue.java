package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait. Most stand in line, in one line for each class of {@link Priority},
 * and {@link Turns} tells which class is next. A set of all whose wait is bounded tells whose patience ends first.
 *
 * <p>A call that has to wait for something of its own, such as its backoff, rests beside the line until that is over,
 * so that it does not delay others meanwhile. Joining, leaving and choosing take logarithmic time. Not thread-safe:
 * guarded by the engine's lock.
 */
final class WaitQueue {

    private final Turns turns;
    /** Those that are not empty, the highest class first. */
    private final Map<Priority, WaitLine> lines = new EnumMap<>(Priority.class);
    /** How many of each class wait, in line or resting. */
    private final Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);

    private final SortedSet<Waiter> resting = Waiter.by(waiter -> waiter.arrivedAt + waiter.rest.nanos());
    private final SortedSet<Waiter> deadlines = Waiter.by(waiter -> waiter.arrivedAt + waiter.boundNanos());
    private int size;
    private int asynchronousInLine;
    private boolean passesOver;
    private long lined;

    WaitQueue(Turns turns) {
        this.turns = turns;
    }

    private static @Nullable Waiter first(SortedSet<Waiter> waiters) {
        return waiters.isEmpty() ? null : waiters.first();
    }

    /**
     * Passes over those in line that the number of requests in flight bounds, or does not any more. Other calls do not
     * wait behind them meanwhile.
     */
    void passOverBounded(boolean value) {
        if (value != passesOver) {
            passesOver = value;
            for (WaitLine line : lines.values()) {
                boolean wasClear = line.isClear();
                line.passOverBounded(value);
                if (wasClear && !line.isClear()) {
                    turns.joins(line.priority);
                }
            }
        }
    }

    /** {@return the next call; null if the line is empty, or all calls are passed over} */
    @Nullable Waiter head(long now) {
        Collection<WaitLine> candidates = passesOver ? withoutClear() : lines.values();
        if (candidates.size() > 1) {
            return turns.next(candidates, now);
        }
        turns.standsAlone();
        return candidates.isEmpty() ? null : candidates.iterator().next().first();
    }

    private List<WaitLine> withoutClear() {
        return lines.values().stream().filter(line -> !line.isClear()).toList();
    }

    /** {@return the first call in line, also if it is passed over; null if the line is empty} */
    @Nullable Waiter firstInLine() {
        return lines.isEmpty() ? null : lines.values().iterator().next().firstOfAll();
    }

    /** {@return whether the line is empty; calls may be resting} */
    boolean isLineEmpty() {
        return lines.isEmpty();
    }

    /** {@return whether nobody in line delays others: there is nobody, or all are passed over} */
    boolean isLineClear() {
        return lines.isEmpty() || (passesOver && lines.values().stream().allMatch(WaitLine::isClear));
    }

    /** {@return all that wait, in line or resting} */
    int size() {
        return size;
    }

    /** {@return all of a class that wait, in line or resting} */
    int size(Priority priority) {
        return waiting.getOrDefault(priority, 0);
    }

    /** {@return how many times a call took a place so far} */
    long waitsSoFar() {
        return lined;
    }

    boolean hasAsynchronousInLine() {
        return asynchronousInLine > 0;
    }

    /**
     * {@return what the callers in line will take who are certainly ahead of a newcomer: those of its class} Without
     * those that are passed over.
     */
    Cost costAhead(Priority priority) {
        WaitLine line = lines.get(priority);
        return line == null ? Cost.NONE : line.cost();
    }

    /**
     * {@return those in line whose allowed wait ends before an instant and who come after so many requests of their own
     * class, the last of each class first} Others may be among them. Looks at those who are hasty or at those who come
     * so late, whichever are fewer, as it is done for each answer.
     */
    List<Waiter> behind(long requests, long before) {
        long late = 0;
        for (WaitLine line : lines.values()) {
            late += line.requestsBehind(requests);
        }
        Set<Waiter> hasty = new HashSet<>();
        long looks = late;
        for (Waiter waiter : deadlines) {
            if (looks-- <= 0 || waiter.arrivedAt + waiter.boundNanos() - before >= 0) {
                break;
            }
            if (!waiter.resting && !waiter.isRetry()) {
                hasty.add(waiter);
            }
        }
        boolean areMore = looks < 0;
        List<Waiter> behind = new ArrayList<>();
        for (WaitLine line : lines.values()) {
            behind.addAll(areMore ? line.behind(requests) : line.behind(requests, hasty));
        }
        return behind;
    }

    /** {@return the caller of a class behind all others of it; null if there is none, or if it tries again} */
    @Nullable Waiter last(Priority priority) {
        WaitLine line = lines.get(priority);
        return line == null ? null : line.last();
    }

    /** {@return the call that may be dropped for a newcomer: the oldest of the lowest class; null if there is none} */
    @Nullable Waiter leastFor(Priority newcomer) {
        Waiter least = null;
        for (WaitLine line : lines.values()) {
            Waiter oldest = line.priority.compareTo(newcomer) < 0 ? null : line.oldestNewcomer();
            least = oldest == null ? least : oldest;
        }
        return least;
    }

    /** {@return the caller whose allowed wait ends first, in line or resting; null if no wait is bounded} */
    @Nullable Waiter earliestDeadline() {
        return first(deadlines);
    }

    /** {@return the caller whose rest ends first; null if none rests} */
    @Nullable Waiter firstToRise() {
        return first(resting);
    }

    /** {@return any call that waits, in line or resting; null if none does} */
    @Nullable Waiter any() {
        return lines.isEmpty() ? firstToRise() : firstInLine();
    }

    /** The time since an instant does not count for any bound. */
    void prolong(long since, long now) {
        revise(waiter -> waiter.prolong(since, now));
    }

    /** Changes what callers may wait, how long they rest, or what others have to reckon with because of them. */
    void revise(Consumer<Waiter> change) {
        List<Waiter> rests = List.copyOf(resting);
        resting.clear();
        deadlines.clear();
        for (Waiter waiter : rests) {
            change.accept(waiter);
            resting.add(waiter);
            bound(waiter);
        }
        for (WaitLine line : lines.values()) {
            line.revise(change.andThen(this::bound));
        }
    }

    /** {@return those who rest for longer than they may wait} */
    List<Waiter> restingInVain() {
        List<Waiter> inVain = new ArrayList<>(resting);
        inVain.removeIf(waiter -> waiter.rest.nanos() <= waiter.allowedNanos);
        return inVain;
    }

    void rest(Waiter waiter) {
        add(waiter);
        waiter.resting = true;
        resting.add(waiter);
    }

    private void add(Waiter waiter) {
        waiter.order = lined++;
        waiting.merge(waiter.priority, 1, Integer::sum);
        size++;
        bound(waiter);
    }

    private void bound(Waiter waiter) {
        if (waiter.boundNanos() != Waiter.NEVER) {
            deadlines.add(waiter);
        }
    }

    /** The rest of a caller is over. */
    void rise(Waiter waiter) {
        remove(waiter);
        lineUp(waiter);
    }

    void lineUp(Waiter waiter) {
        add(waiter);
        WaitLine line = lines.get(waiter.priority);
        if (line == null) {
            line = new WaitLine(waiter.priority);
            line.passOverBounded(passesOver);
            lines.put(waiter.priority, line);
            turns.joins(waiter.priority);
        }
        line.add(waiter);
        asynchronousInLine += waiter.isBlocking() ? 0 : 1;
    }

    /** The head is let go, and has had its turn. */
    void go(Waiter head, long now) {
        turns.goes(head, now);
        remove(head);
    }

    void remove(Waiter waiter) {
        waiting.merge(waiter.priority, -1, Integer::sum);
        size--;
        deadlines.remove(waiter);
        if (waiter.resting) {
            resting.remove(waiter);
            waiter.resting = false;
            return;
        }
        WaitLine line = Objects.requireNonNull(lines.get(waiter.priority));
        line.remove(waiter);
        if (line.isEmpty()) {
            lines.remove(waiter.priority);
        }
        asynchronousInLine -= waiter.isBlocking() ? 0 : 1;
    }
}
