package dev.throttle.engine;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Completes futures when no call waits and no request is in flight. A call whose attempt was refused, and that is to
 * try again, counts until it asks, but no longer than a second, as not every call does.
 */
final class IdleWatch {

    /** How long a call is waited for that was told to try again. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    private final TimeSource time;
    private final Outbox outbox;
    private final InFlightCounter traffic;
    private final WaitQueue queue;
    private final ReentrantLock lock;
    /** Written under the lock. */
    private volatile boolean watched;
    /** Guarded by the lock, as is what follows. */
    private List<CompletableFuture<Void>> watchers = new ArrayList<>();

    private final Map<CallState, TimeSource.ScheduledTask> between = new HashMap<>();

    IdleWatch(TimeSource time, Outbox outbox, InFlightCounter traffic, WaitQueue queue, ReentrantLock lock) {
        this.time = time;
        this.outbox = outbox;
        this.traffic = traffic;
        this.queue = queue;
        this.lock = lock;
    }

    /** {@return completes when all is quiet} Under the lock; a {@link #check} follows. */
    CompletableFuture<Void> watch() {
        CompletableFuture<Void> watcher = new CompletableFuture<>();
        watchers.add(watcher);
        watched = true;
        return watcher;
    }

    /** {@return whether a future waits for the end} */
    boolean isWatched() {
        return watched;
    }

    /** An attempt of a call ends, and may have to be repeated. Before it is counted out. */
    void ends(CallState call) {
        if (watched) {
            lock.lock();
            try {
                if (watched) {
                    forget(call);
                    between.put(call, time.schedule(PATIENCE_NANOS, () -> {
                        settles(call);
                        check();
                    }));
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** A call asks again, or will not. */
    void settles(CallState call) {
        if (watched) {
            lock.lock();
            try {
                forget(call);
            } finally {
                lock.unlock();
            }
        }
    }

    private void forget(CallState call) {
        TimeSource.ScheduledTask task = between.remove(call);
        if (task != null) {
            task.cancel();
        }
    }

    /** Tells those who want to know if all is quiet. Without the lock. */
    void check() {
        if (watched) {
            List<CompletableFuture<Void>> told = List.of();
            lock.lock();
            try {
                if (traffic.inFlight() == 0 && queue.size() == 0 && between.isEmpty()) {
                    told = takeAll();
                }
            } finally {
                lock.unlock();
            }
            tell(told, watcher -> watcher.complete(null));
        }
    }

    /** New calls are taken again; {@return cancels the futures that wait, to be run without the lock} */
    Runnable giveUp() {
        List<CompletableFuture<Void>> told = takeAll();
        return () -> tell(told, watcher -> watcher.cancel(false));
    }

    private List<CompletableFuture<Void>> takeAll() {
        List<CompletableFuture<Void>> all = watchers;
        watchers = new ArrayList<>();
        List.copyOf(between.keySet()).forEach(this::forget);
        watched = false;
        return all;
    }

    private void tell(List<CompletableFuture<Void>> told, Consumer<CompletableFuture<Void>> news) {
        for (CompletableFuture<Void> watcher : told) {
            outbox.execute(() -> news.accept(watcher));
        }
    }
}
