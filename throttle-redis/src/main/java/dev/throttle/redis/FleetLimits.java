package dev.throttle.redis;

import dev.throttle.lease.LeasedLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The limits that a fleet keeps, and who wants to know of them. Thread-safe. */
final class FleetLimits {

    private final List<LeasedLimit> limits = new ArrayList<>();
    private final List<Consumer<LeasedLimit>> watchers = new ArrayList<>();

    LeasedLimit add(LeasedLimit limit) {
        List<Consumer<LeasedLimit>> told;
        synchronized (limits) {
            limits.add(limit);
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
            known = List.copyOf(limits);
        }
        known.forEach(watcher);
    }

    void close() {
        List<LeasedLimit> known;
        synchronized (limits) {
            known = List.copyOf(limits);
        }
        known.forEach(LeasedLimit::close);
    }
}
