package dev.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.throttle.internal.Misuse;
import dev.throttle.internal.Nanos;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The throttles of a registry by key, of which idle ones are dropped when there are too many. Those that are held back
 * stay, up to a bound: beyond it the key is forgotten that would be held back for the shortest time, and is closed
 * until then should it come again. Thread-safe.
 */
final class KeyedThrottles {

    /** How many keys there may be in all, however few idle ones are to be kept. */
    static final int MOST_KEYS = 10_000;

    /** How many keys kept beyond the cache are looked at for each one that is added to them. */
    private static final int SWEEP = 4;
    /** The size of the cache follows the number of other keys in steps of such a part. */
    private static final int STEPS = 64;
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

    /**
     * A throttle that the cache wanted to drop while it had something to do.
     *
     * @param until when it will have nothing to do any more, as far as is known
     * @param order its place among those of the same time
     */
    private record Held(Throttle throttle, long until, long order) {}

    private final Cache<String, Throttle> cache;
    private final long maxKeys;
    /** How many keys there may be in all. */
    private final long most;
    /** How many the cache may have now. Written by one thread at a time. */
    private final AtomicLong cached;

    private final AtomicBoolean resizing = new AtomicBoolean();
    /** Written under the lock below. */
    private final ConcurrentMap<String, Held> kept = new ConcurrentHashMap<>();
    /** The same without those in use, first the one that opens soonest. Guarded by the lock below. */
    private final TreeSet<Held> byTime = new TreeSet<>((a, b) -> {
        long later = a.until - b.until;
        return Long.signum(later == 0 ? a.order - b.order : later);
    });
    /** Those that were in use when they were last looked at, in the order of that. Guarded by the lock below. */
    private final Set<Held> inUse = new LinkedHashSet<>();
    /** Guarded by the lock below. */
    private final ClosedKeys closed = new ClosedKeys();

    private long ordered;
    /** All throttles that were not dropped. The cache alone does not show those whose time is up. */
    private final ConcurrentMap<String, Place> present = new ConcurrentHashMap<>();
    /** Throttles that were dropped, of which listeners were not told yet. */
    private final Queue<Throttle> dropped = new ConcurrentLinkedQueue<>();

    private final Misuse misuse = new Misuse();
    private volatile boolean hasForgotten;

    private final String name;
    private final TimeSource time;
    private final long untoldNanos;

    /** Held while a key is kept, dropped or forgotten. */
    private final ReentrantLock keeping = new ReentrantLock();

    /**
     * Makes it.
     *
     * @param name the name of the registry
     * @param maxKeys how many idle keys are kept
     * @param most how many keys are kept in all
     */
    KeyedThrottles(String name, long maxKeys, long most, Duration idleExpiry, TimeSource time) {
        this.name = name;
        this.time = time;
        this.maxKeys = maxKeys;
        this.most = Math.max(maxKeys, most);
        this.cached = new AtomicLong(maxKeys);
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
            Throttle next = backOrMade(k, made);
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
        keeping.lock();
        try {
            long now = time.nanoTime();
            sweep(now);
            // The cache may drop a new throttle before its first caller has used it.
            if (throttle.isUnused() || !retire(throttle)) {
                keep(throttle);
                while (kept.size() > most - leastCached() && !byTime.isEmpty()) {
                    forget(byTime.first(), now);
                }
            }
        } finally {
            keeping.unlock();
        }
    }

    /** {@return a key's throttle that was kept, or the one made for it, which knows what was forgotten} */
    private @Nullable Throttle backOrMade(String key, @Nullable Throttle made) {
        keeping.lock();
        try {
            Held back = kept.remove(key);
            if (back != null) {
                byTime.remove(back);
                inUse.remove(back);
                return back.throttle;
            }
            long nanos = made == null ? 0 : closed.takeNanos(key, time.nanoTime());
            if (made != null && nanos > 0) {
                made.engine().closeForgotten(nanos);
            }
            return made;
        } finally {
            keeping.unlock();
        }
    }

    private void keep(Throttle throttle) {
        Held held = new Held(throttle, throttle.engine().heldUntil(), ordered++);
        kept.put(throttle.key(), held);
        if (throttle.engine().isInUse()) {
            inUse.add(held);
        } else {
            byTime.add(held);
        }
    }

    /** Drops a key that the server holds back, unless it is in use. Should it come again, it is closed for as long. */
    private void forget(Held held, long now) {
        Throttle throttle = held.throttle;
        long until = throttle.engine().closedUntil();
        byTime.remove(held);
        if (!throttle.engine().tryForget()) {
            inUse.add(held);
            return;
        }
        kept.remove(throttle.key());
        drop(throttle);
        if (until - now > 0) {
            closed.put(throttle.key(), until, now);
        }
        hasForgotten = true;
    }

    /** {@return how many keys the cache may have when most keys are held back} */
    private long leastCached() {
        return Math.min(maxKeys, most / 2);
    }

    /** Makes room for the keys that are held back: the cache drops idle ones for them. Not while it locks a key. */
    private void resize() {
        long size = Math.max(leastCached(), Math.min(maxKeys, most - kept.size()));
        if (Math.abs(size - cached.get()) > most / STEPS && resizing.compareAndSet(false, true)) {
            try {
                cached.set(size);
                cache.policy().eviction().ifPresent(eviction -> eviction.setMaximum(size));
            } finally {
                resizing.set(false);
            }
        }
    }

    private boolean retire(Throttle throttle) {
        boolean isRetired = throttle.tryRetire();
        if (isRetired) {
            drop(throttle);
        }
        return isRetired;
    }

    private void drop(Throttle throttle) {
        present.computeIfPresent(throttle.key(), (key, place) -> place.throttle.equals(throttle) ? null : place);
        dropped.add(throttle);
    }

    /**
     * Calls the listeners for dropped throttles, and warns of keys that were forgotten. The listeners are user code, so
     * it is not done while the cache locks a key.
     */
    void tellDropped() {
        resize();
        if (hasForgotten) {
            misuse.warn("Throttle \"" + name + "\": more than " + most + " keys are held back, and some are forgotten;"
                    + " such a key stays closed for as long, with the reason \"forgotten\". If all of them are meant to be"
                    + " called, raise maxKeys");
        }
        for (Throttle throttle = dropped.poll(); throttle != null; throttle = dropped.poll()) {
            throttle.events().onEvicted();
        }
    }

    /** Drops some of those kept that have nothing to do any more. */
    private void sweep(long now) {
        for (int i = 0; i < SWEEP && !byTime.isEmpty() && byTime.first().until - now <= 0; i++) {
            lookAgain(Objects.requireNonNull(byTime.pollFirst()));
        }
        for (int i = 0; i < SWEEP && !inUse.isEmpty(); i++) {
            Held held = inUse.iterator().next();
            inUse.remove(held);
            lookAgain(held);
        }
    }

    private void lookAgain(Held held) {
        if (retire(held.throttle)) {
            kept.remove(held.throttle.key());
        } else {
            keep(held.throttle);
        }
    }
}
