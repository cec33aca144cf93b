package dev.throttle.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Meters with common tags that leave the registry together. Thread-safe. */
final class MeterGroup {

    private final MeterRegistry registry;
    private final Tags tags;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null once they were removed. Nothing may be added after that, because it would never be removed. */
    private @Nullable List<Meter> meters = new ArrayList<>();

    MeterGroup(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    /** {@return the meter that was registered; null if the group has left} */
    <M extends Meter> @Nullable M add(BiFunction<MeterRegistry, Tags, M> register) {
        lock.lock();
        try {
            if (meters == null) {
                return null;
            }
            M meter = register.apply(registry, tags);
            meters.add(meter);
            return meter;
        } finally {
            lock.unlock();
        }
    }

    /** Takes one meter away. */
    void remove(Meter meter) {
        lock.lock();
        try {
            if (meters != null && meters.remove(meter)) {
                registry.remove(meter);
            }
        } finally {
            lock.unlock();
        }
    }

    void remove() {
        lock.lock();
        try {
            if (meters != null) {
                meters.forEach(registry::remove);
                meters = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
