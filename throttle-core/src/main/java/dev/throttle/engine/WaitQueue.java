package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait. Most stand in line, in one line for each class of {@link Priority},
 * and {@link Turns} tells which class is next. A heap of all whose wait is bounded tells whose patience ends first.
 *
 * <p>A call that has to wait for something of its own, such as its backoff, rests beside the line until that is over,
 * so that it does not delay others meanwhile. Nothing here takes more than logarithmic time. Not thread-safe: guarded
 * by the engine's lock.
 */
final class WaitQueue {

    private static final int CLASSES = Priority.values().length;

    private final Turns turns;
    /** The line of a class comes into being with the first caller of that class. */
    private final @Nullable WaitLine[] lines = new @Nullable WaitLine[CLASSES];

    private final int[] waiting = new int[CLASSES];

    private final WaiterHeap resting = new WaiterHeap.ByTurn() {
        @Override
        long instant(Waiter waiter) {
            return waiter.arrivedAt + waiter.rest.nanos();
        }
    };

    private final WaiterHeap deadlines = new WaiterHeap() {
        @Override
        long instant(Waiter waiter) {
            return waiter.arrivedAt + waiter.boundNanos();
        }

        @Override
        int index(Waiter waiter) {
            return waiter.deadlineIndex;
        }

        @Override
        void index(Waiter waiter, int index) {
            waiter.deadlineIndex = index;
        }
    };

    private int inLine;
    private int asynchronousInLine;
    private int busyLines;
    private long lined;

    WaitQueue(Turns turns) {
        this.turns = turns;
    }

    /** {@return where the line of a class is} */
    private static int rank(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> 0;
            case NORMAL -> 1;
            case BATCH -> 2;
        };
    }

    /** {@return the next call; null if the line is empty} */
    @Nullable Waiter head(long now) {
        if (busyLines > 1) {
            return turns.next(lines, now);
        }
        turns.standsAlone();
        for (WaitLine line : lines) {
            if (line != null && !line.isEmpty()) {
                return line.first();
            }
        }
        return null;
    }

    /** {@return whether the line is empty; calls may be resting} */
    boolean isLineEmpty() {
        return inLine == 0;
    }

    /** {@return all that wait, in line or resting} */
    int size() {
        return inLine + resting.size();
    }

    /** {@return all of a class that wait, in line or resting} */
    int size(Priority priority) {
        return waiting[rank(priority)];
    }

    /** {@return how many times a call took a place so far} */
    long waitsSoFar() {
        return lined;
    }

    boolean hasAsynchronousInLine() {
        return asynchronousInLine > 0;
    }

    /** {@return what the callers in line will take who are certainly ahead of a newcomer: those of its class} */
    Cost costAhead(Priority priority) {
        WaitLine line = lines[rank(priority)];
        return line == null ? Cost.NONE : line.cost();
    }

    /** {@return the call that may be dropped for a newcomer: the oldest of the lowest class; null if there is none} */
    @Nullable Waiter leastFor(Priority newcomer) {
        for (int i = CLASSES - 1; i >= rank(newcomer); i--) {
            WaitLine line = lines[i];
            if (line != null && line.oldestNewcomer() != null) {
                return line.oldestNewcomer();
            }
        }
        return null;
    }

    /** {@return the caller whose allowed wait ends first, in line or resting; null if no wait is bounded} */
    @Nullable Waiter earliestDeadline() {
        return deadlines.first();
    }

    /** {@return the caller whose rest ends first; null if none rests} */
    @Nullable Waiter firstToRise() {
        return resting.first();
    }

    /** {@return any call that waits, in line or resting; null if none does} */
    @Nullable Waiter any() {
        for (WaitLine line : lines) {
            if (line != null && !line.isEmpty()) {
                return line.first();
            }
        }
        return firstToRise();
    }

    /** The time since an instant does not count for any bound. */
    void prolong(long since, long now) {
        revise(waiter -> waiter.prolong(since, now));
    }

    /** Changes what callers may wait, how long they rest, or what others have to reckon with because of them. */
    void revise(Consumer<Waiter> change) {
        for (Waiter waiter = deadlines.first(); waiter != null; waiter = deadlines.first()) {
            deadlines.remove(waiter);
        }
        List<Waiter> rests = new ArrayList<>();
        for (Waiter waiter = resting.first(); waiter != null; waiter = resting.first()) {
            resting.remove(waiter);
            rests.add(waiter);
        }
        for (Waiter waiter : rests) {
            change.accept(waiter);
            resting.add(waiter);
            bound(waiter);
        }
        for (WaitLine line : lines) {
            if (line != null) {
                line.revise(waiter -> {
                    change.accept(waiter);
                    bound(waiter);
                });
            }
        }
    }

    /** {@return those who rest for longer than they may wait} */
    List<Waiter> restingInVain() {
        List<Waiter> inVain = new ArrayList<>();
        resting.forEach(waiter -> {
            if (waiter.rest.nanos() > waiter.allowedNanos) {
                inVain.add(waiter);
            }
        });
        return inVain;
    }

    void rest(Waiter waiter) {
        waiter.resting = true;
        waiter.order = lined++;
        resting.add(waiter);
        isIn(waiter);
    }

    private void isIn(Waiter waiter) {
        waiting[rank(waiter.priority)]++;
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
        waiter.order = lined++;
        WaitLine line = line(waiter.priority);
        if (line.isEmpty()) {
            busyLines++;
            turns.joins(line);
        }
        line.add(waiter);
        inLine++;
        if (!waiter.isBlocking()) {
            asynchronousInLine++;
        }
        isIn(waiter);
    }

    private WaitLine line(Priority priority) {
        WaitLine line = lines[rank(priority)];
        if (line == null) {
            line = new WaitLine();
            lines[rank(priority)] = line;
        }
        return line;
    }

    /** The head is let go, and has had its turn. */
    void go(Waiter head, long now) {
        turns.goes(line(head.priority), head, now);
        remove(head);
    }

    void remove(Waiter waiter) {
        waiting[rank(waiter.priority)]--;
        if (deadlines.contains(waiter)) {
            deadlines.remove(waiter);
        }
        if (waiter.resting) {
            resting.remove(waiter);
            waiter.resting = false;
            return;
        }
        WaitLine line = line(waiter.priority);
        line.remove(waiter);
        if (line.isEmpty()) {
            busyLines--;
        }
        inLine--;
        if (!waiter.isBlocking()) {
            asynchronousInLine--;
        }
    }
}
