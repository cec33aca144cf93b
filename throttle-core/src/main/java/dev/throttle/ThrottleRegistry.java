package dev.throttle;

import dev.throttle.client.Origin;
import dev.throttle.engine.Engine;
import dev.throttle.engine.EnginePolicy;
import dev.throttle.engine.EngineSettings;
import dev.throttle.engine.RunMode;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.internal.StandardLabels;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes and keeps one {@link Throttle} per key: per host, per account, or whatever the server counts by. All throttles
 * have the same settings, unless {@link Builder#forKeys(String, Consumer) forKeys} gives a key its own. They share no
 * state.
 *
 * <pre>{@code
 * ThrottleRegistry throttles = ThrottleRegistry.builder().maxWait(Duration.ofMinutes(1)).build();
 * Throttle github = throttles.get("https://api.github.com:443");
 * }</pre>
 *
 * <p>The number of keys is bounded. A key is never dropped while its requests wait or are in flight. Of the idle keys
 * the least used are dropped first, together with what their throttles have learned. Keys that the server or the
 * strategy holds back, or whose fixed limits are partly used up, are dropped only if there are more than
 * {@link Builder#maxKeys maxKeys}, and stay closed. Thread-safe.
 *
 * <p>Pausing, resuming, draining and closing a registry applies to all its keys, including those that are made later. A
 * single key can be paused, too; then the stricter of the two states applies.
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
        this.throttles = new KeyedThrottles(
                builder.name(), builder.maxKeys, builder.mostKeys, builder.idleExpiry, builder.time());
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
     * Returns the throttle of a key, and makes it if there is none. A URL without a path means its origin:
     * {@code https://api.github.com/} has the same throttle as {@code https://api.github.com:443}.
     *
     * @param key the key
     * @return its throttle. It can be kept for any time: if the registry drops it, it passes its callers on to its
     *     replacement
     */
    public Throttle get(String key) {
        Throttle live = throttles.live(Preconditions.required("key", key));
        Throttle throttle = live == null ? create(Origin.ofKey(key)) : live;
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
        if (throttle != made || !mode.equals(RunMode.RUNNING)) { // a throttle that comes back may have missed a change
            throttle.engine().followSet();
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
     * {@return the throttle of a key; null if there is none}
     *
     * @param key the key
     */
    public @Nullable Throttle getIfPresent(String key) {
        return throttles.find(Origin.ofKey(Preconditions.required("key", key)));
    }

    /**
     * Tells the throttle of a key what was learned elsewhere about the server, as {@link Throttle#observe(Signal,
     * Duration)} does. If the key has no throttle yet, one is made only if the information still matters.
     *
     * @param key the key
     * @param signal what the server said
     * @param age how long ago the server said it, zero or more
     */
    public void observe(String key, Signal signal, Duration age) {
        if (getIfPresent(key) != null || LiveEngine.isNews(signal, age)) {
            get(key).observe(signal, age);
        }
    }

    /**
     * Tells the throttle of a key how many processes share the server's quota, as {@link Throttle#reportSharers} does.
     * Has no effect if the key has no throttle yet.
     *
     * @param key the key
     * @param processes how many processes are active now, including this one; 0 if they are no longer counted
     * @param perSecond how many requests per second they send together; NaN or 0 if that is not known
     */
    public void reportSharers(String key, int processes, double perSecond) {
        Throttle throttle = getIfPresent(key);
        if (throttle != null) {
            throttle.reportSharers(processes, perSecond);
        }
    }

    /** {@return all current throttles} */
    public List<Throttle> all() {
        List<Throttle> all = throttles.all();
        throttles.tellDropped(); // idle keys, which are dropped when the throttles are listed
        return all;
    }

    /**
     * {@return what the throttles would have done that observe, first those whose server has refused most requests} As
     * {@link Throttle#report()}, one key after the other, so this may take a while. Keys that saw no request are left
     * out.
     */
    public List<ThrottleReport> reports() {
        return all().stream()
                .flatMap(throttle -> Stream.ofNullable(throttle.report()))
                .filter(report -> report.calls() > 0)
                .sorted(Comparator.comparingLong(ThrottleReport::refused).reversed())
                .toList();
    }

    /**
     * Rejects new calls of all keys from now on, as {@link Throttle#drain()} does, including keys that are made later.
     * Keys that were paused individually stay paused.
     *
     * @return a future that completes when no call of any current key is waiting or in flight. It is cancelled if the
     *     registry takes calls again first
     */
    @Override
    public CompletableFuture<Void> drain() {
        ask(RunMode.DRAINING);
        return CompletableFuture.allOf(
                all().stream().map(throttle -> throttle.engine().quiet()).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Ends all waits within a time, before the program ends. Calls that wait and new calls may go as before, but a call
     * that cannot go within the time is rejected: at once if that is known, and otherwise when the time is over. The
     * reason is what it waits for. A refused request that could not be retried in time is not retried. Bounds of waits
     * do not stand still any more. {@link #resume()} lifts the bound.
     *
     * @param time how long calls may still wait from now on, zero or more
     */
    public void endWaitsWithin(Duration time) {
        Preconditions.notNegative("time", time);
        ask(RunMode.endingAt(settings.time().nanoTime() + Nanos.of(time)));
    }

    @Override
    void ask(RunMode next) {
        coming.writeLock().lock();
        try {
            mode = mode.then(next);
        } finally {
            coming.writeLock().unlock();
        }
        all().forEach(throttle -> throttle.engine().followSet());
    }

    /**
     * Changes the settings of all keys while the registry runs, including keys that are made later. Each key changes in
     * one step, as with {@link Throttle#reconfigure}. The change starts with the current settings, and the functions of
     * {@link Builder#forKeys(String, Consumer) forKeys} are called again. Settings that a key received from
     * {@link Throttle#reconfigure} are replaced.
     *
     * @param change changes the settings. If it throws, or if the settings of some key contradict each other, nothing
     *     changes
     */
    public void reconfigure(Consumer<Settings> change) {
        Preconditions.required("change", change);
        keyed.change(current -> Settings.change(current, change));
    }

    /** {@return the name set with the builder} */
    public String name() {
        return settings.name();
    }

    /**
     * Adds a listener for all keys, current and later ones. {@link ThrottleListener#onCreated} is called for later keys
     * only; {@link #all()} has the current ones.
     *
     * @param listener receives the events from now on
     * @return whether it was added; false if an equal listener is already there
     */
    public boolean addListener(ThrottleListener listener) {
        return listeners.add(listener);
    }

    /**
     * Removes a listener that {@link #addListener} or the builder added.
     *
     * @param listener receives no event that begins after this call
     * @return whether it was there
     */
    public boolean removeListener(ThrottleListener listener) {
        return listeners.remove(listener);
    }

    @Override
    public String toString() {
        return "ThrottleRegistry[" + name() + ", " + all().size() + " keys]";
    }

    /** Collects the settings of a registry. Not thread-safe. Can be used for any number of registries. */
    public static final class Builder extends ThrottleSettings<Builder> {

        private long maxKeys = 10_000;
        private long mostKeys = KeyedThrottles.MOST_KEYS;
        private Duration idleExpiry = Duration.ofHours(1);
        private Function<String, String> labels = new StandardLabels();
        private final KeyRules keyRules = new KeyRules();

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets how many idle keys are kept. The default is 10,000. Keys that a server or a limit holds back are kept,
         * too, up to 10,000 keys in all, or this number if it is higher. Beyond that the key is forgotten that opens
         * soonest. If it is used again, it is closed until then, with the reason {@code forgotten}. A key with calls
         * that wait or are in flight is always kept.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder maxKeys(int value) {
            this.maxKeys = Preconditions.between("maxKeys", value, 1, Integer.MAX_VALUE);
            return this;
        }

        /** Sets how many keys are kept in all, for tests. */
        Builder mostKeys(int value) {
            this.mostKeys = value;
            return this;
        }

        /**
         * Sets the time without use after which an idle key is dropped. The default is one hour.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder idleExpiry(Duration value) {
            this.idleExpiry = Preconditions.positive("idleExpiry", value);
            return this;
        }

        /**
         * Sets how a key is shown in metrics, logs and exceptions. By default the key itself is shown, with a hash in
         * place of what looks like a credential, and a warning in the log. Not every credential can be recognized: set
         * a label if keys contain some. Different keys should have different labels, because labels distinguish their
         * meters.
         *
         * @param value maps a key to its label
         * @return this builder
         */
        public Builder label(Function<String, String> value) {
            this.labels = Preconditions.required("label", value);
            return this;
        }

        /**
         * Gives some keys their own settings. They start as the settings of the registry. If several patterns and
         * predicates match a key, the one declared first applies. A pattern that is declared again replaces the earlier
         * declaration and keeps its position.
         *
         * <p>A key that is an origin, such as {@code https://api.github.com:443}, is matched by its host, as in
         * {@code api.github.com}, or {@code *.example.com} for all its subdomains. If the pattern has a port, as in
         * {@code localhost:8080}, host and port are matched. If it begins with a scheme, the whole key is matched. Any
         * other key is matched by its whole text. {@code *} matches any characters.
         *
         * @param pattern which keys
         * @param change sets what is different for them. It is called when the registry is built, and again when the
         *     settings of the registry change
         * @return this builder
         * @throws IllegalArgumentException if the pattern is malformed, or if an earlier pattern already covers all its
         *     keys
         */
        public Builder forKeys(String pattern, Consumer<KeySettings> change) {
            keyRules.put(pattern, change);
            return this;
        }

        /**
         * Gives some keys their own settings, as {@link #forKeys(String, Consumer)} does.
         *
         * @param keys which keys; called when the throttle of a key is made, not for each request
         * @param change sets what is different for them
         * @return this builder
         */
        public Builder forKeys(Predicate<String> keys, Consumer<KeySettings> change) {
            keyRules.put(keys, change);
            return this;
        }

        /** {@return a registry with these settings} */
        public ThrottleRegistry build() {
            return new ThrottleRegistry(this);
        }
    }

    /**
     * The settings of a registry that can be changed while it runs. They start as the current ones. A setter replaces
     * one of them for all keys; {@link #limit} and {@link #guardPerKey} add to what is there. Not thread-safe. Use it
     * only within the function that receives it:
     *
     * <pre>{@code
     * throttles.reconfigure(settings -> settings.maxWait(Duration.ofMinutes(1)));
     * }</pre>
     */
    public static final class Settings extends AdjustableSettings<Settings> {

        private final KeyRules keyRules;

        private Settings(KeyRules.Settled start) {
            startFrom(start.ofAll);
            keyRules = start.rules.copy();
        }

        /**
         * {@return the settings after a change}
         *
         * @param start the current settings
         * @param change changes them; what it throws is thrown
         * @throws IllegalArgumentException if the new settings contradict each other
         */
        private static KeyRules.Settled change(KeyRules.Settled start, Consumer<Settings> change) {
            Settings settings = new Settings(start);
            change.accept(settings);
            EnginePolicy next = settings.freeze(start.ofAll.edition() + 1, false);
            return settings.keyRules.settle(next);
        }

        @Override
        Settings self() {
            return this;
        }

        /**
         * Gives some keys their own settings, as {@link Builder#forKeys(String, Consumer)} does. If the pattern was
         * declared before, these settings replace the old ones, and the pattern keeps its position.
         *
         * @param pattern which keys
         * @param change sets what is different for them
         * @return this
         * @throws IllegalArgumentException if the pattern is malformed, or if an earlier pattern already covers all its
         *     keys
         */
        public Settings forKeys(String pattern, Consumer<KeySettings> change) {
            keyRules.put(pattern, change);
            return this;
        }

        /**
         * Gives some keys their own settings, as {@link Builder#forKeys(Predicate, Consumer)} does.
         *
         * @param keys which keys
         * @param change sets what is different for them
         * @return this
         */
        public Settings forKeys(Predicate<String> keys, Consumer<KeySettings> change) {
            keyRules.put(keys, change);
            return this;
        }

        /**
         * Removes all settings made with {@code forKeys}, so that all keys have those of the registry.
         *
         * @return this
         */
        public Settings clearKeys() {
            keyRules.clear();
            return this;
        }
    }
}
