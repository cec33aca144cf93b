package dev.throttle.control;

import dev.throttle.control.busy.BusyRps;
import dev.throttle.control.limit.InFlightLimit;
import dev.throttle.control.limit.LeakyBucket;
import dev.throttle.control.limit.TokenBucket;
import dev.throttle.control.limit.WindowLimit;
import dev.throttle.control.quota.QuotaPacing;
import dev.throttle.control.sleep.ExponentialBackoff;
import dev.throttle.control.sleep.ExponentialIncrease;
import dev.throttle.control.sleep.GreedyUntilReset;
import dev.throttle.control.sleep.LinearBackoff;
import dev.throttle.control.sleep.ResponsiveBackoff;
import dev.throttle.internal.Preconditions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The strategies that come with the library, each by a builder of its own, or by name with settings as text.
 *
 * <p>{@code docs/strategies.md} tells what each is for.
 */
public final class Strategies {

    private static final Map<String, Supplier<StrategyBuilder<?>>> BUILDERS = byName(
            NoSleep.Builder::new,
            Strategies::linearBackoff,
            Strategies::exponentialBackoff,
            Strategies::exponentialIncreaseGradualDecrease,
            Strategies::exponentialIncreaseProportionalDecrease,
            Strategies::exponentialIncreaseProportionalRemainingDecrease,
            Strategies::responsiveBackoff,
            Strategies::quotaPacing,
            Strategies::greedyUntilReset,
            Strategies::busyRps,
            Strategies::tokenBucket,
            Strategies::leakyBucket,
            Strategies::fixedWindow,
            Strategies::slidingWindowLog,
            Strategies::slidingWindowCounter,
            Strategies::inFlight);

    private Strategies() {}

    @SafeVarargs
    private static Map<String, Supplier<StrategyBuilder<?>>> byName(Supplier<StrategyBuilder<?>>... builders) {
        Map<String, Supplier<StrategyBuilder<?>>> byName = new LinkedHashMap<>();
        for (Supplier<StrategyBuilder<?>> builder : builders) {
            byName.put(builder.get().name(), builder);
        }
        return byName;
    }

    /** {@return the default strategy} */
    public static Strategy standard() {
        return quotaPacing().build();
    }

    /** {@return the names of all strategies, as {@link #named(String)} takes them} */
    public static List<String> names() {
        return List.copyOf(BUILDERS.keySet());
    }

    /**
     * {@return a builder of a strategy by its name, whose settings are set as text}
     *
     * @param name the strategy's name
     * @throws IllegalArgumentException if there is no strategy of this name; the message lists the names
     */
    public static StrategyBuilder<?> builder(String name) {
        Supplier<StrategyBuilder<?>> builder = BUILDERS.get(Preconditions.required("strategy", name));
        if (builder == null) {
            throw new IllegalArgumentException(
                    "unknown strategy '" + name + "': known are " + String.join(", ", BUILDERS.keySet()));
        }
        return builder.get();
    }

    /**
     * {@return a strategy with its defaults}
     *
     * @param name its name
     * @throws IllegalArgumentException if there is no strategy of this name; the message lists the names
     */
    public static Strategy named(String name) {
        return named(name, Map.of());
    }

    /**
     * Makes a strategy from text, for configuration files and command lines.
     *
     * @param name its name
     * @param settings its settings, as {@link StrategyBuilder#set} takes them. What is not set has its default
     * @return the strategy
     * @throws IllegalArgumentException if there is no strategy of this name, if it has no such setting (the message
     *     lists what there is), or if it does not accept a value
     */
    public static Strategy named(String name, Map<String, String> settings) {
        StrategyBuilder<?> builder = builder(name);
        settings.forEach(builder::set);
        return builder.build();
    }

    /**
     * {@return a builder of {@code quota-pacing}, the default strategy: full speed while the quota allows it, and never
     * more on the wire than may be used; what is scarce is shared with other clients}
     */
    public static QuotaPacing.Builder quotaPacing() {
        return new QuotaPacing.Builder();
    }

    /**
     * {@return a builder of {@code greedy-until-reset}: full speed until the quota is used up, then a wait for the
     * reset or the {@code Retry-After}}
     */
    public static GreedyUntilReset.Builder greedyUntilReset() {
        return new GreedyUntilReset.Builder();
    }

    /** {@return {@code none}: no strategy at all} */
    public static Strategy none() {
        return new NoSleep.Builder().build();
    }

    /** {@return a builder of {@code linear-backoff}: a sleep that grows by a constant while requests are refused} */
    public static LinearBackoff.Builder linearBackoff() {
        return new LinearBackoff.Builder();
    }

    /**
     * {@return a builder of {@code exponential-backoff}: a refused call sleeps longer and longer, others not at all}
     */
    public static ExponentialBackoff.Builder exponentialBackoff() {
        return new ExponentialBackoff.Builder();
    }

    /**
     * {@return a builder of {@code exponential-increase-gradual-decrease}: a sleep that grows with each refusal and
     * shrinks by a constant with each success}
     */
    public static ExponentialIncrease.GradualBuilder exponentialIncreaseGradualDecrease() {
        return new ExponentialIncrease.GradualBuilder();
    }

    /**
     * {@return a builder of {@code exponential-increase-proportional-decrease}: a sleep that grows with each refusal
     * and shrinks by a share of itself with each success}
     */
    public static ExponentialIncrease.ProportionalBuilder exponentialIncreaseProportionalDecrease() {
        return new ExponentialIncrease.ProportionalBuilder();
    }

    /**
     * {@return a builder of {@code exponential-increase-proportional-remaining-decrease}: a sleep that grows with each
     * refusal and shrinks with each success, the faster the more quota remains}
     */
    public static ExponentialIncrease.RemainingBuilder exponentialIncreaseProportionalRemainingDecrease() {
        return new ExponentialIncrease.RemainingBuilder();
    }

    /**
     * {@return a builder of {@code responsive-backoff}: a sleep that is multiplied with each refusal and shrinks after
     * every so many successes}
     */
    public static ResponsiveBackoff.Builder responsiveBackoff() {
        return new ResponsiveBackoff.Builder();
    }

    /**
     * {@return a builder of {@code busy-rps}: a limit of requests per second that each busy response halves and that
     * recovers once a second}
     */
    public static BusyRps.Builder busyRps() {
        return new BusyRps.Builder();
    }

    /** {@return a builder of {@code token-bucket}: bursts up to a size, and a rate in the long run} */
    public static TokenBucket.Builder tokenBucket() {
        return new TokenBucket.Builder();
    }

    /** {@return a builder of {@code leaky-bucket}: constant spacing, with a bounded queue} */
    public static LeakyBucket.Builder leakyBucket() {
        return new LeakyBucket.Builder();
    }

    /** {@return a builder of {@code fixed-window}: so many permits in each of the windows that follow each other} */
    public static WindowLimit.Builder fixedWindow() {
        return WindowLimit.fixedWindow();
    }

    /** {@return a builder of {@code sliding-window-log}: so many permits in any window, exactly} */
    public static WindowLimit.Builder slidingWindowLog() {
        return WindowLimit.slidingWindowLog();
    }

    /**
     * {@return a builder of {@code sliding-window-counter}: so many permits in any window, as two counters estimate it}
     */
    public static WindowLimit.Builder slidingWindowCounter() {
        return WindowLimit.slidingWindowCounter();
    }

    /** {@return a builder of {@code in-flight}: so many requests on the wire at a time, the others wait} */
    public static InFlightLimit.Builder inFlight() {
        return new InFlightLimit.Builder();
    }
}
