package dev.throttle.lease.fleet;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Registers the process as alive each second, and reads what it missed. While the store is away it tries more often.
 * Thread-safe.
 */
final class Pulse {

    private static final long READ_NANOS = Duration.ofSeconds(1).toNanos();
    static final long PROBE_NANOS = Duration.ofMillis(250).toNanos();

    private final FleetStore store;
    private final FleetMemory memory;
    private final FleetLimits limits;
    private final TimeSource time;
    private final Executor executor;
    /** Done when all that the fleet knew was read for the first time. */
    final CompletableFuture<Void> ready = new CompletableFuture<>();

    private volatile boolean wasUp;
    private volatile boolean stopped;

    Pulse(FleetStore store, FleetMemory memory, FleetLimits limits, TimeSource time, Executor executor) {
        this.store = store;
        this.memory = memory;
        this.limits = limits;
        this.time = time;
        this.executor = executor;
    }

    void start() {
        time.schedule(PROBE_NANOS, this::beat);
    }

    void stop() {
        stopped = true;
    }

    private void beat() {
        if (stopped) {
            return;
        }
        time.schedule(store.watch().isUp() ? READ_NANOS : PROBE_NANOS, this::beat); // even if the executor refuses
        executor.execute(this::read);
    }

    void read() {
        CompletableFuture<Void> unused = memory.read().whenComplete((done, failure) -> {
            boolean isUp = store.watch().isUp();
            if (isUp && !wasUp) {
                CompletableFuture<Void> unusedToo =
                        memory.recall().whenComplete((known, failed) -> ready.complete(null));
            }
            wasUp = isUp;
            if (isUp && !stopped) {
                limits.tellSpent();
                store.look();
            }
        });
    }
}
