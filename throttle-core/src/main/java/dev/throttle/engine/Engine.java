package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Rejections.Refusal;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits the requests of one key.
 *
 * <p><b>Fast path.</b> While nobody waits, the gate is open and every controller is at rest, {@link InFlightCounter}
 * counts requests in and out, and that is all.
 *
 * <p><b>Slow path.</b> Everything else happens under a lock that is never held while anything blocks. Whatever could
 * change who may go, an arrival, the end of a request, a cancellation, the timer, is told to the
 * {@link AdmissionQueue}; who is to hear of it hears it when the lock is free.
 */
public final class Engine {

    private final EngineSettings settings;
    private final String label;
    private final Events events;
    private final Supplier<Engine> successor;
    private final TimeSource time;
    private final long maxWaitNanos;
    private final InFlightCounter traffic;
    private final Counters counters = new Counters();
    private final Gauges gauges;
    private final ResponseReader responses;
    private final GuardChain guards;
    private final Rejections rejections;

    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom random;
    private final Gate gate;
    private final ControllerSet controls;
    private final RetryDecider retries;
    private final AdmissionQueue queue;
    /** Whether the rate began or ceased to be limited, and nobody was told yet. */
    private volatile boolean rateLimitChanged;

    /**
     * Makes an engine.
     *
     * @param settings the settings
     * @param label the key as it is shown
     * @param guards the guards of this key
     * @param seed the seed of all randomness
     * @param events hears what happens
     * @param successor gives the engine that takes over once this one has retired
     */
    public Engine(
            EngineSettings settings,
            String label,
            List<AdmissionGuard> guards,
            long seed,
            Events events,
            Supplier<Engine> successor) {
        this.settings = settings;
        this.label = label;
        this.events = events;
        this.successor = successor;
        this.time = settings.time();
        this.maxWaitNanos = Nanos.of(settings.maxWait());
        long now = time.nanoTime();
        this.random = new SplittableRandom(seed);
        this.traffic = new InFlightCounter(now);
        this.controls = new ControllerSet(settings.strategies(), random.split());
        this.gate = new Gate(settings.retryAfterJitter(), settings.maxRetryAfterJitter(), !controls.planResets());
        this.guards = new GuardChain(guards);
        this.retries = new RetryDecider(settings.retryPolicy(), traffic, now);
        this.queue = new AdmissionQueue(traffic, gate, controls, new WakeupTimer(time, lock, this::look));
        this.gauges = new Gauges(gate, traffic);
        this.rejections = new Rejections(settings.name(), label, time);
        this.responses = new ResponseReader(settings.hintReader(), settings.classifier());
        show(now);
        rateLimitChanged = false;
    }

    public TimeSource time() {
        return time;
    }

    public long now() {
        return time.nanoTime();
    }

    public Gauges gauges() {
        return gauges;
    }

    public Counters counters() {
        return counters;
    }

    EngineSettings settings() {
        return settings;
    }

    Events events() {
        return events;
    }

    GuardChain guards() {
        return guards;
    }

    Engine successor() {
        return successor.get();
    }

    /** {@return whether no guard stands beside it, so that a permit needs no call} */
    public boolean isUnguarded() {
        return guards.isEmpty();
    }

    /** {@return the most permits that a call may take} */
    public int maxPermits() {
        return controls.maxPermits();
    }

    public boolean isRetired() {
        return traffic.isRetired();
    }

    /** {@return whether no request was ever admitted} */
    public boolean isUnused() {
        return traffic.admitted() == 0;
    }

    /** {@return how many attempts have ended in one way} */
    public long count(Outcome outcome) {
        return outcome == Outcome.SUCCESS
                ? counters.successes(traffic.ended())
                : counters.ended(outcome).sum();
    }

    /** {@return what a response says} */
    public Signal signalOf(ResponseHead response) {
        return responses.read(response, time.currentTimeMillis());
    }

    /** Admits a request if nothing stands in its way and nobody wants to know. */
    public boolean tryEnterFast(long now) {
        return traffic.tryAdmit(now);
    }

    /** Admits a request of one permit if it may go at once and the engine has not retired. */
    public boolean tryEnter(long now) {
        if (traffic.tryAdmit(now)) {
            return true;
        }
        boolean admitted = false;
        Waiter ready = null;
        lock.lock();
        try {
            if (!traffic.isRetired()) {
                queue.drain(now);
                admitted = queue.tryAdmit(1, now);
                ready = publish(now);
            }
        } finally {
            lock.unlock();
        }
        tell(ready);
        return admitted;
    }

    /**
     * Admits the next attempt of a call, or puts it in the queue.
     *
     * @param settlement whom to tell; null if the calling thread waits
     * @return the place in the queue; null if it was admitted at once, or if the engine has retired
     */
    @Nullable Waiter enter(CallState call, Waiter.@Nullable Settlement settlement) throws ThrottleRejectedException {
        Waiter ready = null;
        Waiter waiter = null;
        Refusal refusal = null;
        lock.lock();
        try {
            if (!traffic.isRetired()) {
                long now = now();
                queue.drain(now);
                if (!call.isRetry()) {
                    call.draw(random.nextDouble());
                }
                Wait wait = queue.admitOrWait(call, now);
                if (!call.isAdmitted()) {
                    refusal = refuseInAdvance(call, wait, now);
                    if (refusal == null) {
                        waiter = new Waiter(call, settlement, call.leftNanos(maxWaitNanos));
                        queue.enqueue(waiter, wait, now);
                    }
                }
                ready = publish(now);
            }
        } finally {
            lock.unlock();
        }
        tell(ready);
        if (refusal != null) {
            throw reject(call, refusal);
        }
        return waiter;
    }

    /** Admits an attempt that nobody can keep from going; {@return when; null if the engine has retired} */
    @Nullable Long acquireForced(int permits) {
        long now = now();
        if (traffic.tryAdmit(now)) {
            return now;
        }
        Waiter ready;
        lock.lock();
        try {
            if (traffic.isRetired()) {
                return null;
            }
            now = now();
            queue.acquireForced(permits, now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        tell(ready);
        return now;
    }

    /** What cannot make it in time does not begin to wait. */
    private @Nullable Refusal refuseInAdvance(CallState call, Wait wait, long now) {
        long soFar = call.sleptNanos(now);
        long left = call.leftNanos(maxWaitNanos);
        long needed = Nanos.plus(soFar, wait.knownNanos());
        if (!call.isRetry() && queue.queue().size() >= settings.maxWaiting()) {
            return new Refusal(needed, left, Rejections.QUEUE_FULL, false);
        }
        if (wait.isUntilSignal() ? left <= soFar : wait.nanos() > 0 && wait.nanos() > left - soFar) {
            return new Refusal(needed, left, wait.reason(), false);
        }
        Wait limit = queue.turnsAway(call, now);
        return limit == null ? null : new Refusal(needed, limit.nanos(), limit.reason(), true);
    }

    /** Tells everybody that a guard refused a call. */
    ThrottleRejectedException reject(CallState call, AdmissionGuard guard) {
        return rejected(rejections.byGuard(call, guards.describe(guard), maxWaitNanos, now()));
    }

    /** Tells everybody that a call may not wait. */
    ThrottleRejectedException reject(CallState call, Refusal refusal) {
        return rejected(
                refusal.reason().equals(Rejections.QUEUE_FULL)
                        ? rejections.queueFull(
                                call, settings.maxWaiting(), refusal.neededNanos(), refusal.allowedNanos(), now())
                        : rejections.tooLong(call, refusal, maxWaitNanos, now()));
    }

    /** Turns a call away for a reason of its client's, which the throttle does not know. */
    ThrottleRejectedException reject(CallState call, String reason) {
        long left = call.leftNanos(maxWaitNanos);
        return reject(call, new Refusal(Math.max(left, call.waitingNanos(now())), left, reason, false));
    }

    private ThrottleRejectedException rejected(ThrottleRejectedException rejection) {
        counters.rejected.increment();
        events.onRejected(rejection);
        return rejection;
    }

    /** Ends an attempt that is not repeated. */
    public void end(Signal signal, int permits, long admittedAt) {
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        boolean mattersToSomebody = traffic.end();
        if (mattersToSomebody
                || outcome.isRefusal()
                || outcome == Outcome.FAILED
                || !signal.hints().isEmpty()) {
            underLock(now -> {
                learn(signal, permits, admittedAt, outcome.isRefusal() ? 1 : 0, now);
                queue.drain(now);
            });
        }
        tellEnd(signal);
    }

    /** Ends an attempt that was refused or failed, and decides what becomes of its request. */
    RetryDecision fail(CallState call, Signal signal, int status, long admittedAt) {
        Outcome outcome = signal.outcome();
        counters.count(outcome);
        traffic.end();
        call.failed(outcome, status);
        boolean guarded = guards.isRefusing();
        Waiter ready;
        RetryDecision decision;
        lock.lock();
        try {
            long now = now();
            long sleep = learn(signal, call.permits(), admittedAt, call.refusals(), now);
            call.prepareRetry(sleep, random.nextDouble(), now);
            decision = guarded && !call.isCancelled() ? StopReason.GUARD.decision() : decide(call, signal, now);
            call.decided(decision);
            queue.drain(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        tell(ready);
        tellEnd(signal);
        counters.count(decision);
        events.onRetryDecision(decision);
        return decision;
    }

    private RetryDecision decide(CallState call, Signal signal, long now) {
        long needed = queue.waitOf(call, 0, now).knownNanos();
        boolean spaced = gate.waitNanos(now) > 0 || controls.isAdaptive();
        return retries.decide(call, signal, spaced, needed, call.leftNanos(maxWaitNanos), random.nextDouble(), now);
    }

    /** Foretells a decision as far as it can be told before anybody has learned from the signal. */
    boolean previewRetry(CallState call, Signal signal) {
        if (call.isCancelled() || guards.isRefusing()) {
            return false;
        }
        Duration named = signal.outcome().isRefusal() ? signal.hints().refusalWait() : null;
        lock.lock();
        try {
            long now = now();
            long needed = Math.max(gate.waitNanos(now), named == null ? 0 : Nanos.of(named));
            return retries.foretell(call, signal, needed, call.leftNanos(maxWaitNanos), now);
        } finally {
            lock.unlock();
        }
    }

    /** Hands a signal to everybody who learns from it; {@return how long a refused call sleeps} */
    private long learn(Signal signal, int permits, long admittedAt, int refusals, long now) {
        Signal heard = signal.outcome() == Outcome.IGNORED ? Signal.IGNORED : signal; // hints of a cache are old
        if (!heard.hints().isEmpty()) {
            gauges.board().put(heard.hints().quotas(), now);
            gate.onSignal(heard, random.nextDouble(), now);
        }
        return queue.learn(heard, permits, admittedAt, refusals, now);
    }

    /** Looks at the head again. */
    private void look() {
        underLock(queue::drain);
    }

    /** Blocks the calling thread, which waits, until there may be news for it. */
    void park(Waiter waiter) {
        long wakeAfter = waiter.wakeAfterNanos;
        long now = now();
        long left = wakeAfter == Waiter.NEVER ? Waiter.NEVER : wakeAfter - (now - waiter.arrivedAt);
        if (left > 0) {
            time.parkUntil(this, now + left);
        } else {
            underLock(at -> queue.look(waiter, at));
        }
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
            queue.withdraw(waiter, now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        counters.cancelledWaiting.increment();
        tell(ready);
        return true;
    }

    private void underLock(LongConsumer step) {
        Waiter ready;
        lock.lock();
        try {
            long now = now();
            step.accept(now);
            ready = publish(now);
        } finally {
            lock.unlock();
        }
        tell(ready);
    }

    /**
     * Shows the state to gauges, and opens or closes the fast path.
     *
     * @return the asynchronous callers to be told, once the lock is free
     */
    private @Nullable Waiter publish(long now) {
        show(now);
        return queue.takeReady();
    }

    private void show(long now) {
        WaitQueue waiting = queue.queue();
        if (gauges.publish(now, controls, waiting)) {
            rateLimitChanged = true;
        }
        traffic.setSlow(!waiting.isLineEmpty() || gate.waitNanos(now) > 0 || !controls.isIdle());
    }

    private void tell(@Nullable Waiter ready) {
        if (rateLimitChanged) {
            rateLimitChanged = false;
            events.onRateLimited(gauges.isLimited());
        }
        Trampoline.deliver(ready);
    }

    private void tellEnd(Signal signal) {
        if (events.isHeard() && !signal.equals(Signal.SUCCESS)) {
            events.onSignal(signal);
        }
    }

    void tellWaited(Waiter waiter) {
        if (events.isHeard()) {
            events.onWaited(waiter.reason, Duration.ofNanos(waiter.waitNanos));
        }
    }

    /**
     * Admits no more if a new engine would admit no more than this one: nobody waits, nothing is on the wire, the gate
     * is open, and the controllers hold nothing back. What they have learned is lost.
     *
     * @return whether it retired
     */
    public boolean tryRetire() {
        lock.lock();
        try {
            long now = now();
            return queue.queue().size() == 0
                    && gate.waitNanos(now) <= 0
                    && controls.isForgettable(now)
                    && traffic.tryRetire();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Throttle[" + settings.name() + ", " + label + "]";
    }
}
