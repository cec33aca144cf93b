package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleListener.Source;
import dev.throttle.internal.IgnoresIdle;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one throttle, or of the keys of one set, in one registry. It belongs to what it shows, as a listener,
 * and must not hold it: its own life would keep the throttles alive.
 *
 * <p>No more than {@link #MOST_KEYS} keys have meters at a time, so that a program that makes new keys all the time
 * does not fill the registry, nor spend its time on registering. A key beyond that gets meters when there is room and
 * something happens to it.
 */
final class RegistryBinding implements ThrottleListener, IgnoresIdle {

    static final int MOST_KEYS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

    private final MeterRegistry registry;
    private final int mostKeys;
    private final Map<String, Shown> shown = new ConcurrentHashMap<>();
    /** Held while meters come or go, so that those of a key go before those of its successor come. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Written under the lock. */
    private volatile boolean isFull;
    /** Guarded by the lock. */
    private boolean wasFull;

    /** The meters of a throttle, which they do not keep alive. */
    private record Shown(WeakReference<Source> throttle, ThrottleMeters meters) {

        boolean isOf(Source other) {
            return throttle.get() == other;
        }
    }

    RegistryBinding(MeterRegistry registry) {
        this(registry, MOST_KEYS);
    }

    RegistryBinding(MeterRegistry registry, int mostKeys) {
        this.registry = registry;
        this.mostKeys = mostKeys;
    }

    @Override
    public void onCreated(Source throttle) {
        metersOf(throttle);
    }

    @Override
    public void onEvicted(Source throttle) {
        lock.lock();
        try {
            Shown there = shown.get(throttle.key());
            if (there != null && there.isOf(throttle)) {
                remove(throttle.key(), there);
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
        List<Quota> quotas = signal.hints().quotas();
        ThrottleMeters meters = quotas.isEmpty() ? null : metersOf(throttle);
        if (meters != null) {
            meters.seen(throttle, quotas);
        }
    }

    @Override
    public void onRateLimited(Source throttle, boolean limited) {
        ThrottleMeters meters = metersOf(throttle);
        if (meters != null) {
            meters.rateLimited(throttle);
        }
    }

    /** {@return the meters of a throttle, which come now if there is room; null if it has none} */
    private @Nullable ThrottleMeters metersOf(Source throttle) {
        Shown there = shown.get(throttle.key());
        if (there == null ? isFull : there.isOf(throttle)) {
            return there == null ? null : there.meters();
        }
        return show(throttle);
    }

    /** Shows a throttle, in place of its predecessor if there is one. A throttle that was evicted is not shown. */
    @Nullable ThrottleMeters show(Source throttle) {
        lock.lock();
        try {
            Shown there = shown.get(throttle.key());
            if (there != null && there.isOf(throttle)) {
                return there.meters();
            }
            if (throttle.isEvicted()) {
                return null;
            }
            if (there != null) {
                remove(throttle.key(), there);
            }
            if (shown.size() >= mostKeys) {
                fill();
                return null;
            }
            ThrottleMeters meters = new ThrottleMeters(registry, throttle);
            shown.put(throttle.key(), new Shown(new WeakReference<>(throttle), meters));
            return meters;
        } finally {
            lock.unlock();
        }
    }

    private void fill() {
        isFull = true;
        if (!wasFull) {
            wasFull = true;
            LOG.warn("{} keys have meters; further keys have none until some of these are dropped", mostKeys);
        }
    }

    private void remove(String key, Shown there) {
        shown.remove(key);
        isFull = false;
        there.meters().remove();
    }

    /** What it showed is gone. */
    void close() {
        lock.lock();
        try {
            shown.forEach(this::remove);
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
