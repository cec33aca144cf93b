package dev.throttle.engine;

import dev.throttle.time.TimeSource;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The one timer entry of a throttle. Moving it later costs nothing: it fires early, and its throttle sets it again.
 * Guarded by the engine's lock.
 */
final class WakeupTimer {

    private final TimeSource time;
    private final Lock lock;
    private final Runnable action;
    private TimeSource.@Nullable ScheduledTask task;
    private long firesAt;
    private long generation;

    WakeupTimer(TimeSource time, Lock lock, Runnable action) {
        this.time = time;
        this.lock = lock;
        this.action = action;
    }

    /** Fires after a wait at the latest, counted from {@code now}. */
    void set(long waitNanos, long now) {
        if (task != null && firesAt - now <= waitNanos) {
            return;
        }
        clear();
        firesAt = now + waitNanos;
        long current = ++generation;
        // What has passed since then, while the throttle worked, counts.
        task = time.schedule(firesAt - time.nanoTime(), () -> fire(current));
    }

    void clear() {
        if (task != null) {
            task.cancel();
            task = null;
        }
    }

    private void fire(long fired) {
        lock.lock();
        try {
            if (fired == generation) {
                task = null;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }
}
