package dev.throttle;

import dev.throttle.control.Controller;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.EnginePolicy;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * The settings that can be others for each key.
 *
 * @param <B> the builder
 */
abstract class AdjustableSettings<B extends AdjustableSettings<B>> {

    private static final Duration LONGEST = Duration.ofDays(36500);

    private Strategy strategy = Strategies.standard();
    private final List<Strategy> limits = new ArrayList<>();
    private final List<Function<String, AdmissionGuard>> guards = new ArrayList<>();
    private Classifier classifier = Classifier.standard();
    private HintReader hintReader = HintReader.standard();
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private Duration maxWait = Duration.ofMinutes(10);
    private int maxWaiting = Integer.MAX_VALUE;
    private WhenFull whenFull = WhenFull.REJECT_NEWCOMER;
    private PriorityPolicy priorities = PriorityPolicy.standard();
    private double retryAfterJitter = 0.05;
    private Duration maxRetryAfterJitter = Duration.ofSeconds(5);

    AdjustableSettings() {}

    abstract B self();

    /** Sets all to what it was once. */
    final void startFrom(EnginePolicy policy) {
        strategy = policy.strategies().get(0);
        limits.clear();
        limits.addAll(policy.strategies().subList(1, policy.strategies().size()));
        guards.clear();
        guards.addAll(policy.guards());
        classifier = policy.classifier();
        hintReader = policy.hintReader();
        retryPolicy = policy.retryPolicy();
        maxWait = policy.maxWait();
        maxWaiting = policy.maxWaiting();
        whenFull = policy.whenFull();
        priorities = policy.priorities();
        retryAfterJitter = policy.retryAfterJitter();
        maxRetryAfterJitter = policy.maxRetryAfterJitter();
    }

    /**
     * Sets the adaptive strategy; {@link Strategies#standard()} by default.
     *
     * @param value the strategy
     * @return this builder
     */
    public B strategy(Strategy value) {
        this.strategy = Preconditions.required("strategy", value);
        return self();
    }

    /**
     * Adds a limit that holds beside the strategy: of all waits the longest wins. At most one of the strategy and the
     * limits may be of the sleeping kind.
     *
     * @param value the limit
     * @return this builder
     */
    public B limit(Strategy value) {
        limits.add(Preconditions.required("limit", value));
        return self();
    }

    /**
     * Takes away all limits that were added so far; the strategy stays.
     *
     * @return this builder
     */
    public B noLimits() {
        limits.clear();
        return self();
    }

    /**
     * Adds a guard that may refuse attempts beside the throttle, such as a circuit breaker; guards are asked in the
     * order in which they were added. The throttles of a registry share it.
     *
     * @param value the guard
     * @return this builder
     */
    public B guard(AdmissionGuard value) {
        Preconditions.required("guard", value);
        return guardPerKey(key -> value);
    }

    /**
     * Adds a guard of its own for each key.
     *
     * @param value makes the guard of a key, whenever a throttle for that key is made; for nothing, if two threads ask
     *     for a new key at the same time
     * @return this builder
     */
    public B guardPerKey(Function<String, AdmissionGuard> value) {
        guards.add(Preconditions.required("guardPerKey", value));
        return self();
    }

    /**
     * Takes away all guards that were added so far.
     *
     * @return this builder
     */
    public B noGuards() {
        guards.clear();
        return self();
    }

    /**
     * Sets what decides how an attempt ended; {@link Classifier#standard()} by default.
     *
     * @param value the classifier
     * @return this builder
     */
    public B classifier(Classifier value) {
        this.classifier = Preconditions.required("classifier", value);
        return self();
    }

    /**
     * Sets what reads the headers about limits; {@link HintReader#standard()} by default.
     *
     * @param value the reader
     * @return this builder
     */
    public B hintReader(HintReader value) {
        this.hintReader = Preconditions.required("hintReader", value);
        return self();
    }

    /**
     * Sets which attempts are repeated; {@link RetryPolicy#standard()} by default.
     *
     * @param value the policy
     * @return this builder
     */
    public B retryPolicy(RetryPolicy value) {
        this.retryPolicy = Preconditions.required("retryPolicy", value);
        return self();
    }

    /**
     * Sets the longest time that a call may wait in total, over all its attempts; ten minutes by default. The time that
     * requests are under way does not count.
     *
     * @param value zero, for never waiting, to a hundred years, for as good as no limit
     * @return this builder
     */
    public B maxWait(Duration value) {
        Preconditions.notNegative("maxWait", value);
        Preconditions.check(value.compareTo(LONGEST) <= 0, "maxWait", value, "at most " + LONGEST);
        this.maxWait = value;
        return self();
    }

    /**
     * Sets how many callers may wait at a time. When it is full, {@link #whenFull} tells what becomes of who comes; a
     * call that repeats a refused attempt always has a place. Not limited by default.
     *
     * @param value at least 0
     * @return this builder
     */
    public B maxWaiting(int value) {
        this.maxWaiting = (int) Preconditions.between("maxWaiting", value, 0, Integer.MAX_VALUE);
        return self();
    }

    /**
     * Sets who is turned away when as many callers wait as may; {@link WhenFull#REJECT_NEWCOMER} by default.
     *
     * @param value who
     * @return this builder
     */
    public B whenFull(WhenFull value) {
        this.whenFull = Preconditions.required("whenFull", value);
        return self();
    }

    /**
     * Sets how calls of different {@link Priority} share the throttle; {@link PriorityPolicy#standard()} by default.
     *
     * @param value the policy
     * @return this builder
     */
    public B priorities(PriorityPolicy value) {
        this.priorities = Preconditions.required("priorities", value);
        return self();
    }

    /**
     * Sets how much may be added at random to a wait that a server named, so that clients which were told the same do
     * not come back at the same instant. Nothing is ever taken away from it.
     *
     * @param share of the wait, from 0 to 1; 0.05 by default
     * @param most the most that is added, zero or more; 5 seconds by default
     * @return this builder
     */
    public B retryAfterJitter(double share, Duration most) {
        Preconditions.between("retryAfterJitter share", share, 0, 1);
        this.maxRetryAfterJitter = Preconditions.notNegative("retryAfterJitter most", most);
        this.retryAfterJitter = share;
        return self();
    }

    /**
     * {@return the settings as they are now; throws if they do not go together}
     *
     * @param edition how often those of the set had changed that they come from
     * @param own whether they are those of one key that was changed by itself
     */
    final EnginePolicy freeze(long edition, boolean own) {
        List<Strategy> strategies = new ArrayList<>();
        strategies.add(strategy);
        strategies.addAll(limits);
        checkSleepers(strategies);
        return new EnginePolicy(
                List.copyOf(strategies),
                List.copyOf(guards),
                classifier,
                hintReader,
                retryPolicy,
                maxWait,
                maxWaiting,
                whenFull,
                priorities,
                retryAfterJitter,
                maxRetryAfterJitter,
                edition,
                own);
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
                sleepers.size() <= 1,
                "strategy and limits",
                sleepers,
                "at most one strategy that sleeps (a SleepController)");
    }
}
