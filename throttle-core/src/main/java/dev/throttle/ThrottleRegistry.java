package dev.throttle;

import dev.throttle.engine.Engine;
import dev.throttle.engine.EngineSettings;
import dev.throttle.engine.RunMode;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A throttle for each key: for each host, for each account, or whatever the server counts by. All have the same
 * settings, except for keys that were given {@linkplain Builder#forKeys(String, Consumer) others}, and nothing else in
 * common.
 *
 * <p>The number of keys is bounded. A key that is not idle is never dropped: while requests of it wait or are on the
 * wire, while the server or the strategy holds it back, and while a fixed limit has permits out. Of the others the
 * least used go first, and with them what their controllers have learned. Thread-safe.
 *
 * <p>All keys together can be paused, resumed, drained and closed, those to come as well. A key can be paused by itself
 * too; then whatever is stricter holds.
 */
public final class ThrottleRegistry extends Pausable {

    private final EngineSettings settings;
    private final LiveSettings keyed;
    private final Function<String, String> labels;
    private final long seed;
    private final Listeners listeners;
    private final KeyedThrottles throttles;
    /** What was asked of all keys, those to come included. */
    private volatile RunMode mode = RunMode.RUNNING;
    /** A key comes into being with the lock for reading; the mode changes with the lock for writing. */
    private final ReentrantReadWriteLock coming = new ReentrantReadWriteLock();

    private final Successors successors = new Successors() {
        @Override
        public Engine successor(String key) {
            return get(key).engine();
        }

        @Override
        public @Nullable Engine successorIfPresent(String key) {
            Throttle there = getIfPresent(key);
            return there == null ? null : there.engine();
        }

        @Override
        public RunMode mode() {
            return mode;
        }
    };

    private ThrottleRegistry(Builder builder) {
        KeyRules.Settled start = builder.keyRules.settle(builder.freeze(0, false));
        this.keyed = new LiveSettings(start, this::all, coming.writeLock());
        this.settings = builder.engineSettings(start.ofAll);
        this.labels = builder.labels;
        this.seed = builder.seed();
        this.listeners = builder.listeners();
        this.throttles = new KeyedThrottles(builder.maxKeys, builder.idleExpiry, builder.time());
    }

    /** {@return a registry with the defaults of {@link Throttle#create()}} */
    public static ThrottleRegistry create() {
        return builder().build();
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The throttle of a key, made when first asked for.
     *
     * @param key the key
     * @return its throttle. Keep it as long as you like: should it be dropped meanwhile, it passes its callers on
     */
    public Throttle get(String key) {
        Throttle live = throttles.live(Preconditions.required("key", key));
        Throttle throttle = live == null ? create(key) : live;
        throttles.tellDropped();
        return throttle;
    }

    private Throttle create(String key) {
        // User code runs here, which may ask for another key: not while the cache holds this one.
        KeyRules.Settled by = keyed.current();
        Throttle made = throttles.isKept(key) ? null : make(key, by);
        Throttle throttle = comeIn(key, made, by);
        if (throttle == null) { // what was kept is gone meanwhile, or the settings have changed
            return create(key);
        }
        if (throttle == made) {
            throttle.events().onCreated();
        }
        if (throttle != made || !mode.equals(RunMode.RUNNING)) { // who comes back may have missed a change
            throttle.engine().control().follow();
        }
        return throttle;
    }

    private @Nullable Throttle comeIn(String key, @Nullable Throttle made, KeyRules.Settled by) {
        coming.readLock().lock();
        try {
            return throttles.comeIn(key, by == keyed.current() ? made : null);
        } finally {
            coming.readLock().unlock();
        }
    }

    private Throttle make(String key, KeyRules.Settled by) {
        String label = Preconditions.required("label", labels.apply(key));
        return new Throttle(settings.with(by.of(key)), key, label, seed, listeners, successors);
    }

    /**
     * {@return the throttle of a key if there is one}
     *
     * @param key the key
     */
    public @Nullable Throttle getIfPresent(String key) {
        return throttles.find(Preconditions.required("key", key));
    }

    /**
     * Learns what somebody else was told about the server of a key, as {@link Throttle#hear(Signal, Duration)} does. A
     * key that there is not yet comes into being only if something is left of what was said.
     *
     * @param key the key
     * @param signal what was said
     * @param age how long ago it was said, zero or more
     */
    public void hear(String key, Signal signal, Duration age) {
        if (getIfPresent(key) != null || LiveEngine.isNews(signal, age)) {
            get(key).hear(signal, age);
        }
    }

    /**
     * Tells how many processes share what the server grants for a key, as {@link Throttle#sharedBy} does. Without
     * effect if there is no such key yet.
     *
     * @param key the key
     * @param processes how many have something to do at the moment, this one included; 0 if nobody counts them any more
     * @param perSecond how many requests per second all of them together send; NaN or 0 if that is not known
     */
    public void sharedBy(String key, int processes, double perSecond) {
        Throttle throttle = getIfPresent(key);
        if (throttle != null) {
            throttle.sharedBy(processes, perSecond);
        }
    }

    /** {@return all throttles there are at the moment} */
    public List<Throttle> all() {
        return throttles.all();
    }

    /**
     * Takes no new calls of any key from now on, as {@link Throttle#drain()} does. It holds for keys to come as well.
     * Keys that were paused by themselves stay so.
     *
     * @return completes when this is true of all keys that there are: nobody waits and nothing is on the wire.
     *     Cancelled if calls are taken again before
     */
    @Override
    public CompletableFuture<Void> drain() {
        ask(RunMode.DRAINING);
        return CompletableFuture.allOf(all().stream()
                .map(throttle -> throttle.engine().control().quiet())
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    void ask(RunMode next) {
        coming.writeLock().lock();
        try {
            mode = mode.then(next);
        } finally {
            coming.writeLock().unlock();
        }
        all().forEach(throttle -> throttle.engine().control().follow());
    }

    /**
     * Changes settings while the registry runs: for all keys, those to come as well. It is one step for each key, as
     * with {@link Throttle#reconfigure}. The change begins with the settings that hold; the functions of
     * {@link Builder#forKeys(String, Consumer) forKeys} are asked again. What a key was given by itself is replaced.
     *
     * @param change changes the settings. If it throws, or if the settings of some key do not go together, nothing has
     *     changed
     */
    public void reconfigure(Consumer<RegistrySettings> change) {
        keyed.change(Preconditions.required("change", change));
    }

    /** {@return the name given by the builder} */
    public String name() {
        return settings.name();
    }

    /**
     * Adds a listener for all keys, those there are and those to come. It is told of the keys to come only; those there
     * are it finds in {@link #all()}.
     *
     * @param listener hears what the throttles do from now on
     * @return whether it was added; false if an equal one is there already
     */
    public boolean addListener(ThrottleListener listener) {
        return listeners.add(listener);
    }

    /**
     * Takes away a listener that {@link #addListener} or the builder added.
     *
     * @param listener hears no event that begins after this
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return listeners.remove(listener);
    }

    @Override
    public String toString() {
        return "ThrottleRegistry[" + name() + ", " + all().size() + " keys]";
    }

    /** Collects the settings of a registry. Not thread-safe; may be used for any number of registries. */
    public static final class Builder extends ThrottleSettings<Builder> {

        private long maxKeys = 10_000;
        private Duration idleExpiry = Duration.ofHours(1);
        private Function<String, String> labels = Function.identity();
        private final KeyRules keyRules = new KeyRules();

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets how many idle keys are kept; 10,000 by default. Keys that are not idle are kept in any case.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder maxKeys(int value) {
            this.maxKeys = Preconditions.between("maxKeys", value, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets after which time without use an idle key is dropped; an hour by default.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder idleExpiry(Duration value) {
            this.idleExpiry = Preconditions.positive("idleExpiry", value);
            return this;
        }

        /**
         * Sets how a key is shown in metrics, logs and exceptions; as it is by default. A key that holds a credential
         * needs a label that does not. Different keys should have different labels, as their meters are told apart by
         * them.
         *
         * @param value maps a key to its label
         * @return this builder
         */
        public Builder label(Function<String, String> value) {
            this.labels = Preconditions.required("label", value);
            return this;
        }

        /**
         * Gives some keys settings of their own. They begin as those of all keys when the registry is built. Of the
         * patterns and predicates that match a key the first one declared counts; a pattern declared again replaces the
         * first, in its place.
         *
         * <p>A key that is an origin, such as {@code https://api.github.com:443}, is matched by its host:
         * {@code api.github.com}, or {@code *.example.com} for all hosts below it; by host and port where the pattern
         * has one, as in {@code localhost:8080}; and by all of it where the pattern begins with a scheme. Any other key
         * is matched by its whole text. {@code *} stands for any characters.
         *
         * @param pattern which keys
         * @param change sets what is different for them; asked when the registry is built, once, and again when its
         *     settings change
         * @return this builder
         * @throws IllegalArgumentException if the pattern is malformed, or if an earlier one leaves it no keys
         */
        public Builder forKeys(String pattern, Consumer<KeySettings> change) {
            keyRules.put(pattern, change);
            return this;
        }

        /**
         * Gives some keys settings of their own, as {@link #forKeys(String, Consumer)} does.
         *
         * @param keys which keys; asked whenever the throttle of a key is made, and not for each request
         * @param change sets what is different for them
         * @return this builder
         */
        public Builder forKeys(Predicate<String> keys, Consumer<KeySettings> change) {
            keyRules.put(keys, change);
            return this;
        }

        /** {@return a registry with these settings, which makes a throttle for each key} */
        public ThrottleRegistry build() {
            return new ThrottleRegistry(this);
        }
    }
}
