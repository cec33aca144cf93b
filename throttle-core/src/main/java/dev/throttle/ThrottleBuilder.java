package dev.throttle;

import dev.throttle.control.Controller;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a throttle. Every setter refuses what it does not accept with an
 * {@link IllegalArgumentException} that names the setting, the value and what it accepts, and null with a
 * {@link NullPointerException}. Not thread-safe; may be used for any number of throttles.
 */
public final class ThrottleBuilder {

    private static final Duration LONGEST = Duration.ofDays(36500);

    private String name = "default";
    private Strategy strategy = Strategies.standard();
    private final List<Strategy> limits = new ArrayList<>();
    private final List<Function<String, AdmissionGuard>> guards = new ArrayList<>();
    private Classifier classifier = Classifier.standard();
    private HintReader hintReader = HintReader.standard();
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private Duration maxWait = Duration.ofMinutes(10);
    private int maxWaiting = Integer.MAX_VALUE;
    private double retryAfterJitter = 0.05;
    private Duration maxRetryAfterJitter = Duration.ofSeconds(5);
    private @Nullable Long seed;
    private TimeSource time = TimeSource.system();
    private @Nullable Executor executor;
    private final List<ThrottleListener> listeners = new ArrayList<>();

    ThrottleBuilder() {}

    /**
     * Sets the name, shown as tag {@code throttle} of the metrics; {@code default} by default.
     *
     * @param value not blank
     * @return this builder
     */
    public ThrottleBuilder name(String value) {
        this.name = Preconditions.notBlank("name", value);
        return this;
    }

    /**
     * Sets the adaptive strategy; {@link Strategies#standard()} by default.
     *
     * @param value the strategy
     * @return this builder
     */
    public ThrottleBuilder strategy(Strategy value) {
        this.strategy = Preconditions.required("strategy", value);
        return this;
    }

    /**
     * Adds a limit that holds beside the strategy: of all waits the longest wins. At most one of the strategy and the
     * limits may be of the sleeping kind.
     *
     * @param value the limit
     * @return this builder
     */
    public ThrottleBuilder limit(Strategy value) {
        limits.add(Preconditions.required("limit", value));
        return this;
    }

    /**
     * Adds a guard that may refuse attempts beside the throttle, such as a circuit breaker; guards are asked in the
     * order in which they were added. ThrottleRegistry of several keys share it.
     *
     * @param value the guard
     * @return this builder
     */
    public ThrottleBuilder guard(AdmissionGuard value) {
        Preconditions.required("guard", value);
        return guardPerKey(key -> value);
    }

    /**
     * Adds a guard of its own for each key.
     *
     * @param value makes the guard of a key, whenever a throttle for that key is made
     * @return this builder
     */
    public ThrottleBuilder guardPerKey(Function<String, AdmissionGuard> value) {
        guards.add(Preconditions.required("guardPerKey", value));
        return this;
    }

    /**
     * Sets what decides how an attempt ended; {@link Classifier#standard()} by default.
     *
     * @param value the classifier
     * @return this builder
     */
    public ThrottleBuilder classifier(Classifier value) {
        this.classifier = Preconditions.required("classifier", value);
        return this;
    }

    /**
     * Sets what reads the headers about limits; {@link HintReader#standard()} by default.
     *
     * @param value the reader
     * @return this builder
     */
    public ThrottleBuilder hintReader(HintReader value) {
        this.hintReader = Preconditions.required("hintReader", value);
        return this;
    }

    /**
     * Sets which attempts are repeated; {@link RetryPolicy#standard()} by default.
     *
     * @param value the policy
     * @return this builder
     */
    public ThrottleBuilder retryPolicy(RetryPolicy value) {
        this.retryPolicy = Preconditions.required("retryPolicy", value);
        return this;
    }

    /**
     * Sets the longest time that a call may wait in total, over all its attempts; ten minutes by default. The time that
     * requests are under way does not count.
     *
     * @param value zero, for never waiting, to a hundred years, for as good as no limit
     * @return this builder
     */
    public ThrottleBuilder maxWait(Duration value) {
        Preconditions.notNegative("maxWait", value);
        Preconditions.check(value.compareTo(LONGEST) <= 0, "maxWait", value, "at most " + LONGEST);
        this.maxWait = value;
        return this;
    }

    /**
     * Sets how many callers may wait at a time; who comes when it is full is turned away at once, except a call that
     * repeats a refused attempt. Not limited by default.
     *
     * @param value at least 0
     * @return this builder
     */
    public ThrottleBuilder maxWaiting(int value) {
        this.maxWaiting = (int) Preconditions.between("maxWaiting", value, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets how much may be added at random to a wait that a server named, so that clients which were told the same do
     * not come back at the same instant. Nothing is ever taken away from it.
     *
     * @param share of the wait, from 0 to 1; 0.05 by default
     * @param most the most that is added, zero or more; 5 seconds by default
     * @return this builder
     */
    public ThrottleBuilder retryAfterJitter(double share, Duration most) {
        Preconditions.between("retryAfterJitter share", share, 0, 1);
        this.maxRetryAfterJitter = Preconditions.notNegative("retryAfterJitter most", most);
        this.retryAfterJitter = share;
        return this;
    }

    /**
     * Sets the seed of all randomness, to make runs repeatable; drawn at random by default.
     *
     * @param value any number
     * @return this builder
     */
    public ThrottleBuilder seed(long value) {
        this.seed = value;
        return this;
    }

    /**
     * Sets the clocks and the timer; those of the JVM by default.
     *
     * @param value the time source
     * @return this builder
     */
    public ThrottleBuilder time(TimeSource value) {
        this.time = Preconditions.required("time", value);
        return this;
    }

    /**
     * Sets where the futures of asynchronous callers are completed, and so where what depends on them runs; by default
     * a pool of daemon threads shared by all throttles, one for each processor and at least two. An executor that runs
     * tasks on the spot, such as {@code Runnable::run}, is fine where nothing that depends on the futures blocks. If
     * the executor refuses a task, the future fails with what it threw and the permit goes back.
     *
     * @param value the executor
     * @return this builder
     */
    public ThrottleBuilder executor(Executor value) {
        this.executor = Preconditions.required("executor", value);
        return this;
    }

    /**
     * Adds a listener.
     *
     * @param value hears what the throttle does
     * @return this builder
     */
    public ThrottleBuilder listener(ThrottleListener value) {
        listeners.add(Preconditions.required("listener", value));
        return this;
    }

    /** {@return a throttle with these settings} */
    public Throttle build() {
        return new Throttle(config(), name, null);
    }

    /**
     * {@return a set of throttles with these settings, one per key, with at most 10,000 keys that have nothing to do}
     */
    public ThrottleRegistry perKey() {
        return perKey(10_000, Duration.ofHours(1));
    }

    /**
     * Makes a set of throttles with these settings, one per key.
     *
     * @param maxKeys how many keys with nothing to do are kept, at least 1. Keys that are blocked, have callers waiting
     *     or requests on the wire are kept in any case
     * @param idleExpiry after which time without use a key with nothing to do is dropped, above zero
     * @return the set
     */
    public ThrottleRegistry perKey(int maxKeys, Duration idleExpiry) {
        return new ThrottleRegistry(config(), maxKeys, idleExpiry);
    }

    private ThrottleConfig config() {
        List<Strategy> strategies = new ArrayList<>();
        strategies.add(strategy);
        strategies.addAll(limits);
        checkSleepers(strategies);
        return new ThrottleConfig(
                name,
                List.copyOf(strategies),
                List.copyOf(guards),
                classifier,
                hintReader,
                retryPolicy,
                maxWait,
                maxWaiting,
                retryAfterJitter,
                maxRetryAfterJitter,
                seed == null ? new SplittableRandom().nextLong() : seed,
                time,
                executor == null ? CallbackPool.shared() : executor,
                new Listeners(listeners));
    }

    private static void checkSleepers(List<Strategy> strategies) {
        List<String> sleepers = new ArrayList<>();
        for (Strategy strategy : strategies) {
            Preconditions.required("name of a strategy", strategy.name());
            Controller controller = Preconditions.required(
                    "controller of " + strategy.name(), strategy.newController(new SplittableRandom(0)));
            if (controller instanceof SleepController) {
                sleepers.add(strategy.name());
            }
        }
        Preconditions.check(
                sleepers.size() <= 1, "strategy and limits", sleepers, "at most one strategy of the sleeping kind");
    }
}
