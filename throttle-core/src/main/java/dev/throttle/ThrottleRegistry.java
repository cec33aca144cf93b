package dev.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A throttle for each key: for each host, for each account, or whatever the server counts by. All have the same
 * settings and nothing else in common.
 *
 * <p>The number of keys is bounded. A key that is blocked, has callers waiting or requests on the wire is never
 * dropped; of the others the least used go first, and with them what their controllers have learned. Thread-safe.
 */
public final class ThrottleRegistry {

    /** How many keys kept beyond the bound are looked at for each one that is added to them. */
    private static final int SWEEP = 4;

    private final ThrottleConfig config;
    private final Cache<String, Throttle> cache;
    /** ThrottleRegistry that the cache wanted to drop while they had something to do. */
    private final ConcurrentMap<String, Throttle> kept = new ConcurrentHashMap<>();

    private final ReentrantLock sweeping = new ReentrantLock();
    private Iterator<Map.Entry<String, Throttle>> sweep = kept.entrySet().iterator();

    ThrottleRegistry(ThrottleConfig config, int maxKeys, Duration idleExpiry) {
        this.config = config;
        Preconditions.between("maxKeys", maxKeys, 1, Integer.MAX_VALUE);
        Preconditions.positive("idleExpiry", idleExpiry);
        this.cache = Caffeine.newBuilder()
                .maximumSize(maxKeys)
                .expireAfterAccess(idleExpiry)
                .ticker(config.time()::nanoTime)
                .executor(Runnable::run)
                .evictionListener(this::onEviction)
                .build();
    }

    /** {@return a set with the defaults of {@link Throttle#create()}} */
    public static ThrottleRegistry create() {
        return Throttle.builder().perKey();
    }

    /**
     * The throttle of a key, made when first asked for.
     *
     * @param key the key
     * @return its throttle. Keep it as long as you like: should it be dropped meanwhile, it passes its callers on
     */
    public Throttle get(String key) {
        Throttle throttle = cache.getIfPresent(Preconditions.required("key", key));
        return throttle != null && !throttle.isEvicted() ? throttle : create(key);
    }

    /** Waits for an eviction of the key to end, should one be under way. */
    private Throttle create(String key) {
        boolean[] created = {false};
        Throttle throttle = cache.asMap().compute(key, (k, there) -> {
            if (there != null && !there.isEvicted()) {
                return there;
            }
            Throttle back = kept.remove(k);
            created[0] = back == null;
            return back == null ? new Throttle(config, k, this) : back;
        });
        if (created[0]) {
            throttle.engine().telemetry().onCreated();
        }
        return throttle;
    }

    /**
     * {@return the throttle of a key if there is one}
     *
     * @param key the key
     */
    public @Nullable Throttle getIfPresent(String key) {
        Throttle throttle = cache.getIfPresent(Preconditions.required("key", key));
        return throttle == null ? kept.get(key) : throttle;
    }

    /** {@return all throttles there are at the moment} */
    public List<Throttle> all() {
        List<Throttle> all = new ArrayList<>(cache.asMap().values());
        all.addAll(kept.values());
        return List.copyOf(all);
    }

    /** {@return the name given by the builder} */
    public String name() {
        return config.name();
    }

    /**
     * Adds a listener for all keys, those there are and those to come. It is told of the keys to come only; those there
     * are it finds in {@link #all()}.
     *
     * @param listener hears what the throttles do from now on
     * @return whether it was added; false if an equal one is there already
     */
    public boolean addListener(ThrottleListener listener) {
        return config.listeners().add(listener);
    }

    /**
     * Takes away a listener that {@link #addListener} or the builder added.
     *
     * @param listener hears no event that begins after this
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return config.listeners().remove(listener);
    }

    /** Runs while the cache holds the key, so that nobody can make a second throttle for it meanwhile. */
    private void onEviction(@Nullable String key, @Nullable Throttle throttle, RemovalCause cause) {
        if (key == null || throttle == null) {
            return;
        }
        sweep();
        // The cache may drop a newcomer before whoever asked for it has had its turn.
        if (throttle.engine().isUnused() || !retire(throttle)) {
            kept.put(key, throttle);
        }
    }

    private static boolean retire(Throttle throttle) {
        if (!throttle.engine().tryRetire()) {
            return false;
        }
        throttle.engine().telemetry().onEvicted();
        return true;
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
