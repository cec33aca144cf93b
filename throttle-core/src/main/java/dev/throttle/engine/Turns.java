package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.PriorityPolicy;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is when callers of several classes wait. Each class has a clock that advances by what its callers take,
 * slowly where its weight is high; the class whose clock would be the earliest goes next, the higher one of equals. A
 * class that comes back to the line begins at the latest turn taken: it saves nothing up, and owes nothing for what no
 * other class wanted. The same holds for a class that could not go while others could.
 *
 * <p>A call may wait for something of its own: the sleep of a strategy, or the reserve that its class leaves to those
 * above it. Such a call does not delay others. Guarded by the engine's lock.
 */
final class Turns {

    /** The advance for one request of a class of weight 1. */
    private static final long STEP = 1 << 20;

    private PriorityPolicy policy;
    private final ControllerSet controls;
    private long promoteNanos;
    private boolean reserves;
    /** What the callers of each class got so far, by weight. */
    private final Map<Priority, Long> turns = new EnumMap<>(Priority.class);

    /** The latest turn that was taken. */
    private long clock;
    /** When the first call is ready that waits for something of its own, as of the last choice. */
    private long readyAfterNanos = Waiter.NEVER;

    Turns(PriorityPolicy policy, ControllerSet controls) {
        this.controls = controls;
        this.policy = policy;
        follow(policy);
    }

    /** Goes on by another policy; the turns that were taken stay. */
    void follow(PriorityPolicy next) {
        policy = next;
        promoteNanos = Nanos.of(next.promoteAfter());
        reserves = QuotaReserve.isAskedFor(next);
    }

    /** A class joins that had no call in line, or whose calls could not go. */
    void joins(Priority priority) {
        turns.merge(priority, clock, Turns::later);
    }

    /** The first of a line is let go. */
    void goes(Waiter first, long now) {
        long turn = turn(first, now);
        turns.put(first.priority, turn);
        clock = later(clock, turn);
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    /** {@return the clock of a class once its first has gone} */
    private long turn(Waiter first, long now) {
        int weight = weight(standing(first.call, now));
        return turns.getOrDefault(first.priority, clock)
                + STEP / weight * first.cost().requests();
    }

    private int weight(Priority priority) {
        return policy.weights().getOrDefault(priority, 1);
    }

    /** {@return the class that a call counts as, after all the time it has waited} */
    private Priority standing(CallState call, long now) {
        long steps = Math.max(0, call.ageNanos(now)) / promoteNanos;
        return switch (call.priority()) {
            case INTERACTIVE -> Priority.INTERACTIVE;
            case NORMAL -> steps > 0 ? Priority.INTERACTIVE : Priority.NORMAL;
            case BATCH -> steps > 1 ? Priority.INTERACTIVE : steps > 0 ? Priority.NORMAL : Priority.BATCH;
        };
    }

    /** {@return which share of each limit a call leaves to others} */
    double reserve(CallState call, long now) {
        return reserves ? reserve(standing(call, now)) : 0;
    }

    /** {@return which share of each limit a newcomer leaves to others} */
    double reserve(Priority priority) {
        return policy.reserves().getOrDefault(priority, 0.0);
    }

    /** {@return how long a call still waits, were it at the head, for the controllers and the reserve of its class} */
    Wait waitOf(CallState call, Cost ahead, Scope scope, long now) {
        Wait wait = controls.waitOf(call, ahead, 0, scope, now);
        double reserve = reserve(call, now);
        if (reserve <= 0) {
            return wait;
        }
        Wait held = controls.waitOf(call, ahead, reserve, scope, now);
        long promotion = promoteNanos - Math.max(0, call.ageNanos(now)) % promoteNanos;
        return held.nanos() > promotion ? wait.longer(new Wait(promotion, held.reason())) : held;
    }

    /** {@return how long a call waits for something of its own, which does not delay others} */
    long ownNanos(CallState call, long now) {
        long own = controls.sleepLeft(call, now).nanos();
        if (reserve(call, now) > 0) {
            Wait held = waitOf(call, Cost.NONE, call.scope(), now);
            own = held.nanos()
                            > controls.waitOf(call, Cost.NONE, 0, call.scope(), now)
                                    .nanos()
                    ? Math.max(own, held.nanos())
                    : own;
        }
        if (own > 0) {
            readyAfterNanos = Math.min(readyAfterNanos, own);
        }
        return own;
    }

    /** {@return which is next of the calls that are first in their lines; null if there are none} */
    @Nullable Waiter next(Collection<WaitLine> lines, long now) {
        Waiter best = null;
        long bestOwn = 0;
        long bestTurn = 0;
        for (WaitLine line : lines) {
            Waiter first = line.first();
            long own = ownNanos(first.call, now);
            line.ownNanos = own;
            long turn = turn(first, now);
            if (best == null || own < bestOwn || (own == bestOwn && turn - bestTurn < 0)) {
                best = first;
                bestOwn = own;
                bestTurn = turn;
            }
        }
        for (WaitLine line : lines) {
            if (line.ownNanos > bestOwn) {
                joins(line.priority); // it could not have gone: what it leaves to others it does not save up
            }
        }
        return best;
    }

    /** The choice begins: none waits for something of its own, as far as is known. */
    void choose() {
        readyAfterNanos = Waiter.NEVER;
    }

    /** {@return whether the first of one line goes before the first of another} */
    boolean isBefore(Waiter one, Waiter other, long now) {
        if (one.priority == other.priority) {
            return WaitLine.isBefore(one, other);
        }
        long later = turn(one, now) - turn(other, now);
        return later == 0 ? one.priority.compareTo(other.priority) < 0 : later < 0;
    }

    /** {@return when to choose again at the latest, from the last choice on} */
    long readyAfterNanos() {
        return readyAfterNanos;
    }
}
