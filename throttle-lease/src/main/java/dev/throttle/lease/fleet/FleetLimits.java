package dev.throttle.lease.fleet;

import dev.throttle.lease.LeasedLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/**
 * The limits of a fleet that are in use, and their watchers. A limit that no throttle uses any more is not kept.
 * Thread-safe.
 */
final class FleetLimits {

    /** The limits and the sources of their permits. A source has no reference to its limit. */
    private final Map<LeasedLimit, StoreLeases> limits = new WeakHashMap<>();

    private final List<Consumer<LeasedLimit>> watchers = new ArrayList<>();
    private boolean closed;

    LeasedLimit add(LeasedLimit limit, StoreLeases source) {
        List<Consumer<LeasedLimit>> told;
        synchronized (limits) {
            if (closed) {
                throw new IllegalStateException("the fleet is closed");
            }
            limits.put(limit, source);
            told = List.copyOf(watchers);
        }
        told.forEach(watcher -> watcher.accept(limit));
        return limit;
    }

    /** Calls a watcher for each limit, those that exist and those that are added later. */
    void watch(Consumer<LeasedLimit> watcher) {
        List<LeasedLimit> known;
        synchronized (limits) {
            watchers.add(watcher);
            known = List.copyOf(limits.keySet());
        }
        known.forEach(watcher);
    }

    void close() {
        List<LeasedLimit> known;
        synchronized (limits) {
            closed = true;
            known = List.copyOf(limits.keySet());
        }
        known.forEach(LeasedLimit::close);
    }

    /** Reports to the store what the process spent of its own shares, unless a lease has reported it. */
    void tellSpent() {
        List<StoreLeases> sources;
        synchronized (limits) {
            sources = List.copyOf(limits.values());
        }
        sources.forEach(StoreLeases::tellSpent);
    }

    int size() {
        synchronized (limits) {
            return limits.size();
        }
    }
}
