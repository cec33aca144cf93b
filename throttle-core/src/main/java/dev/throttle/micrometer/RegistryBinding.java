package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleListener.Source;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one throttle, or of the keys of one set, in one registry. It belongs to what it shows, as a listener,
 * and must not hold it: its own life would keep the throttles alive.
 *
 * <p>Meters of a key and of its successor have the same identity, so the order of events matters: under the lock only a
 * throttle that is not evicted gets meters. A successor is made after the eviction, and takes the place over.
 */
final class RegistryBinding implements ThrottleListener {

    private final MeterRegistry registry;
    private final Map<String, ThrottleMeters> shown = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    RegistryBinding(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void onCreated(Source throttle) {
        show(throttle);
    }

    void show(Source throttle) {
        lock.lock();
        try {
            if (throttle.isEvicted() || metersOf(throttle) != null) {
                return;
            }
            ThrottleMeters before = shown.remove(throttle.key());
            if (before != null) {
                before.remove();
            }
            shown.put(throttle.key(), new ThrottleMeters(registry, throttle));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onEvicted(Source throttle) {
        lock.lock();
        try {
            ThrottleMeters meters = metersOf(throttle);
            if (meters != null) {
                shown.remove(throttle.key());
                meters.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onWaiting(Source throttle, Priority priority, String reason, Duration atLeast) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.waiting(throttle, priority);
        }
    }

    @Override
    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.waited(priority, reason, wait);
        }
    }

    @Override
    public void onSignal(Source throttle, Signal signal) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.seen(throttle, signal.hints().quotas());
        }
    }

    @Override
    public void onRateLimited(Source throttle, boolean limited) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.rateLimited(throttle);
        }
    }

    /** {@return the meters of this very throttle, not those of one before or after it with its key; null if none} */
    private @Nullable ThrottleMeters metersOf(Source throttle) {
        ThrottleMeters meters = shown.get(throttle.key());
        return meters != null && meters.isOf(throttle) ? meters : null;
    }

    /** What it showed is gone. */
    void close() {
        lock.lock();
        try {
            shown.values().forEach(ThrottleMeters::remove);
            shown.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Equal bindings show the same in the same registry; a throttle takes only one of them as listener. */
    @Override
    @SuppressWarnings("ReferenceEquality") // a registry has no other equality that is its own
    public boolean equals(Object other) {
        return other instanceof RegistryBinding that && that.registry == registry;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(registry);
    }
}
