package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides who goes next, and when: the queue, the gate and the controllers of a throttle together. Only the head of the
 * queue has a due time; whatever could change it is followed by a {@link #drain}. Guarded by the engine's lock.
 */
final class AdmissionQueue {

    private final InFlightCounter traffic;
    private final Gate gate;
    private final ControllerSet controls;
    private final RunState run;
    private final WakeupTimer alarm;
    private final Turns turns;
    private final Obstacles obstacles;
    private final WaitQueue queue;
    private final Room room;

    /** What the head of the queue waits for, and with it everybody behind, as of the last drain. */
    private Wait lineWait = Wait.NONE;
    /** The head whose thread was told when to look again. */
    private @Nullable Waiter timed;

    private final ReadyList ready = new ReadyList();

    AdmissionQueue(
            EnginePolicy policy,
            InFlightCounter traffic,
            Gate gate,
            ControllerSet controls,
            RunState run,
            WakeupTimer alarm) {
        this.turns = new Turns(policy.priorities(), controls);
        this.obstacles = new Obstacles(gate, controls, run, turns);
        this.queue = new WaitQueue(turns);
        this.room = new Room(queue, policy);
        this.traffic = traffic;
        this.gate = gate;
        this.controls = controls;
        this.run = run;
        this.alarm = alarm;
    }

    void follow(EnginePolicy policy) {
        turns.follow(policy.priorities());
        room.follow(policy);
    }

    Room room() {
        return room;
    }

    WaitQueue queue() {
        return queue;
    }

    /** {@return what tells what a call has to wait for} */
    Obstacles obstacles() {
        return obstacles;
    }

    /** {@return what the first in line waits for, as of the last drain} */
    Wait lineWait() {
        return lineWait;
    }

    /** {@return what keeps everybody from going, whoever comes next} */
    Wait heldBy(long now) {
        Wait server = gate.waitAt(now);
        return queue.isLineEmpty() ? server : server.longer(lineWait);
    }

    /** Admits a request that has no call if it may go at once and nobody stands in line. */
    boolean tryAdmit(CallOptions options, Cost cost, long now) {
        boolean free = run.isRunning()
                && queue.isLineEmpty()
                && gate.waitNanos(now) <= 0
                && controls.letsGo(cost, turns.reserve(options.priority()), now)
                && controls.shares().tryTake(cost, now);
        if (free) {
            admit(cost, now);
        }
        return free;
    }

    /** Admits a request that nobody can keep from going. */
    void acquireForced(Cost cost, long now) {
        controls.shares().takeForced(cost, now);
        admit(cost, now);
        drain(now);
    }

    /**
     * Admits a call if it may go at once and nobody stands in line; to be called after a drain.
     *
     * @return the least wait it still has, as far as it is known
     */
    Wait admitOrWait(CallState call, long now) {
        Wait wait = obstacles.waitOf(call, call.isRetry() ? Cost.NONE : queue.costAhead(call.priority()), now);
        if (!queue.isLineEmpty()) {
            boolean behindHead = !call.isRetry() && timed != null && timed.priority == call.priority();
            return behindHead ? wait.longer(lineWait) : wait;
        }
        if (wait.isOver() && run.refusal(call) == null && controls.shares().tryTake(call.cost(), now)) {
            admit(call.cost(), now);
            call.admitted(now);
        }
        return wait;
    }

    /** {@return the longest wait that is accepted for the limit that turns away a newcomer; null if none does} */
    @Nullable Wait turnsAway(CallState call, long now) {
        return call.isRetry() ? null : controls.turnsAway(queue.costAhead(call.priority()), call.cost(), now);
    }

    /**
     * Puts a caller in the queue.
     *
     * @param wait the least wait it has, as far as it is known
     * @return the same as it is known now; none if it has left the queue already
     */
    Wait enqueue(Waiter waiter, Wait wait, long now) {
        Waiter least = room.inTheWayOf(waiter);
        if (least != null) {
            turnAway(least, new Wait(0, Rejections.DROPPED), now);
        }
        waiter.rest = restOf(waiter);
        if (waiter.restLeftNanos(now) > 0) {
            queue.rest(waiter);
        } else {
            if (waiter.isBlocking() && wait.nanos() > lineWait.nanos() && !queue.isLineEmpty()) {
                // It looks by itself when it may be due: a head whose thread sleeps too long holds nobody up, and
                // nobody need be woken only to be told that it is the head now.
                waiter.lookAgainAfter(wait, now);
            }
            queue.lineUp(waiter);
        }
        drain(now);
        if (waiter.place != Place.QUEUED) {
            return Wait.NONE;
        }
        return wait.isOver() ? lineWait : wait; // it could go, were it not for others
    }

    /** {@return what keeps a caller beside the line, and nobody else} */
    Wait restOf(Waiter waiter) {
        return controls.ownSleep(waiter.call).longer(Wait.of(waiter.call.backoffNanos(), Obstacles.BACKOFF));
    }

    /** A caller in the queue looks for itself. If it is not due yet it is told again when it is the head. */
    void look(Waiter waiter, long now) {
        waiter.wakeAfterNanos = run.standsStill() ? Waiter.NEVER : waiter.allowedNanos;
        drain(now);
    }

    private void admit(Cost cost, long now) {
        traffic.admit(now);
        controls.onAdmitted(cost, now);
    }

    /** Tells the controllers how a request ended; {@return how long a refused call sleeps} */
    long learn(Signal signal, Cost cost, long admittedAt, int refusals, long now) {
        // From here on every end comes to the lock: one that did not would be missed by a controller that, in the
        // light of this signal, waits for the next.
        traffic.setSlow(true);
        return controls.onSignal(signal, refusals, load(cost, admittedAt, now), now);
    }

    /** Tells the controllers something about the server that is not the end of a request. */
    void hear(Signal signal, Cost cost, long admittedAt, long now) {
        controls.onHeard(signal, load(cost, admittedAt, now), now);
    }

    TrafficLoad load(Cost cost, long admittedAt, long now) {
        return new TrafficLoad(
                cost, admittedAt, traffic.inFlight(), traffic.admitted(), queue.size(), traffic.perSecond(now));
    }

    /** Lets go whoever may go, and turns away whoever cannot make it any more. */
    void drain(long now) {
        if (run.catchUp(now)) {
            queue.prolong(run.stoodStillSince(), now);
        }
        if (run.isClosed()) {
            turnAwayAll(now);
            return;
        }
        for (Waiter rested = queue.firstToRise();
                rested != null && rested.restLeftNanos(now) <= 0;
                rested = queue.firstToRise()) {
            rested.reason = rested.rest.reason();
            queue.rise(rested);
        }
        Waiter head = admitDue(now);
        Waiter impatient = mostImpatient();
        Wait server = impatient == null ? Wait.NONE : gate.waitAt(now);
        while (impatient != null) {
            Wait known = impatient.resting ? server.longer(impatient.restLeft(now)) : server;
            if (!isHopeless(impatient, known, now)) {
                break;
            }
            turnAway(impatient, known.isOver() ? new Wait(0, lineWait.reason()) : known, now);
            impatient = mostImpatient();
        }
        if (head != queue.head(now)) {
            head = admitDue(now); // the head was among the impatient
        }
        arm(head, now);
    }

    /** {@return the head that has to wait; null if nobody is left} */
    private @Nullable Waiter admitDue(long now) {
        Waiter head = queue.head(now);
        while (head != null) {
            Wait wait = obstacles.takeOrStand(head.call, now);
            if (wait.isOver()) {
                queue.go(head, now);
                admit(head.cost(), now);
                head.call.admitted(now);
                String waitedFor = head.reason.isEmpty() ? lineWait.reason() : head.reason;
                settle(head, Place.GRANTED, waitedFor, now - head.arrivedAt);
            } else {
                head.waitsFor(wait, now);
                lineWait = wait.because(head.reason);
                if (run.standsStill() || !isHopeless(head, wait, now)) {
                    return head;
                }
                turnAway(head, lineWait, now);
            }
            head = queue.head(now);
        }
        return null;
    }

    private static boolean isHopeless(Waiter waiter, Wait wait, long now) {
        long left = waiter.leftNanos(now);
        return left != Waiter.NEVER && (left <= 0 || (wait.nanos() > left && !wait.isUntilSignal()));
    }

    void turnAway(Waiter waiter, Wait wait, long now) {
        queue.remove(waiter);
        long needed = now - waiter.arrivedAt;
        if (!wait.reason().equals(Rejections.DROPPED)) { // who is dropped did not wait for anything that takes longer
            Wait known = obstacles.known(waiter.call, wait, Cost.NONE, now);
            needed = Math.max(waiter.allowedNanos, needed + known.knownNanos());
        }
        boolean isForPause = run.isPaused() && waiter.leftNanos(now) <= 0;
        settle(waiter, Place.REJECTED, isForPause ? RunState.PAUSED : wait.reason(), needed);
    }

    private void turnAwayAll(long now) {
        for (Waiter waiter = queue.any(); waiter != null; waiter = queue.any()) {
            queue.remove(waiter);
            settle(waiter, Place.REJECTED, RunState.CLOSED, now - waiter.arrivedAt);
        }
        arm(null, now);
    }

    /** {@return whose patience ends first; null if nobody's does} */
    private @Nullable Waiter mostImpatient() {
        return run.standsStill() ? null : queue.earliestDeadline();
    }

    /** Takes a caller out of the queue that gave up. */
    void withdraw(Waiter waiter, long now) {
        queue.remove(waiter);
        waiter.settle(Place.CANCELLED, "", 0);
        drain(now);
    }

    private void settle(Waiter waiter, Place place, String reason, long nanos) {
        waiter.settle(place, reason, nanos);
        if (!waiter.isBlocking()) {
            ready.add(waiter);
        }
    }

    /** {@return the asynchronous callers that have to be told, once the lock is free} */
    @Nullable Waiter takeReady() {
        return ready.take();
    }

    /** Sees to it that somebody looks again when the head is due, when a rest or when somebody's patience ends. */
    private void arm(@Nullable Waiter head, long now) {
        if (timed != null && timed != head) {
            timed.wakeAfterNanos = timed.allowedNanos; // somebody went ahead of it: it need not look any more
        }
        timed = head;
        if (head == null) {
            controls.shares().leave(now);
        }
        if (head != null && head.isBlocking()) {
            head.lookAgainAfter(lineWait, now);
            if (run.standsStill()) {
                head.wakeAfterNanos = Waiter.NEVER;
            }
        }
        long look = turns.readyAfterNanos();
        boolean isHeadTimed = head != null && queue.hasAsynchronousInLine();
        if (isHeadTimed) {
            look = Math.min(look, lineWait.nanos());
        }
        Waiter resting = queue.firstToRise();
        if (resting != null) {
            look = Math.min(look, resting.restLeftNanos(now));
        }
        Waiter impatient = isHeadTimed || resting != null ? mostImpatient() : null;
        if (impatient != null) {
            look = Math.min(look, impatient.leftNanos(now));
        }
        if (look == Waiter.NEVER) {
            alarm.clear();
        } else {
            alarm.set(Math.min(look, Nanos.MAX), now);
        }
    }
}
