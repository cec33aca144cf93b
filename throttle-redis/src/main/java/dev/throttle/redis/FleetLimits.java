package dev.throttle.redis;

import dev.throttle.lease.LeasedLimit;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The limits of a fleet that are in use, and who wants to know of them. A limit that no throttle has any more is not
 * kept. Thread-safe.
 */
final class FleetLimits {

    private final List<WeakReference<LeasedLimit>> limits = new ArrayList<>();
    private final List<Consumer<LeasedLimit>> watchers = new ArrayList<>();
    private boolean closed;

    LeasedLimit add(LeasedLimit limit) {
        List<Consumer<LeasedLimit>> told;
        synchronized (limits) {
            if (closed) {
                throw new IllegalStateException("the fleet is closed");
            }
            limits.removeIf(each -> each.get() == null);
            limits.add(new WeakReference<>(limit));
            told = List.copyOf(watchers);
        }
        told.forEach(watcher -> watcher.accept(limit));
        return limit;
    }

    /** Tells of those that there are and of those to come. */
    void watch(Consumer<LeasedLimit> watcher) {
        List<LeasedLimit> known;
        synchronized (limits) {
            watchers.add(watcher);
            known = known();
        }
        known.forEach(watcher);
    }

    void close() {
        List<LeasedLimit> known;
        synchronized (limits) {
            closed = true;
            known = known();
        }
        known.forEach(LeasedLimit::close);
    }

    private List<LeasedLimit> known() {
        return limits.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
    }

    int size() {
        synchronized (limits) {
            return limits.size();
        }
    }
}
