package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleState;
import dev.throttle.control.ControllerHost;
import dev.throttle.internal.CallContext;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What an engine knows of its key and whom it makes wait, behind one lock that is never held while anything blocks or
 * while user code runs, controllers excepted. Whoever has changed something under the lock calls {@link #publish}
 * before it is free and {@link #tell} after.
 */
final class EngineState {

    private final String name;
    private final String key;
    final TimeSource time;
    final Events events;
    final EngineLog log;
    final RunState run;
    final InFlightCounter traffic;
    final Gauges gauges;
    final ReentrantLock lock = new ReentrantLock();
    /** Whether it matters what requests cost, as far as is known. Never false again; written under the lock. */
    volatile boolean countsCosts;
    /** Written under the lock. */
    volatile EngineConfig config;
    /**
     * Whether the config has no guards; written under the lock, read without. It need not be volatile: who knows of a
     * change otherwise sees it, and everybody else sees it after the next admission at the latest.
     */
    boolean unguarded;
    /** The controllers of the config, for questions whose answers never change; read like {@link #unguarded}. */
    ControllerParts parts;
    /** What is to be told when the lock is free. */
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();
    /** What had happened when it was last told that nothing goes on any more. */
    private final AtomicLong idleTold = new AtomicLong();
    /** Guarded by the lock, as all that follow. */
    final SplittableRandom random;

    final Gate gate;
    final ControllerSet controls;
    final AdmissionQueue queue;
    final Quiescence quiet;
    final CostEstimator estimator;

    EngineState(
            EngineSettings settings,
            String key,
            String label,
            List<AdmissionGuard> guards,
            long seed,
            Events events,
            RunState run) {
        this.time = settings.time();
        this.events = events;
        this.log = new EngineLog(settings.name(), label);
        this.run = run;
        EnginePolicy policy = settings.policy();
        long now = time.nanoTime();
        this.random = new SplittableRandom(seed);
        this.traffic = new InFlightCounter(now);
        this.name = settings.name();
        this.key = key;
        this.parts = ControllerParts.none().with(policy.strategies(), host(random.split()));
        this.config = new EngineConfig(
                policy,
                new GuardChain(guards),
                parts,
                new ResponseReader(policy.hintReader(), policy.classifier()),
                new RetryDecider(policy.retryPolicy().rules(), now));
        this.unguarded = guards.isEmpty();
        this.controls = new ControllerSet(parts, policy.priorities());
        this.countsCosts = controls.countsCosts();
        this.estimator = new CostEstimator(controls::counts);
        this.gate = new Gate(policy.retryAfterJitter(), policy.maxRetryAfterJitter(), !controls.planResets());
        this.gauges = new Gauges(gate, traffic, run);
        this.queue = new AdmissionQueue(policy, traffic, gate, controls, run, new WakeupTimer(time, lock, this::look));
        controls.shares().belongsTo(news, this::look);
        this.quiet = new Quiescence(settings, traffic, queue.queue(), lock);
        run.catchUp(now);
        show(now);
        news.clear();
        controls.takeFaults(news::add);
    }

    long now() {
        return time.nanoTime();
    }

    /** {@return the longest wait of a call that does not say otherwise} */
    long maxWaitNanos() {
        return config.policy().maxWaitNanos();
    }

    /** {@return what new controllers may know of the engine, with a source of randomness of their own} */
    ControllerHost host() {
        lock.lock();
        try {
            return host(random.split());
        } finally {
            lock.unlock();
        }
    }

    private ControllerHost host(RandomGenerator own) {
        return new EngineHost(name, key, own, lock, traffic, this::waiting, this::look);
    }

    private int waiting() {
        return gauges.waiting();
    }

    /** Looks at the head again. */
    private void look() {
        underLock(queue::drain);
    }

    void underLock(LongConsumer step) {
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
        tellIdle();
    }

    /**
     * Shows the state to gauges, and opens or closes the fast path.
     *
     * @return the asynchronous callers to be told, once the lock is free
     */
    @Nullable Waiter publish(long now) {
        show(now);
        controls.takeFaults(news::add);
        return queue.takeReady();
    }

    private void show(long now) {
        WaitQueue waiting = queue.queue();
        if (gauges.publish(now, estimator.resolve(CallOptions.DEFAULT), controls, waiting)) {
            news.add(() -> events.onRateLimited(gauges.isLimited()));
        }
        Runnable message = log.follow(queue.heldBy(now), now);
        if (message != null) {
            news.add(message);
        }
        ThrottleState changed = run.takeChange();
        if (changed != null) {
            news.add(() -> events.onStateChanged(changed));
        }
        if (quiet.isWatched() && !run.takesNobody()) {
            news.add(quiet.giveUp());
        }
        traffic.setSlow(!run.isRunning() || !waiting.isLineEmpty() || gate.waitNanos(now) > 0 || !controls.isIdle());
    }

    /** Hands what a server says about its limits to those who show it and to the gate. */
    void note(Signal signal, long now) {
        note(signal, signal.hints().quotas(), now, now);
    }

    /**
     * Hands on what was said before.
     *
     * @param signal what it means now
     * @param quotas the quotas as they were told
     * @param saidAt when they were told
     */
    void note(Signal signal, List<Quota> quotas, long saidAt, long now) {
        if (!signal.hints().isEmpty()) {
            if (!countsCosts && signal.hints().countsCosts()) {
                countsCosts = true;
            }
            noteExhausted(signal.hints().quotas(), now);
            gauges.board().put(quotas, saidAt);
            gate.onSignal(signal, random.nextDouble(), now);
        }
    }

    /** Tells what is to be told when the lock is free. */
    void tell(@Nullable Waiter ready) {
        try {
            for (Runnable next = news.poll(); next != null; next = news.poll()) {
                next.run();
            }
        } finally {
            Trampoline.deliver(ready); // whatever a log may throw
            controls.shares().wake();
        }
    }

    @Nullable CallContext captureContext() {
        return events.captureContext();
    }

    /** Tells that a caller begins to wait. Without the lock. */
    void tellWaiting(Waiter waiter, Wait wait) {
        log.waits(waiter.call, wait);
        if (events.isHeard()) {
            CallContext.run(waiter.call.context(), () -> tellListeners(waiter, wait));
        }
    }

    private void tellListeners(Waiter waiter, Wait wait) {
        Duration atLeast = Duration.ofNanos(wait.knownNanos());
        events.onWaiting(waiter.priority, wait.reason(), atLeast);
        WaitTrail trail = waiter.trail;
        WaitTrail.Follower follower = trail == null ? null : events.follow(waiter.priority, wait.reason(), atLeast);
        if (trail != null && follower != null) {
            trail.begun(follower);
        }
    }

    /** {@return the trail of a wait; null if nobody would follow it} */
    @Nullable WaitTrail newTrail() {
        return events.isHeard() ? new WaitTrail() : null;
    }

    /** Tells that a caller goes that had to wait. Without the lock. */
    void tellWaited(Waiter waiter) {
        log.waited(waiter);
        if (events.isHeard()) {
            events.onWaited(waiter.priority, waiter.reason, Duration.ofNanos(waiter.waitNanos));
        }
    }

    /** Keeps in mind which quotas a server says are used up; under the lock, before they are put on the board. */
    private void noteExhausted(List<Quota> quotas, long now) {
        if (events.isHeard()) {
            for (Quota quota : gauges.board().newlyExhausted(quotas, now)) {
                news.add(() -> events.onQuotaExhausted(quota));
            }
        }
    }

    /** Tells once that nothing goes on any more. Without the lock; {@link #tell} comes first. */
    void tellIdle() {
        quiet.check();
        if (events.isHeard() && traffic.inFlight() == 0 && gauges.waiting() == 0) {
            long happened = traffic.admitted() + gauges.waitsSoFar();
            if (idleTold.getAndSet(happened) != happened) {
                events.onIdle();
            }
        }
    }
}
