package dev.throttle.control;

import dev.throttle.control.busy.BusyRps;
import dev.throttle.control.limit.InFlightLimit;
import dev.throttle.control.limit.LeakyBucket;
import dev.throttle.control.limit.RampUp;
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
 * Makes the strategies of this library, either with a builder for each, or from a name and settings as text.
 *
 * <pre>{@code
 * Strategy paced = Strategies.quotaPacing().build();
 * Strategy limit = Strategies.tokenBucket().rate(50, Duration.ofSeconds(1)).build();
 * Strategy fromText = Strategies.named("token-bucket", Map.of("rate", "50/1s"));
 * }</pre>
 *
 * <p>{@code docs/strategies.md} explains what each is for.
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
            Strategies::inFlight,
            Strategies::rampUp);

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

    /** {@return the names of all strategies, as {@link #named(String)} accepts them} */
    public static List<String> names() {
        return List.copyOf(BUILDERS.keySet());
    }

    /**
     * {@return a builder of the strategy with a name, to set its settings as text}
     *
     * @param name the strategy's name
     * @throws IllegalArgumentException if there is no strategy of this name; the message lists all names
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
     * {@return the strategy with a name, with its defaults}
     *
     * @param name its name
     * @throws IllegalArgumentException if there is no strategy of this name; the message lists all names
     */
    public static Strategy named(String name) {
        return named(name, Map.of());
    }

    /**
     * Makes a strategy from text, for configuration files and command lines.
     *
     * @param name its name
     * @param settings its settings, as {@link StrategyBuilder#set} accepts them; the others have their defaults
     * @return the strategy
     * @throws IllegalArgumentException if there is no strategy of this name, if it has no such setting (the message
     *     lists all of them), or if it does not accept a value
     */
    public static Strategy named(String name, Map<String, String> settings) {
        StrategyBuilder<?> builder = builder(name);
        settings.forEach(builder::set);
        return builder.build();
    }

    /**
     * {@return a builder of {@code quota-pacing}, the default strategy: full speed while the quota allows it, never
     * more requests in flight than the quota has left, and a fair share of a scarce quota for other clients}
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

    /** {@return {@code none}, the strategy that does nothing} */
    public static Strategy none() {
        return new NoSleep.Builder().build();
    }

    /** {@return a builder of {@code linear-backoff}: a sleep that grows by a constant while requests are refused} */
    public static LinearBackoff.Builder linearBackoff() {
        return new LinearBackoff.Builder();
    }

    /**
     * {@return a builder of {@code exponential-backoff}: a refused call sleeps longer after each refusal, other calls
     * do not sleep}
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
     * a number of successes}
     */
    public static ResponsiveBackoff.Builder responsiveBackoff() {
        return new ResponsiveBackoff.Builder();
    }

    /**
     * {@return a builder of {@code busy-rps}: a limit of requests per second that is halved by each busy response and
     * recovers every second}
     */
    public static BusyRps.Builder busyRps() {
        return new BusyRps.Builder();
    }

    /** {@return a builder of {@code token-bucket}: bursts up to a size, and a fixed rate in the long run} */
    public static TokenBucket.Builder tokenBucket() {
        return new TokenBucket.Builder();
    }

    /** {@return a builder of {@code leaky-bucket}: constant spacing, with a bounded queue} */
    public static LeakyBucket.Builder leakyBucket() {
        return new LeakyBucket.Builder();
    }

    /** {@return a builder of {@code fixed-window}: a number of permits in each of consecutive windows} */
    public static WindowLimit.Builder fixedWindow() {
        return WindowLimit.fixedWindow();
    }

    /** {@return a builder of {@code sliding-window-log}: a number of permits in any window, exactly} */
    public static WindowLimit.Builder slidingWindowLog() {
        return WindowLimit.slidingWindowLog();
    }

    /**
     * {@return a builder of {@code sliding-window-counter}: a number of permits in any window, estimated with two
     * counters}
     */
    public static WindowLimit.Builder slidingWindowCounter() {
        return WindowLimit.slidingWindowCounter();
    }

    /** {@return a builder of {@code in-flight}: a number of requests in flight at a time; the others wait} */
    public static InFlightLimit.Builder inFlight() {
        return new InFlightLimit.Builder();
    }

    /** {@return a builder of {@code ramp-up}: a rate that at most doubles in a time, also after a time without use} */
    public static RampUp.Builder rampUp() {
        return new RampUp.Builder();
    }
}
