package dev.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.throttle.internal.Nanos;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The throttles of a registry by key, of which idle ones are dropped when there are too many. Thread-safe. */
final class KeyedThrottles {

    /** How many keys kept beyond the bound are looked at for each one that is added to them. */
    private static final int SWEEP = 4;
    /** For how long the cache need not be told of a key's use again. */
    private static final long MOST_UNTOLD_NANOS = 100_000_000;

    /** An expiry is at most this part of itself early. */
    private static final int EXPIRY_PARTS = 1_000;

    /**
     * A key's throttle in a plain map beside the cache, where looking it up is cheap. The cache decides which keys to
     * drop by their use, and is notified of a use only now and then.
     */
    private static final class Place {

        final Throttle throttle;
        /** Whether the cache has it, as far as is known: what is not there has to be brought back or made. */
        volatile boolean isCached = true;
        /** When the cache was last told that it was used. */
        volatile long toldAt;

        Place(Throttle throttle, long now) {
            this.throttle = throttle;
            this.toldAt = now;
        }
    }

    private final Cache<String, Throttle> cache;
    /** Throttles that the cache wanted to drop while they had something to do. */
    private final ConcurrentMap<String, Throttle> kept = new ConcurrentHashMap<>();
    /** All throttles that were not dropped. The cache alone does not show those whose time is up. */
    private final ConcurrentMap<String, Place> present = new ConcurrentHashMap<>();
    /** Throttles that were dropped, of which listeners were not told yet. */
    private final Queue<Throttle> dropped = new ConcurrentLinkedQueue<>();

    private final TimeSource time;
    private final long untoldNanos;

    private final ReentrantLock sweeping = new ReentrantLock();
    private Iterator<Map.Entry<String, Throttle>> sweep = kept.entrySet().iterator();

    KeyedThrottles(long maxKeys, Duration idleExpiry, TimeSource time) {
        this.time = time;
        this.untoldNanos = Math.min(MOST_UNTOLD_NANOS, Nanos.of(idleExpiry) / EXPIRY_PARTS);
        this.cache = Caffeine.newBuilder()
                .maximumSize(maxKeys)
                .expireAfterAccess(idleExpiry)
                .ticker(time::nanoTime)
                .executor(Runnable::run)
                .evictionListener(this::onEviction)
                .build();
    }

    /** {@return the throttle of a key, unless it has to be brought back or made} */
    @Nullable Throttle live(String key) {
        Place place = present.get(key);
        if (place == null || !place.isCached) {
            return null;
        }
        long now = time.nanoTime();
        if (now - place.toldAt < untoldNanos) {
            return place.throttle;
        }
        Throttle throttle = cache.getIfPresent(key);
        if (throttle == null || throttle.isEvicted()) {
            return null;
        }
        place.toldAt = now;
        return throttle;
    }

    /** {@return the throttle of a key if there is one} */
    @Nullable Throttle find(String key) {
        Throttle throttle = cache.getIfPresent(key);
        Place place = throttle == null ? present.get(key) : null;
        return place == null ? throttle : place.throttle;
    }

    boolean isKept(String key) {
        return kept.containsKey(key);
    }

    /**
     * {@return the throttle of a key: the one that is there, or that was kept, or the one made for it, if any} Waits
     * for an eviction of the key to end, should one be under way.
     */
    @Nullable Throttle comeIn(String key, @Nullable Throttle made) {
        return cache.asMap().compute(key, (k, there) -> {
            if (there != null && !there.isEvicted()) {
                return there;
            }
            Throttle back = kept.remove(k);
            Throttle next = back == null ? made : back;
            if (next != null) {
                next.engine().prepareToFollow();
                present.put(k, new Place(next, time.nanoTime())); // from now on it is found
            }
            return next;
        });
    }

    List<Throttle> all() {
        cache.asMap().forEach((key, throttle) -> {}); // which drops those whose time is up
        return present.values().stream().map(place -> place.throttle).toList();
    }

    /** Runs while the cache holds the key, so that no thread can make a second throttle for it meanwhile. */
    private void onEviction(@Nullable String key, @Nullable Throttle throttle, RemovalCause cause) {
        if (key == null || throttle == null) {
            return;
        }
        Place place = present.get(key);
        if (place != null) {
            place.isCached = false;
        }
        sweep();
        // The cache may drop a new throttle before its first caller has used it.
        if (throttle.isUnused() || !retire(throttle)) {
            kept.put(key, throttle);
        }
    }

    private boolean retire(Throttle throttle) {
        if (!throttle.tryRetire()) {
            return false;
        }
        present.computeIfPresent(throttle.key(), (key, place) -> place.throttle.equals(throttle) ? null : place);
        dropped.add(throttle);
        return true;
    }

    /** Calls the listeners for dropped throttles. They are user code, so it is not done while the cache locks a key. */
    void tellDropped() {
        for (Throttle throttle = dropped.poll(); throttle != null; throttle = dropped.poll()) {
            throttle.events().onEvicted();
        }
    }

    /** Drops some of those kept that have nothing to do any more. */
    private void sweep() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            for (int i = 0; i < SWEEP; i++) {
                if (!sweep.hasNext()) {
                    sweep = kept.entrySet().iterator();
                }
                if (!sweep.hasNext()) {
                    return;
                }
                kept.computeIfPresent(sweep.next().getKey(), (key, throttle) -> retire(throttle) ? null : throttle);
            }
        } finally {
            sweeping.unlock();
        }
    }
}
