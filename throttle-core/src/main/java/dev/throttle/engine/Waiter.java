package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A caller in the queue, blocking or asynchronous. All fields belong to the engine's lock unless they say otherwise.
 */
final class Waiter {

    /** Where a waiter stands. Every waiter leaves {@code QUEUED} exactly once, under the lock. */
    enum Place {
        QUEUED,
        GRANTED,
        REJECTED,
        CANCELLED
    }

    /** The wait of an asynchronous caller. Without the lock. */
    interface Settlement {

        /** The waiter has left the queue. */
        void settled(Waiter waiter);

        /** The call is given up. */
        default void giveUp() {}

        /** {@return whether the number of requests in flight bounds it} */
        default boolean isBounded() {
            return false;
        }
    }

    /** A deadline or an instant to wake at that never comes. */
    static final long NEVER = Long.MAX_VALUE;
    /** A head may be passed for so long after the time at which it was to go. */
    private static final long FAIR_NANOS = 1_000_000_000L;

    /** Since when a waiter has been the head of its lane, and until when it was to wait then. */
    private record Heading(long since, long until) {}

    final CallState call;
    /** The class in whose line it stands. */
    final Priority priority;
    /** The thread to wake if the caller blocks; otherwise the {@link Settlement} to tell. One field saves memory. */
    private final Object caller;
    /** When this wait began: the caller's arrival, or the end of the attempt that is to be repeated. */
    final long arrivedAt;
    /** The longest wait, from {@link #arrivedAt} on, or {@link #NEVER}. */
    long allowedNanos;
    /** How long it waits for a server that is away, from {@link #arrivedAt} on, or {@link #NEVER}. */
    long outageNanos = NEVER;

    /** Null if there is no listener. Set before it is in the queue. */
    @Nullable WaitTrail trail;

    /** Read without lock by the waiting thread. */
    volatile Place place = Place.QUEUED;
    /** When the waiting thread has to look again, from {@link #arrivedAt} on; read by it without lock. */
    volatile long wakeAfterNanos;

    /** What this caller waited for; set before {@link #place}. */
    String reason = "";
    /** How long the wait was, or would have been if it was rejected; set before {@link #place}. */
    long waitNanos;

    /** Until when it was known to wait when it stood at the head, from {@link #arrivedAt} on. */
    private long waitsUntilNanos;

    /** How long it rests beside the line, from {@link #arrivedAt} on, and why. */
    Wait rest = Wait.NONE;

    /** Whether it stands behind those in line although its call tries again. */
    boolean goesBehind;

    private Cost costInLine;

    /** The lane that it stands in, see {@link Lane#quotas}. */
    long lane;

    boolean resting;
    /** Its place among those that arrived at the same instant; no two waiters of a queue have the same. */
    long order;

    /** When it first stood at the head of its lane; null if it never has, as most. */
    private @Nullable Heading heading;
    /** The name of the server's quota that it could not wait for; null if it has none. Set before {@link #place}. */
    @Nullable String quota;

    private boolean claimed;

    /** Makes a waiter whose thread blocks, or, with a settlement, one that is asynchronous. */
    Waiter(CallState call, Cost costInLine, @Nullable Settlement settlement, long allowedNanos) {
        this.call = call;
        this.priority = call.priority();
        this.costInLine = costInLine;
        this.caller = settlement == null ? Thread.currentThread() : settlement;
        this.arrivedAt = call.waitBeganAt();
        this.allowedNanos = allowedNanos;
        this.wakeAfterNanos = allowedNanos;
    }

    /** {@return a set in the order of an instant, which must not change while a waiter is in the set} */
    static NavigableSet<Waiter> by(ToLongFunction<Waiter> instant) {
        return new TreeSet<>((a, b) -> {
            long later = instant.applyAsLong(a) - instant.applyAsLong(b);
            return Long.signum(later == 0 ? a.order - b.order : later);
        });
    }

    /** {@return a set in which waiters are as they came} */
    static NavigableSet<Waiter> inOrder() {
        return new TreeSet<>((a, b) -> Long.compare(a.order, b.order));
    }

    boolean isBlocking() {
        return caller instanceof Thread;
    }

    /** {@return whether the number of requests in flight bounds it} */
    boolean isBounded() {
        return caller instanceof Settlement settlement && settlement.isBounded();
    }

    boolean isRetry() {
        return call.isRetry();
    }

    /** {@return what it takes as others in line have to reckon with it} */
    Cost costInLine() {
        return costInLine;
    }

    Cost cost() {
        return call.cost();
    }

    /** How much of the allowed wait is left. */
    long leftNanos(long now) {
        return allowedNanos == NEVER ? NEVER : allowedNanos - (now - arrivedAt);
    }

    /**
     * {@return how long it waits at the most, from {@link #arrivedAt} on, whatever for; {@link #NEVER} for any time}
     */
    long boundNanos() {
        return Math.min(allowedNanos, outageNanos);
    }

    /** {@return which of the two bounds is the shorter} */
    Refusal.Bound bound() {
        return outageNanos < allowedNanos ? Refusal.Bound.OVERLOAD_WAIT : Refusal.Bound.MAX_WAIT;
    }

    /** {@return whether it has waited as long as it may} */
    boolean isOverdue(long now) {
        long bound = boundNanos();
        return bound != NEVER && bound <= now - arrivedAt;
    }

    long restLeftNanos(long now) {
        return rest.nanos() - (now - arrivedAt);
    }

    /** {@return what is left of its rest} */
    Wait restLeft(long now) {
        return Wait.of(restLeftNanos(now), rest.reason());
    }

    /** It stands at the head and has to wait. What decides when it may go is its reason, and remains so. */
    void waitsFor(Wait wait, long now) {
        long until = wait.isUntilSignal() ? NEVER : Nanos.plus(now - arrivedAt, wait.knownNanos());
        if (reason.isEmpty() || until > waitsUntilNanos) {
            reason = wait.reason();
        }
        waitsUntilNanos = until;
    }

    /** It stands at the head of its lane, and has to wait so long for itself. */
    void standsAtHead(Wait own, long now) {
        if (heading == null) {
            heading = new Heading(now, now + own.knownNanos());
        }
    }

    /**
     * {@return whether it is past the time at which it was to go by more than is fair, while what it still has to wait
     * for is near} Where two quotas that count it are free by turns only, others have taken its place.
     */
    boolean isLate(Wait own, long now) {
        Heading first = heading;
        return first != null && now - first.until() >= FAIR_NANOS && own.nanos() <= now - first.since();
    }

    void settle(Place left, String why, long nanos) {
        reason = why;
        waitNanos = nanos;
        place = left;
        unpark();
    }

    private void unpark() {
        if (caller instanceof Thread thread) {
            LockSupport.unpark(thread);
        }
    }

    /** Tells its thread when to look at the head again, unless something else wakes it before. */
    void lookAgainAfter(Wait wait, long now) {
        long wake = wait.isUntilSignal()
                ? boundNanos()
                : Math.min(boundNanos(), Nanos.plus(now - arrivedAt, wait.knownNanos()));
        boolean sooner = wake < wakeAfterNanos;
        wakeAfterNanos = wake;
        if (sooner && !Thread.currentThread().equals(caller)) {
            unpark();
        }
    }

    /** The time since an instant does not count for its bound. Not while it is in a set that is ordered by bounds. */
    void prolong(long since, long now) {
        if (allowedNanos != NEVER) {
            long by = now - (arrivedAt - since > 0 ? arrivedAt : since);
            allowedNanos = Nanos.plus(allowedNanos, by);
            outageNanos = outageNanos == NEVER ? NEVER : Nanos.plus(outageNanos, by);
            call.prolong(by);
            if (wakeAfterNanos == NEVER) {
                wakeAfterNanos = boundNanos();
                unpark();
            }
        }
    }

    /**
     * May wait for another time from now on, and is reckoned with otherwise. Not while it is in a set that is ordered
     * by bounds.
     *
     * @param standsStill whether bounds do not count at the moment
     */
    void revise(long allowed, long forOutage, Cost inLine, boolean standsStill) {
        allowedNanos = allowed;
        outageNanos = forOutage;
        costInLine = inLine;
        long wake = standsStill ? NEVER : boundNanos();
        boolean sooner = wake < wakeAfterNanos;
        wakeAfterNanos = wake;
        if (sooner) {
            unpark();
        }
    }

    /** Tells an asynchronous caller. Outside of the lock. */
    void deliver() {
        if (caller instanceof Settlement settlement) {
            settlement.settled(this);
        }
    }

    /**
     * Gives up the wait of an asynchronous caller. Outside of the lock. {@return whether the caller is asynchronous}
     */
    boolean giveUpAsynchronous() {
        if (caller instanceof Settlement settlement) {
            settlement.giveUp();
        }
        return !isBlocking();
    }

    /** Tells who follows the wait that it has ended. Outside of the lock. */
    void tellEnd(String why, long nanos, @Nullable Throwable failure) {
        if (trail != null) {
            trail.ended(why, nanos, failure);
        }
    }

    /** {@return whether the caller of this method is the first: the one who decides what becomes of the permit} */
    synchronized boolean claim() {
        boolean first = !claimed;
        claimed = true;
        return first;
    }
}
