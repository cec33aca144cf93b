package dev.throttle;

import dev.throttle.Waiter.Place;
import dev.throttle.control.Controller;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Admits the requests of one key.
 *
 * <p><b>Fast path.</b> While nobody waits, the gate is open and every controller is at rest, {@link Traffic} counts
 * requests in and out, and that is all.
 *
 * <p><b>Slow path.</b> Everything else happens under a lock that is never held while anything blocks. Callers that may
 * not go stand in a queue, and only its head has a due time. Whatever could change that time looks at the head again:
 * an arrival, the end of a request, a cancellation, the alarm.
 */
final class Engine {

    private final Throttle throttle;
    private final ThrottleConfig config;
    private final TimeSource time;
    private final long maxWaitNanos;
    private final Traffic traffic;
    private final Telemetry telemetry;
    private final Gauges gauges;
    private final ResponseReader responses;

    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom random;
    private final WaitQueue queue = new WaitQueue();
    private final Gate gate;
    private final Controls controls;
    private final RetryBudget budget;
    private final Alarm alarm;
    private final EndedRequest ended = new EndedRequest();

    /** What limited the caller looked at last. */
    private String reason = "";
    /** What the head last waited for; what stood behind it waited for that too. */
    private String heldBackBy = "";
    /** How long the head had to wait when it was looked at last. */
    private long headWaitNanos;
    /** Asynchronous callers that have left the queue and are to be told, linked by {@code next}. */
    private @Nullable Waiter firstReady;

    private @Nullable Waiter lastReady;

    Engine(Throttle throttle, ThrottleConfig config, long seed) {
        this.throttle = throttle;
        this.config = config;
        this.time = config.time();
        this.maxWaitNanos = Nanos.of(config.maxWait());
        long now = time.nanoTime();
        this.random = new SplittableRandom(seed);
        this.traffic = new Traffic(now);
        this.gate = new Gate(config.retryAfterJitter(), config.maxRetryAfterJitter());
        this.controls = new Controls(config.strategies(), random.split());
        this.budget = new RetryBudget(config.retryPolicy(), now);
        this.alarm = new Alarm(time, lock, this::look);
        this.telemetry = new Telemetry(throttle, config.listeners());
        this.gauges = new Gauges(gate, traffic);
        this.responses = new ResponseReader(config.hintReader(), config.classifier());
        publish(now);
    }

    TimeSource time() {
        return time;
    }

    long now() {
        return time.nanoTime();
    }

    Gauges gauges() {
        return gauges;
    }

    Telemetry telemetry() {
        return telemetry;
    }

    boolean isRetired() {
        return traffic.isRetired();
    }

    /** Admits a request if nothing stands in its way and nobody wants to know. */
    boolean tryEnterFast(long now) {
        return traffic.tryAdmit(now);
    }

    /** Admits a request if it may go at once. */
    boolean tryEnter(int permits) {
        if (traffic.tryAdmit(now())) {
            return true;
        }
        boolean admitted = false;
        Waiter ready;
        lock.lock();
        try {
            long now = now();
            drain(now);
            if (queue.isEmpty() && !traffic.isRetired() && newcomerWaitNanos(permits, now) <= 0) {
                admit(permits, now);
                admitted = true;
            }
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        deliver(ready);
        return admitted;
    }

    private long newcomerWaitNanos(int permits, long now) {
        return Math.max(gate.waitNanos(now), controls.waitNanos(0, ThrottledCall.NOT_REFUSED, 0, 0, permits, now));
    }

    /**
     * Admits the next attempt of a call, or puts it in the queue.
     *
     * @return the place in the queue; null if it was admitted at once
     */
    @Nullable Waiter enter(ThrottledCall call, boolean blocking) throws ThrottleRejectedException {
        if (!call.isRetry() && traffic.tryAdmit(call.waitBeganAt())) {
            return null;
        }
        Waiter ready;
        Waiter waiter = null;
        ThrottleRejectedException rejection = null;
        lock.lock();
        try {
            if (traffic.isRetired()) {
                call.moveTo(throttle.successor());
                return call.engine().enter(call, blocking);
            }
            long now = now();
            drain(now);
            if (!call.isRetry()) {
                call.draw(random.nextDouble());
            }
            long wait = waitNanos(call, call.isRetry() ? 0 : queue.permits(), now);
            if (wait <= 0 && queue.isEmpty()) {
                admit(call.options().permits(), now);
            } else {
                long left = call.leftNanos(maxWaitNanos);
                rejection = rejectInAdvance(call, wait, left, now);
                if (rejection == null) {
                    waiter = new Waiter(this, call, blocking, left);
                    queue.add(waiter);
                    drain(now);
                }
            }
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        deliver(ready);
        if (rejection != null) {
            telemetry.onRejected(rejection);
            throw rejection;
        }
        return waiter;
    }

    /** Admits an attempt that nobody can keep from going. */
    void charge(ThrottledCall call) {
        if (traffic.tryAdmit(now())) {
            return;
        }
        Waiter ready;
        lock.lock();
        try {
            if (traffic.isRetired()) {
                call.moveTo(throttle.successor());
                call.engine().charge(call);
                return;
            }
            long now = now();
            admit(call.options().permits(), now);
            drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        deliver(ready);
    }

    /** What cannot make it in time does not begin to wait. */
    private @Nullable ThrottleRejectedException rejectInAdvance(ThrottledCall call, long wait, long left, long now) {
        long needed = wait;
        if (!call.isRetry() && !queue.isEmpty() && headWaitNanos > needed) {
            needed = headWaitNanos;
            Waiter head = queue.head();
            reason = head == null ? reason : head.reason;
        }
        long soFar = now - call.waitBeganAt();
        if (queue.size() >= config.maxWaiting()) {
            return rejection(call, Math.max(0, soFar + Math.min(needed, Nanos.MAX)), left, "queue-full");
        }
        boolean hopeless = needed == Controls.UNTIL_SIGNAL ? left <= soFar : needed > left - soFar;
        return hopeless && needed > 0 ? rejection(call, soFar + Math.min(needed, Nanos.MAX), left, reason) : null;
    }

    /** Describes why a call may not go. */
    ThrottleRejectedException rejection(ThrottledCall call, long neededNanos, long allowedNanos, String why) {
        return ThrottleRejectedException.of(throttle.key(), call, neededNanos, allowedNanos, why, time);
    }

    /** Ends a permit whose request need not be repeated. */
    void end(Signal signal, Permit permit) {
        telemetry.count(signal.outcome());
        boolean mattersToSomebody = traffic.end();
        boolean refused = signal.outcome().isRefusal();
        if (mattersToSomebody
                || refused
                || signal.outcome() == Outcome.FAILED
                || !signal.hints().isEmpty()) {
            Waiter ready;
            lock.lock();
            try {
                long now = now();
                learn(signal, permit.permits(), refused ? 1 : 0, now);
                drain(now);
                ready = publish(now);
            } finally {
                lock.unlock();
            }
            deliver(ready);
        }
        telemetry.onEnd(signal);
    }

    /** Ends a permit and decides what becomes of its request. */
    RetryDecision complete(Permit permit, Signal signal, int status) {
        permit.endOnce();
        Outcome outcome = signal.outcome();
        boolean refused = outcome.isRefusal();
        if (!refused && outcome != Outcome.FAILED) {
            end(signal, permit);
            return outcome == Outcome.CANCELLED ? StopReason.CANCELLED.decision() : StopReason.ANSWERED.decision();
        }
        ThrottledCall call = permit.call();
        call.failed(refused, outcome != Outcome.THROTTLED, status);
        telemetry.count(outcome);
        traffic.end();
        Waiter ready;
        RetryDecision decision;
        lock.lock();
        try {
            long now = now();
            long sleep = learn(signal, permit.permits(), call.refusals(), now);
            call.prepareRetry(refused ? sleep : ThrottledCall.NOT_REFUSED, random.nextDouble(), now);
            decision = decide(call, signal, now);
            call.decided(decision);
            drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        deliver(ready);
        telemetry.onEnd(signal);
        telemetry.onRetryDecision(decision);
        return decision;
    }

    private RetryDecision decide(ThrottledCall call, Signal signal, long now) {
        if (call.isCancelled()) {
            return StopReason.CANCELLED.decision();
        }
        long needed = waitNanos(call, 0, now);
        RetryPolicy policy = config.retryPolicy();
        RetryDecision decision = policy.decide(
                call.facts(signal, policy.maxAttempts(), needed, call.leftNanos(maxWaitNanos), random.nextDouble()));
        boolean budgeted = decision.isRetry() && signal.outcome() != Outcome.THROTTLED;
        return budgeted && !budget.tryWithdraw(traffic.inTenSeconds(now), now)
                ? StopReason.BUDGET.decision()
                : decision;
    }

    /** Hands a signal to everybody who learns from it; {@return how long a refused call sleeps} */
    private long learn(Signal signal, int permits, int refusals, long now) {
        ended.permits = permits;
        ended.now = now;
        if (!signal.hints().isEmpty()) {
            gauges.quotas().put(signal.hints().quotas(), now);
            gate.onSignal(signal, random.nextDouble(), now);
        }
        return controls.onSignal(signal, refusals, ended, now);
    }

    /** How long a call still has to wait, were it at the head; 0 or less if it may go. */
    private long waitNanos(ThrottledCall call, long permitsAhead, long now) {
        long slept = now - call.waitBeganAt();
        long wait = controls.waitNanos(
                slept,
                call.retrySleepNanos(),
                call.random(),
                permitsAhead,
                call.options().permits(),
                now);
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

    /** Lets go whoever may go, and turns away whoever cannot make it any more. */
    private void drain(long now) {
        Waiter head = admitDue(now);
        long gateWait = Math.max(0, gate.waitNanos(now));
        Waiter impatient = queue.mostImpatient();
        while (impatient != null && isHopeless(impatient, gateWait, now)) {
            turnAway(impatient, gateWait, now);
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
            if (wait > 0) {
                head.reason = reason;
                heldBackBy = reason;
            } else if (head.reason.isEmpty()) {
                head.reason = heldBackBy;
            }
            headWaitNanos = wait;
            if (wait <= 0) {
                queue.remove(head);
                admit(head.permits(), now);
                head.grantedAt = now;
                head.call.waited(now - head.arrivedAt);
                settle(head, Place.GRANTED);
            } else if (isHopeless(head, wait, now)) {
                turnAway(head, wait, now);
            } else {
                return head;
            }
            head = queue.head();
        }
        return null;
    }

    private static boolean isHopeless(Waiter waiter, long wait, long now) {
        long left = waiter.leftNanos(now);
        return left != Waiter.NEVER && (left <= 0 || (wait > left && wait != Controls.UNTIL_SIGNAL));
    }

    private void turnAway(Waiter waiter, long wait, long now) {
        queue.remove(waiter);
        long known = wait == Controls.UNTIL_SIGNAL ? 0 : Math.min(wait, Nanos.MAX);
        waiter.neededNanos = Math.max(waiter.allowedNanos, now - waiter.arrivedAt + known);
        if (waiter.reason.isEmpty()) {
            waiter.reason = gate.waitNanos(now) > 0 ? gate.reason() : "queue";
        }
        settle(waiter, Place.REJECTED);
    }

    private void settle(Waiter waiter, Place place) {
        waiter.place = place;
        if (waiter.thread != null) {
            LockSupport.unpark(waiter.thread);
        } else if (lastReady == null) {
            firstReady = waiter;
            lastReady = waiter;
        } else {
            lastReady.next = waiter;
            lastReady = waiter;
        }
    }

    /** Sees to it that somebody looks again when the head is due, or when somebody's patience ends. */
    private void arm(@Nullable Waiter head, long now) {
        if (head == null) {
            alarm.clear();
            return;
        }
        if (head.thread != null) {
            long wake = headWaitNanos == Controls.UNTIL_SIGNAL
                    ? head.allowedNanos
                    : Math.min(head.allowedNanos, Nanos.plus(now - head.arrivedAt, headWaitNanos));
            boolean sooner = wake < head.wakeAfterNanos;
            head.wakeAfterNanos = wake;
            if (sooner && head.thread != Thread.currentThread()) {
                LockSupport.unpark(head.thread);
            }
        }
        if (queue.hasAsynchronous()) {
            Waiter impatient = queue.mostImpatient();
            long look = Math.min(headWaitNanos, impatient == null ? Waiter.NEVER : impatient.leftNanos(now));
            if (look != Waiter.NEVER) {
                alarm.set(look, now);
            }
        } else {
            alarm.clear();
        }
    }

    /** Looks at the head again. */
    void look() {
        Waiter ready;
        lock.lock();
        try {
            long now = now();
            drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        deliver(ready);
    }

    /**
     * Takes a caller out of the queue.
     *
     * @return false if it has left the queue already
     */
    boolean withdraw(Waiter waiter) {
        Waiter ready;
        lock.lock();
        try {
            if (waiter.place != Place.QUEUED) {
                return false;
            }
            long now = now();
            queue.remove(waiter);
            waiter.place = Place.CANCELLED;
            if (waiter.thread != null) {
                LockSupport.unpark(waiter.thread);
            }
            drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        telemetry.counters.cancelledWaiting.increment();
        deliver(ready);
        return true;
    }

    private void deliver(@Nullable Waiter ready) {
        Waiter waiter = ready;
        while (waiter != null) {
            Waiter following = waiter.next;
            waiter.next = null;
            waiter.deliverOn(config.executor());
            waiter = following;
        }
    }

    /**
     * Shows the state to gauges, and opens or closes the fast path.
     *
     * @return the asynchronous callers to be told, once the lock is free
     */
    private @Nullable Waiter publish(long now) {
        gauges.publish(now, controls, queue);
        traffic.setSlow(!queue.isEmpty() || gate.waitNanos(now) > 0 || !controls.isIdle());
        Waiter ready = firstReady;
        firstReady = null;
        lastReady = null;
        return ready;
    }

    /**
     * Whether nothing would be lost with this throttle but what its controllers have learned; if so it admits no more.
     */
    boolean tryRetire() {
        lock.lock();
        try {
            return queue.isEmpty() && gate.waitNanos(now()) <= 0 && traffic.tryRetire();
        } finally {
            lock.unlock();
        }
    }

    /** {@return what a controller tells about itself; null if none tells anything of this type} */
    <T extends Controller.Report> @Nullable T report(Class<T> type) {
        lock.lock();
        try {
            return controls.report(type);
        } finally {
            lock.unlock();
        }
    }

    Signal signalOf(ResponseHead response) {
        return responses.read(response, time.currentTimeMillis());
    }

    private final class EndedRequest implements dev.throttle.control.RateController.Load {

        private int permits;
        private long now;

        @Override
        public int permits() {
            return permits;
        }

        @Override
        public int inFlight() {
            return traffic.inFlight();
        }

        @Override
        public int waiting() {
            return queue.size();
        }

        @Override
        public double requestsPerSecond() {
            return traffic.perSecond(now);
        }
    }
}
