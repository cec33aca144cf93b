package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an engine knows of its key and whom it makes wait, behind one lock that is never held while anything blocks or
 * while user code runs, controllers excepted. Whoever has changed something under the lock calls {@link #publish}
 * before it is free and {@link #tell} after.
 */
final class EngineState {

    final TimeSource time;
    final long maxWaitNanos;
    final Events events;
    final InFlightCounter traffic;
    final Gauges gauges;
    final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, as all that follow. */
    final SplittableRandom random;

    final Gate gate;
    final ControllerSet controls;
    final AdmissionQueue queue;
    final CostEstimator estimator = new CostEstimator();
    /** Whether the rate began or ceased to be limited, and nobody was told yet. */
    private volatile boolean rateLimitChanged;

    EngineState(EngineSettings settings, long seed, Events events) {
        this.time = settings.time();
        this.maxWaitNanos = Nanos.of(settings.maxWait());
        this.events = events;
        long now = time.nanoTime();
        this.random = new SplittableRandom(seed);
        this.traffic = new InFlightCounter(now);
        this.controls = new ControllerSet(settings.strategies(), random.split());
        this.gate = new Gate(settings.retryAfterJitter(), settings.maxRetryAfterJitter(), !controls.planResets());
        this.gauges = new Gauges(gate, traffic);
        this.queue = new AdmissionQueue(traffic, gate, controls, new WakeupTimer(time, lock, this::look));
        show(now);
        rateLimitChanged = false;
    }

    long now() {
        return time.nanoTime();
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
    }

    /**
     * Shows the state to gauges, and opens or closes the fast path.
     *
     * @return the asynchronous callers to be told, once the lock is free
     */
    @Nullable Waiter publish(long now) {
        show(now);
        return queue.takeReady();
    }

    private void show(long now) {
        WaitQueue waiting = queue.queue();
        if (gauges.publish(now, estimator.resolve(CallOptions.DEFAULT), controls, waiting)) {
            rateLimitChanged = true;
        }
        traffic.setSlow(!waiting.isLineEmpty() || gate.waitNanos(now) > 0 || !controls.isIdle());
    }

    /** Hands what a server says about its limits to those who show it and to the gate. */
    void note(Signal signal, long now) {
        if (!signal.hints().isEmpty()) {
            gauges.board().put(signal.hints().quotas(), now);
            gate.onSignal(signal, random.nextDouble(), now);
        }
    }

    /** Tells what is to be told when the lock is free. */
    void tell(@Nullable Waiter ready) {
        if (rateLimitChanged) {
            rateLimitChanged = false;
            events.onRateLimited(gauges.isLimited());
        }
        Trampoline.deliver(ready);
    }
}
