package dev.throttle;

import dev.throttle.Waiter.Place;
import dev.throttle.control.RateController;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides who goes next, and when: the queue, the gate and the controllers of a throttle together. Only the head of the
 * queue has a due time; whatever could change it is followed by a {@link #drain}. Guarded by the throttle's lock.
 */
final class AdmissionQueue implements RateController.Load {

    private final InFlightCounter traffic;
    private final Gate gate;
    private final ControllerSet controls;
    private final WakeupTimer alarm;
    private final WaitQueue queue = new WaitQueue();

    /** What limited the caller looked at last. */
    private String reason = "";
    /** What the head of the queue waited for when it was looked at last, and with it everybody behind. */
    private String headReason = "";
    /** How long the head had to wait when it was looked at last. */
    private long headWaitNanos;
    /** The head whose thread was told when to look again. */
    private @Nullable Waiter timed;
    /** Asynchronous callers that have left the queue and are to be told, linked by {@code next}. */
    private @Nullable Waiter firstReady;

    private @Nullable Waiter lastReady;

    /** Of the request whose end the controllers are being told. */
    private int endedPermits;

    private long endedWasAdmittedAt;
    private long endedAt;

    AdmissionQueue(InFlightCounter traffic, Gate gate, ControllerSet controls, WakeupTimer alarm) {
        this.traffic = traffic;
        this.gate = gate;
        this.controls = controls;
        this.alarm = alarm;
    }

    WaitQueue queue() {
        return queue;
    }

    /** {@return what limited the caller looked at last} */
    String reason() {
        return reason;
    }

    /** Admits a request that has no call if it may go at once and nobody stands in line. */
    boolean tryAdmit(int permits, long now) {
        boolean free = queue.isLineEmpty()
                && gate.waitNanos(now) <= 0
                && controls.waitNanos(0, ThrottledCall.NOT_REFUSED, 0, 0, permits, now) <= 0;
        if (free) {
            admit(permits, now);
        }
        return free;
    }

    /** Admits a request that nobody can keep from going. */
    void acquireForced(int permits, long now) {
        admit(permits, now);
        drain(now);
    }

    /**
     * Admits a call if it may go at once and nobody stands in line; to be called after a drain.
     *
     * @return the least wait it still has, with its {@link #reason()}; 0 or less if it does not know of any
     */
    long admitOrWait(ThrottledCall call, long now) {
        long wait = waitNanos(call, call.isRetry() ? 0 : queue.permitsInLine(), now);
        if (queue.isLineEmpty()) {
            if (wait <= 0) {
                admit(call.options().permits(), now);
                call.admitted(now);
            }
        } else if (!call.isRetry() && headWaitNanos > wait) {
            reason = headReason;
            return headWaitNanos;
        }
        return wait;
    }

    /** {@return the limit that turns away a newcomer, who would have to wait for it for too long; null if none does} */
    @Nullable String turnsAway(ThrottledCall call, long now) {
        return call.isRetry()
                ? null
                : controls.turnsAway(queue.permitsInLine(), call.options().permits(), now);
    }

    /**
     * Puts a caller in the queue.
     *
     * @param wait the least wait it has, as far as it is known
     */
    void enqueue(Waiter waiter, long wait, long now) {
        if (waiter.call.backoffNanos() > now - waiter.arrivedAt) {
            queue.rest(waiter);
        } else {
            if (waiter.isBlocking() && wait > headWaitNanos && !queue.isLineEmpty()) {
                // It looks by itself when it may be due: a head whose thread sleeps too long holds nobody up, and
                // nobody need be woken only to be told that it is the head now.
                waiter.lookAgainAfter(wait, now);
            }
            queue.lineUp(waiter);
        }
        drain(now);
    }

    /** A caller in the queue looks for itself. If it is not due yet it is told again when it is the head. */
    void look(Waiter waiter, long now) {
        waiter.wakeAfterNanos = waiter.allowedNanos;
        drain(now);
    }

    /** How long a call still has to wait, were it at the head; 0 or less if it may go. */
    long waitNanos(ThrottledCall call, long permitsAhead, long now) {
        long slept = now - call.waitBeganAt();
        int permits = call.options().permits();
        long wait = controls.waitNanos(slept, call.retrySleepNanos(), call.random(), permitsAhead, permits, now);
        reason = controls.reason();
        long gateWait = gate.waitNanos(now);
        if (gateWait > wait && gateWait > 0) {
            wait = gateWait;
            reason = gate.reason();
        }
        long backoff = call.backoffNanos() - slept;
        if (backoff > wait && backoff > 0) {
            wait = backoff;
            reason = "backoff";
        }
        return wait;
    }

    private void admit(int permits, long now) {
        traffic.admit(now);
        controls.onAdmitted(permits, now);
    }

    /** Tells the controllers how a request ended; {@return how long a refused call sleeps} */
    long learn(Signal signal, Permit permit, int refusals, long now) {
        // From here on every end comes to the lock: one that did not would be missed by a controller that, in the
        // light of this signal, waits for the next.
        traffic.setSlow(true);
        endedPermits = permit.permits();
        endedWasAdmittedAt = permit.grantedAt();
        endedAt = now;
        return controls.onSignal(signal, refusals, this, now);
    }

    /** Lets go whoever may go, and turns away whoever cannot make it any more. */
    void drain(long now) {
        for (Waiter rested = queue.firstToRise();
                rested != null && rested.backoffLeftNanos(now) <= 0;
                rested = queue.firstToRise()) {
            headReason = queue.isLineEmpty() ? "backoff" : headReason;
            queue.rise(rested);
        }
        Waiter head = admitDue(now);
        long gateWait = Math.max(0, gate.waitNanos(now));
        Waiter impatient = queue.mostImpatient();
        while (impatient != null && isHopeless(impatient, gateWait, now)) {
            turnAway(impatient, gateWait, gateWait > 0 ? gate.reason() : headReason, now);
            impatient = queue.mostImpatient();
        }
        if (head != queue.head()) {
            head = admitDue(now); // the head was among the impatient
        }
        arm(head, now);
    }

    /** {@return the head that has to wait; null if nobody is left} */
    private @Nullable Waiter admitDue(long now) {
        Waiter head = queue.head();
        while (head != null) {
            long wait = waitNanos(head.call, 0, now);
            headWaitNanos = wait;
            if (wait <= 0) {
                queue.remove(head);
                admit(head.permits(), now);
                head.call.admitted(now);
                head.grant(headReason, now);
                settle(head, Place.GRANTED);
            } else {
                headReason = reason;
                if (!isHopeless(head, wait, now)) {
                    return head;
                }
                turnAway(head, wait, reason, now);
            }
            head = queue.head();
        }
        return null;
    }

    private static boolean isHopeless(Waiter waiter, long wait, long now) {
        long left = waiter.leftNanos(now);
        return left != Waiter.NEVER && (left <= 0 || (wait > left && wait != ControllerSet.UNTIL_SIGNAL));
    }

    private void turnAway(Waiter waiter, long wait, String why, long now) {
        queue.remove(waiter);
        waiter.refuse(Math.max(waiter.allowedNanos, now - waiter.arrivedAt + ControllerSet.known(wait)), why);
        settle(waiter, Place.REJECTED);
    }

    /** Takes a caller out of the queue that gave up. */
    void withdraw(Waiter waiter, long now) {
        queue.remove(waiter);
        waiter.place = Place.CANCELLED;
        waiter.unpark();
        drain(now);
    }

    private void settle(Waiter waiter, Place place) {
        waiter.place = place;
        if (waiter.isBlocking()) {
            waiter.unpark();
        } else if (lastReady == null) {
            firstReady = waiter;
            lastReady = waiter;
        } else {
            lastReady.next = waiter;
            lastReady = waiter;
        }
    }

    /** {@return the asynchronous callers that have to be told, once the lock is free} */
    @Nullable Waiter takeReady() {
        Waiter ready = firstReady;
        firstReady = null;
        lastReady = null;
        return ready;
    }

    /** Sees to it that somebody looks again when the head is due, when a backoff or when somebody's patience ends. */
    private void arm(@Nullable Waiter head, long now) {
        if (timed != null && timed != head) {
            timed.wakeAfterNanos = timed.allowedNanos; // a retry went ahead of it: it need not look any more
        }
        timed = head;
        if (head != null && head.isBlocking()) {
            head.lookAgainAfter(headWaitNanos, now);
        }
        long look = Waiter.NEVER;
        if (head != null && queue.hasAsynchronousInLine()) {
            Waiter impatient = queue.mostImpatient();
            look = Math.min(headWaitNanos, impatient == null ? Waiter.NEVER : impatient.leftNanos(now));
        }
        Waiter resting = queue.firstToRise();
        if (resting != null) {
            look = Math.min(look, resting.backoffLeftNanos(now));
        }
        if (look == Waiter.NEVER) {
            alarm.clear();
        } else {
            alarm.set(look, now);
        }
    }

    @Override
    public int permits() {
        return endedPermits;
    }

    @Override
    public long admittedAtNanos() {
        return endedWasAdmittedAt;
    }

    @Override
    public int inFlight() {
        return traffic.inFlight();
    }

    @Override
    public long admitted() {
        return traffic.admitted();
    }

    @Override
    public int waiting() {
        return queue.size();
    }

    @Override
    public double requestsPerSecond() {
        return traffic.perSecond(endedAt);
    }
}
