package dev.throttle;

import dev.throttle.control.SleepStrategy;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.EnginePolicy;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.Cost;
import dev.throttle.signal.HintReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings that can be others for each key.
 *
 * @param <B> the builder
 */
abstract class AdjustableSettings<B extends AdjustableSettings<B>> {

    private static final Duration LONGEST = Duration.ofDays(36500);
    private static final int MOST_WEIGHT = 1_000;

    private Strategy strategy = Strategies.standard();
    private final List<Strategy> limits = new ArrayList<>();
    private final List<Function<String, AdmissionGuard>> guards = new ArrayList<>();
    private Classifier classifier = Classifier.standard();
    private HintReader hintReader = HintReader.standard();
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private Duration maxWait = Duration.ofMinutes(10);
    private @Nullable Duration overloadWait;
    private int maxWaiting = 100_000;
    private int asyncInFlight = 512;
    private WhenFull whenFull = WhenFull.REJECT_NEWCOMER;
    private PriorityPolicy priorities = PriorityPolicy.standard();
    private Map<String, Integer> tenantWeights = Map.of();
    private double retryAfterJitter = 0.05;
    private Duration maxRetryAfterJitter = Duration.ofSeconds(5);
    private final Map<String, Map<String, Double>> unitWeights = new LinkedHashMap<>();
    private boolean learnRoutes = true;
    private ThrottleMode mode = ThrottleMode.ENFORCE;

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
        overloadWait = policy.overloadWait();
        maxWaiting = policy.maxWaiting();
        asyncInFlight = policy.asyncInFlight();
        whenFull = policy.whenFull();
        priorities = policy.priorities();
        tenantWeights = policy.tenantWeights();
        retryAfterJitter = policy.retryAfterJitter();
        maxRetryAfterJitter = policy.maxRetryAfterJitter();
        unitWeights.clear();
        unitWeights.putAll(policy.unitWeights());
        learnRoutes = policy.learnsRoutes();
        mode = policy.mode();
    }

    /**
     * Sets the adaptive strategy. The default is {@link Strategies#standard()}.
     *
     * @param value the strategy
     * @return this builder
     */
    public B strategy(Strategy value) {
        this.strategy = Preconditions.required("strategy", value);
        return self();
    }

    /**
     * Adds a limit that applies in addition to the strategy. The longest wait of all wins. At most one of the strategy
     * and the limits may be a {@link SleepStrategy}.
     *
     * @param value the limit
     * @return this builder
     */
    public B limit(Strategy value) {
        limits.add(Preconditions.required("limit", value));
        return self();
    }

    /**
     * Adds a limit of how fast the traffic may grow, for servers that refuse sudden increases. It is a {@link #limit}
     * like any other: {@link Strategies#rampUp()} says what it does, and can count other units.
     *
     * @param doubleEvery in which time the rate may double, from a millisecond to a day; not less than the server
     *     allows
     * @param perSecond requests per second at the start and after a time without use, from 1 to a billion
     * @return this builder
     */
    public B rampUp(Duration doubleEvery, long perSecond) {
        return limit(Strategies.rampUp()
                .doubleEvery(doubleEvery)
                .from(perSecond, Duration.ofSeconds(1))
                .build());
    }

    /**
     * Removes all limits that were added so far. The strategy stays.
     *
     * @return this builder
     */
    public B clearLimits() {
        limits.clear();
        return self();
    }

    /**
     * Adds a guard that may refuse attempts, such as a circuit breaker. Guards are asked in the order in which they
     * were added. All throttles of a registry share this guard.
     *
     * @param value the guard
     * @return this builder
     */
    public B guard(AdmissionGuard value) {
        Preconditions.required("guard", value);
        return guardPerKey(key -> value);
    }

    /**
     * Adds a guard that each key has for itself.
     *
     * @param value makes the guard of a key. It is called whenever a throttle is made for that key; if two threads ask
     *     for a new key at the same time, one of the two guards is not used
     * @return this builder
     */
    public B guardPerKey(Function<String, AdmissionGuard> value) {
        guards.add(Preconditions.required("guardPerKey", value));
        return self();
    }

    /**
     * Removes all guards that were added so far.
     *
     * @return this builder
     */
    public B noGuards() {
        guards.clear();
        return self();
    }

    /**
     * Sets the classifier, which decides whether a response is a refusal. The default is {@link Classifier#standard()}.
     *
     * @param value the classifier
     * @return this builder
     */
    public B classifier(Classifier value) {
        this.classifier = Preconditions.required("classifier", value);
        return self();
    }

    /**
     * Sets the reader of the headers about limits. The default is {@link HintReader#standard()}.
     *
     * @param value the reader
     * @return this builder
     */
    public B hintReader(HintReader value) {
        this.hintReader = Preconditions.required("hintReader", value);
        return self();
    }

    /**
     * Sets how much the units of a cost count in another, for a server that counts them so. Bedrock, for example,
     * counts each token of output five times for some models:
     *
     * <pre>{@code
     * builder.unitWeights(Quota.TOKENS, Map.of(Quota.INPUT_TOKENS, 1.0, Quota.OUTPUT_TOKENS, 5.0));
     * }</pre>
     *
     * <p>It applies to what calls have cost, as the server tells it or {@link Permit#settle} does. Estimates follow
     * from that after the first calls. By default units do not count in others.
     *
     * @param unit the unit that is counted
     * @param weights how much each other unit counts, at least 0; empty to remove them
     * @return this builder
     */
    public B unitWeights(String unit, Map<String, Double> weights) {
        Preconditions.required("unit", unit);
        Preconditions.required("weights", weights)
                .forEach((name, weight) -> Preconditions.between("weight of " + name, weight, 0, Cost.MAX_AMOUNT));
        if (weights.isEmpty()) {
            unitWeights.remove(unit);
        } else {
            unitWeights.put(unit, Map.copyOf(weights));
        }
        return self();
    }

    /**
     * Sets which attempts are retried. The default is {@link RetryPolicy#standard()}.
     *
     * @param value the policy
     * @return this builder
     */
    public B retryPolicy(RetryPolicy value) {
        this.retryPolicy = Preconditions.required("retryPolicy", value);
        return self();
    }

    /**
     * Sets the longest time that a call may wait in total, over all its attempts. The default is ten minutes. The time
     * that its requests take does not count.
     *
     * @param value from zero, to never wait, to 36,500 days, which is practically no limit
     * @return this builder
     */
    public B maxWait(Duration value) {
        Preconditions.notNegative("maxWait", value);
        Preconditions.check(value.compareTo(LONGEST) <= 0, "maxWait", value, "at most " + LONGEST);
        this.maxWait = value;
        return self();
    }

    /**
     * Sets the longest time that a call waits for a server that is away, that is, while nothing of its key succeeds any
     * more: connections are refused or reset, or a gateway or the server itself answers 502, 503 or 504. After that
     * time the caller gets the last answer or exception. By default a call waits 30 seconds for a server that does not
     * answer, and up to {@link #maxWait} for one that answers that it is overloaded. A server that has never answered
     * is not waited for.
     *
     * @param value from zero, to not wait at all, to 36,500 days; {@code maxWait} still applies
     * @return this builder
     */
    public B overloadWait(Duration value) {
        Preconditions.notNegative("overloadWait", value);
        Preconditions.check(value.compareTo(LONGEST) <= 0, "overloadWait", value, "at most " + LONGEST);
        this.overloadWait = value;
        return self();
    }

    /**
     * Sets how many callers may wait at a time. When the queue is full, {@link #whenFull} decides which caller is
     * rejected. A retry always has a place in the queue. The default is 100,000.
     *
     * @param value at least 0
     * @return this builder
     */
    public B maxWaiting(int value) {
        this.maxWaiting = (int) Preconditions.between("maxWaiting", value, 0, Integer.MAX_VALUE);
        return self();
    }

    /**
     * Sets how many requests of a key may be in flight before asynchronous calls of an HTTP client wait:
     * {@code sendAsync}, {@code enqueue} and {@code WebClient}. A request is in flight from its sending to the head of
     * its response. The default is 512. Blocking calls, which their threads bound, do not wait, but they count. Nor do
     * permits that the program itself acquires. Neither wait behind the calls that do. {@link Strategies#inFlight()} is
     * a limit for all of them.
     *
     * @param value at least 1
     * @return this builder
     */
    public B asyncInFlight(int value) {
        this.asyncInFlight = (int) Preconditions.between("asyncInFlight", value, 1, Integer.MAX_VALUE);
        return self();
    }

    /**
     * Sets which caller is rejected when the queue is full. The default is {@link WhenFull#REJECT_NEWCOMER}.
     *
     * @param value which caller
     * @return this builder
     */
    public B whenFull(WhenFull value) {
        this.whenFull = Preconditions.required("whenFull", value);
        return self();
    }

    /**
     * Sets how calls of different {@link Priority} share the throttle. The default is
     * {@link PriorityPolicy#standard()}.
     *
     * @param value the policy
     * @return this builder
     */
    public B priorities(PriorityPolicy value) {
        this.priorities = Preconditions.required("priorities", value);
        return self();
    }

    /**
     * Sets the weights of tenants. While calls of several {@linkplain CallOptions#tenant tenants} and of one priority
     * wait, a tenant of weight 3 gets three times as much as one of weight 1. All tenants have weight 1 by default.
     *
     * @param value the weight of each tenant that differs, from 1 to 1,000; it replaces all weights that were set
     *     before
     * @return this builder
     */
    public B tenantWeights(Map<String, Integer> value) {
        Preconditions.required("tenantWeights", value).forEach((tenant, weight) -> {
            Preconditions.notBlank("tenant", tenant);
            Preconditions.between("weight of tenant " + tenant, weight, 1, MOST_WEIGHT);
        });
        this.tenantWeights = Map.copyOf(value);
        return self();
    }

    /**
     * Sets the random time that is added to a wait that the server named, so that clients that were told the same time
     * do not all return at the same instant. The wait is never shortened.
     *
     * @param share the most that is added, as a share of the wait, from 0 to 1; 0.05 by default
     * @param most the most that is added in any case, zero or more; 5 seconds by default
     * @return this builder
     */
    public B retryAfterJitter(double share, Duration most) {
        Preconditions.between("retryAfterJitter share", share, 0, 1);
        this.maxRetryAfterJitter = Preconditions.notNegative("retryAfterJitter most", most);
        this.retryAfterJitter = share;
        return self();
    }

    /**
     * Sets whether a call waits only for those quotas of the server that count it. A server that has several names them
     * in its responses, such as {@code core} and {@code search} of GitHub. The throttle learns which quotas count which
     * routes, that is, methods and paths. A route waits for all quotas until three responses have named some. At most
     * 64 routes of a key are remembered. The default is true; if false, each call waits for all quotas.
     *
     * @param value whether routes are learned
     * @return this builder
     */
    public B learnRoutes(boolean value) {
        this.learnRoutes = value;
        return self();
    }

    /**
     * Sets whether the throttle acts on what it knows. With {@link ThrottleMode#OBSERVE} it reads all responses and
     * learns from them, but no call waits, is retried or is rejected, also not by guards, or because the throttle is
     * paused or closed. {@link Throttle#report()} says what it would have done. When a running throttle changes to
     * {@link ThrottleMode#ENFORCE}, strategies and limits start anew with what the server said last; when it changes to
     * {@code OBSERVE}, all waiting calls may go. The default is {@link ThrottleMode#ENFORCE}.
     *
     * @param value the mode
     * @return this builder
     */
    public B mode(ThrottleMode value) {
        this.mode = Preconditions.required("mode", value);
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
                overloadWait,
                maxWaiting,
                asyncInFlight,
                whenFull,
                priorities,
                tenantWeights,
                retryAfterJitter,
                maxRetryAfterJitter,
                Map.copyOf(unitWeights),
                learnRoutes,
                mode,
                edition,
                own);
    }

    private static void checkSleepers(List<Strategy> strategies) {
        List<String> sleepers = new ArrayList<>();
        for (Strategy strategy : strategies) {
            Preconditions.required("name of a strategy", strategy.name());
            if (strategy instanceof SleepStrategy) {
                sleepers.add(strategy.name());
            }
        }
        Preconditions.check(
                sleepers.size() <= 1,
                "strategy and limits",
                sleepers,
                "at most one strategy that sleeps (a SleepStrategy)");
    }
}
