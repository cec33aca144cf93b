package dev.throttle;

import dev.throttle.Waiter.Place;
import dev.throttle.control.Controller;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryFacts;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Admits the requests of one key.
 *
 * <p><b>Fast path.</b> While nobody waits, the gate is open and every controller is at rest, {@link InFlightCounter}
 * counts requests in and out, and that is all.
 *
 * <p><b>Slow path.</b> Everything else happens under a lock that is never held while anything blocks. Whatever could
 * change who may go, an arrival, the end of a request, a cancellation, the alarm, is told to the
 * {@link AdmissionQueue}; who is to hear of it hears it when the lock is free.
 */
final class Engine {

    private final Throttle throttle;
    private final ThrottleConfig config;
    private final TimeSource time;
    private final long maxWaitNanos;
    private final InFlightCounter traffic;
    private final Telemetry telemetry;
    private final Gauges gauges;
    private final ResponseReader responses;

    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom random;
    private final Gate gate;
    private final ControllerSet controls;
    private final GuardChain guards;
    private final RetryBudget budget;
    private final AdmissionQueue dispatcher;

    Engine(Throttle throttle, ThrottleConfig config, long seed) {
        this.throttle = throttle;
        this.config = config;
        this.time = config.time();
        this.maxWaitNanos = Nanos.of(config.maxWait());
        long now = time.nanoTime();
        this.random = new SplittableRandom(seed);
        this.traffic = new InFlightCounter(now);
        this.controls = new ControllerSet(config.strategies(), random.split());
        this.gate = new Gate(config.retryAfterJitter(), config.maxRetryAfterJitter(), !controls.planResets());
        this.guards = new GuardChain(config.guards().stream()
                .map(guard -> Preconditions.required("guard", guard.apply(throttle.key())))
                .toList());
        this.budget = new RetryBudget(config.retryPolicy(), now);
        this.dispatcher = new AdmissionQueue(traffic, gate, controls, new WakeupTimer(time, lock, this::look));
        this.telemetry = new Telemetry(throttle, config.listeners());
        this.gauges = new Gauges(gate, traffic);
        this.responses = new ResponseReader(config.hintReader(), config.classifier());
        show(now);
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

    Executor executor() {
        return config.executor();
    }

    GuardChain guards() {
        return guards;
    }

    /** {@return the most permits that a call may take} */
    int maxPermits() {
        return controls.maxPermits();
    }

    boolean isRetired() {
        return traffic.isRetired();
    }

    boolean isUnused() {
        return traffic.admitted() == 0;
    }

    long count(Outcome outcome) {
        Counters counters = telemetry.counters;
        return outcome == Outcome.SUCCESS
                ? counters.successes(traffic.ended())
                : counters.ended(outcome).sum();
    }

    /** Admits a request if nothing stands in its way and nobody wants to know. */
    boolean tryEnterFast(long now) {
        return traffic.tryAdmit(now);
    }

    /** Admits a request of one permit if it may go at once. */
    @Nullable Permit tryEnter(@Nullable ThrottledCall call) {
        long now = now();
        if (traffic.tryAdmit(now)) {
            return new Permit(this, call, now);
        }
        boolean admitted;
        Waiter ready;
        lock.lock();
        try {
            if (traffic.isRetired()) {
                return null;
            }
            now = now();
            dispatcher.drain(now);
            admitted = dispatcher.tryAdmit(CallOptions.DEFAULT.permits(), now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
        return admitted ? new Permit(this, call, now) : null;
    }

    /**
     * Admits the next attempt of a call, or puts it in the queue.
     *
     * @return the place in the queue; null if it was admitted at once
     */
    @Nullable Waiter enter(ThrottledCall call, boolean blocking) throws ThrottleRejectedException {
        if (!call.isRetry() && traffic.tryAdmit(call.waitBeganAt())) {
            call.admitted(call.waitBeganAt());
            return null;
        }
        Waiter ready = null;
        Waiter waiter = null;
        Refusal refusal = null;
        boolean retired;
        lock.lock();
        try {
            retired = traffic.isRetired();
            if (!retired) {
                long now = now();
                dispatcher.drain(now);
                if (!call.isRetry()) {
                    call.draw(random.nextDouble());
                }
                long wait = dispatcher.admitOrWait(call, now);
                if (!call.isAdmitted()) {
                    long left = call.leftNanos(maxWaitNanos);
                    refusal = refuseInAdvance(call, wait, left, now);
                    if (refusal == null) {
                        waiter = new Waiter(this, call, blocking, left);
                        dispatcher.enqueue(waiter, wait, now);
                    }
                }
                ready = publish(now);
            }
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
        if (retired) {
            call.moveTo(throttle.successor());
            return call.engine().enter(call, blocking);
        }
        if (refusal != null) {
            throw reject(call, refusal.neededNanos, refusal.allowedNanos, refusal.reason);
        }
        return waiter;
    }

    /**
     * Admits an attempt that nobody can keep from going.
     *
     * @return the permit
     */
    Permit acquireForced(ThrottledCall call) {
        long now = now();
        if (traffic.tryAdmit(now)) {
            return new Permit(this, call, now);
        }
        Waiter ready = null;
        boolean retired;
        lock.lock();
        try {
            retired = traffic.isRetired();
            if (!retired) {
                now = now();
                dispatcher.acquireForced(call.options().permits(), now);
                ready = publish(now);
            }
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
        if (retired) {
            call.moveTo(throttle.successor());
            return call.engine().acquireForced(call);
        }
        return new Permit(this, call, now);
    }

    private record Refusal(long neededNanos, long allowedNanos, String reason) {}

    /** What cannot make it in time does not begin to wait. */
    private @Nullable Refusal refuseInAdvance(ThrottledCall call, long wait, long left, long now) {
        long soFar = now - call.waitBeganAt();
        long needed = soFar + ControllerSet.known(wait);
        if (!call.isRetry() && dispatcher.queue().size() >= config.maxWaiting()) {
            return new Refusal(needed, left, "queue-full");
        }
        boolean hopeless = wait == ControllerSet.UNTIL_SIGNAL ? left <= soFar : wait > 0 && wait > left - soFar;
        if (hopeless) {
            return new Refusal(needed, left, dispatcher.reason());
        }
        String limit = dispatcher.turnsAway(call, now);
        return limit == null ? null : new Refusal(needed, controls.maxWaitNanos(limit), limit);
    }

    /** Describes which guard refused a call, and tells everybody. */
    ThrottleRejectedException reject(ThrottledCall call, AdmissionGuard guard) {
        String name = "guard";
        Duration needed = Duration.ZERO;
        try {
            name = guard.name();
            needed = guard.retryAfter();
        } catch (Throwable e) {
            guards.faults().report(e);
        }
        long soFar = Math.max(0, now() - call.waitBeganAt());
        return reject(call, Nanos.plus(soFar, Math.max(0, Nanos.of(needed))), soFar, name);
    }

    /** Describes why a call may not go, and tells everybody. */
    ThrottleRejectedException reject(ThrottledCall call, long neededNanos, long allowedNanos, String reason) {
        ThrottleRejectedException rejection =
                ThrottleRejectedException.of(throttle.key(), call, neededNanos, allowedNanos, reason, time);
        telemetry.onRejected(rejection);
        return rejection;
    }

    /** Ends a permit whose request need not be repeated. */
    void end(Signal signal, Permit permit) {
        Outcome outcome = signal.outcome();
        telemetry.count(outcome);
        boolean mattersToSomebody = traffic.end();
        if (mattersToSomebody
                || outcome.isRefusal()
                || outcome == Outcome.FAILED
                || !signal.hints().isEmpty()) {
            Waiter ready;
            lock.lock();
            try {
                long now = now();
                learn(signal, permit, outcome.isRefusal() ? 1 : 0, now);
                dispatcher.drain(now);
                ready = publish(now);
            } finally {
                lock.unlock();
            }
            Trampoline.deliver(ready);
        }
        telemetry.onEnd(signal);
    }

    /** Ends a permit and decides what becomes of its request. */
    RetryDecision complete(Permit permit, Signal signal, int status) {
        permit.endOnce();
        permit.tellGuards(signal);
        Outcome outcome = signal.outcome();
        if (!outcome.isRefusal() && outcome != Outcome.FAILED) {
            permit.answered();
            end(signal, permit);
            return outcome == Outcome.CANCELLED ? StopReason.CANCELLED.decision() : StopReason.ANSWERED.decision();
        }
        telemetry.count(outcome);
        traffic.end();
        ThrottledCall call = permit.call();
        call.failed(outcome.isRefusal(), outcome != Outcome.RATE_LIMITED, status);
        boolean guarded = guards.isRefusing();
        Waiter ready;
        RetryDecision decision;
        lock.lock();
        try {
            long now = now();
            long sleep = learn(signal, permit, call.refusals(), now);
            call.prepareRetry(outcome.isRefusal() ? sleep : ThrottledCall.NOT_REFUSED, random.nextDouble(), now);
            decision = decide(call, signal, guarded, now);
            call.decided(decision);
            dispatcher.drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
        telemetry.onEnd(signal);
        telemetry.onRetryDecision(decision);
        return decision;
    }

    private RetryDecision decide(ThrottledCall call, Signal signal, boolean guarded, long now) {
        if (call.isCancelled()) {
            return StopReason.CANCELLED.decision();
        }
        if (guarded) {
            return StopReason.GUARD.decision();
        }
        long wait = dispatcher.waitNanos(call, 0, now);
        long needed = wait == ControllerSet.UNTIL_SIGNAL ? 1 : wait; // nobody knows: not for ever, and not at once
        boolean spaced = gate.waitNanos(now) > 0 || controls.isAdaptive();
        long left = call.leftNanos(maxWaitNanos);
        RetryPolicy policy = config.retryPolicy();
        RetryDecision decision =
                policy.decide(call.facts(signal, policy.maxAttempts(), spaced, needed, left, random.nextDouble()));
        boolean budgeted = decision.isRetry() && signal.outcome() != Outcome.RATE_LIMITED;
        return budgeted && !budget.tryWithdraw(traffic.inTenSeconds(now), now)
                ? StopReason.BUDGET.decision()
                : decision;
    }

    /** Foretells a decision as far as it can be told before anybody has learned from the signal. */
    boolean previewRetry(ThrottledCall call, Signal signal) {
        if (call.isCancelled() || guards.isRefusing()) {
            return false;
        }
        Duration named = signal.outcome().isRefusal() ? signal.hints().refusalWait() : null;
        lock.lock();
        try {
            long now = now();
            long needed = Math.max(gate.waitNanos(now), named == null ? 0 : Nanos.of(named));
            RetryPolicy policy = config.retryPolicy();
            RetryFacts facts = call.foretoldFacts(signal, policy.maxAttempts(), needed, call.leftNanos(maxWaitNanos));
            return policy.decide(facts).isRetry()
                    && (signal.outcome() == Outcome.RATE_LIMITED || budget.allows(traffic.inTenSeconds(now), now));
        } finally {
            lock.unlock();
        }
    }

    /** Hands a signal to everybody who learns from it; {@return how long a refused call sleeps} */
    private long learn(Signal signal, Permit permit, int refusals, long now) {
        Signal heard = signal.outcome() == Outcome.IGNORED ? Signal.IGNORED : signal; // hints of a cache are old
        if (!heard.hints().isEmpty()) {
            gauges.quotas().put(heard.hints().quotas(), now);
            gate.onSignal(heard, random.nextDouble(), now);
        }
        return dispatcher.learn(heard, permit, refusals, now);
    }

    /** Looks at the head again. */
    void look() {
        Waiter ready;
        lock.lock();
        try {
            long now = now();
            dispatcher.drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
    }

    /** Looks whether a caller in the queue may go, on its own thread. */
    void look(Waiter waiter) {
        Waiter ready;
        lock.lock();
        try {
            long now = now();
            dispatcher.look(waiter, now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        Trampoline.deliver(ready);
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
            dispatcher.withdraw(waiter, now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        telemetry.counters.cancelledWaiting.increment();
        Trampoline.deliver(ready);
        return true;
    }

    /**
     * Shows the state to gauges, and opens or closes the fast path.
     *
     * @return the asynchronous callers to be told, once the lock is free
     */
    private @Nullable Waiter publish(long now) {
        show(now);
        return dispatcher.takeReady();
    }

    private void show(long now) {
        WaitQueue queue = dispatcher.queue();
        gauges.publish(now, controls, queue);
        traffic.setSlow(!queue.isLineEmpty() || gate.waitNanos(now) > 0 || !controls.isIdle());
    }

    /**
     * Whether nothing would be lost with this throttle but what its controllers have learned; if so it admits no more.
     */
    boolean tryRetire() {
        lock.lock();
        try {
            return dispatcher.queue().size() == 0 && gate.waitNanos(now()) <= 0 && traffic.tryRetire();
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
}
