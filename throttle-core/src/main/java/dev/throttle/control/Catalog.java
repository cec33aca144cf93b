package dev.throttle.control;

import dev.throttle.control.busy.BusyRps;
import dev.throttle.control.config.Option;
import dev.throttle.control.limit.LeakyBucket;
import dev.throttle.control.limit.TokenBucket;
import dev.throttle.control.limit.WindowLimit;
import dev.throttle.control.quota.QuotaPacing;
import dev.throttle.control.sleep.ExponentialBackoff;
import dev.throttle.control.sleep.ExponentialIncrease;
import dev.throttle.control.sleep.GreedyUntilReset;
import dev.throttle.control.sleep.LinearBackoff;
import dev.throttle.control.sleep.NoSleep;
import dev.throttle.control.sleep.ResponsiveBackoff;
import dev.throttle.internal.Preconditions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The strategies by name. */
final class Catalog {

    private static final Map<String, Entry<?>> ENTRIES = new LinkedHashMap<>();

    static {
        add(NoSleep.NAME, () -> NoSleep.INSTANCE, List.of(), none -> none);
        add(LinearBackoff.NAME, Strategies::linearBackoff, LinearBackoff.Builder.OPTIONS, LinearBackoff.Builder::build);
        add(
                ExponentialBackoff.NAME,
                Strategies::exponentialBackoff,
                ExponentialBackoff.Builder.OPTIONS,
                ExponentialBackoff.Builder::build);
        add(
                ExponentialIncrease.GRADUAL,
                Strategies::exponentialIncreaseGradualDecrease,
                ExponentialIncrease.GradualBuilder.OPTIONS,
                ExponentialIncrease.GradualBuilder::build);
        add(
                ExponentialIncrease.PROPORTIONAL,
                Strategies::exponentialIncreaseProportionalDecrease,
                ExponentialIncrease.ProportionalBuilder.OPTIONS,
                ExponentialIncrease.ProportionalBuilder::build);
        add(
                ExponentialIncrease.REMAINING,
                Strategies::exponentialIncreaseProportionalRemainingDecrease,
                ExponentialIncrease.RemainingBuilder.OPTIONS,
                ExponentialIncrease.RemainingBuilder::build);
        add(
                ResponsiveBackoff.NAME,
                Strategies::responsiveBackoff,
                ResponsiveBackoff.Builder.OPTIONS,
                ResponsiveBackoff.Builder::build);
        add(QuotaPacing.NAME, Strategies::quotaPacing, QuotaPacing.Builder.OPTIONS, QuotaPacing.Builder::build);
        add(
                GreedyUntilReset.NAME,
                Strategies::greedyUntilReset,
                GreedyUntilReset.Builder.OPTIONS,
                GreedyUntilReset.Builder::build);
        add(BusyRps.NAME, Strategies::busyRps, BusyRps.Builder.OPTIONS, BusyRps.Builder::build);
        add(TokenBucket.NAME, Strategies::tokenBucket, TokenBucket.Builder.OPTIONS, TokenBucket.Builder::build);
        add(LeakyBucket.NAME, Strategies::leakyBucket, LeakyBucket.Builder.OPTIONS, LeakyBucket.Builder::build);
        addWindow(WindowLimit.FIXED, Strategies::fixedWindow);
        addWindow(WindowLimit.LOG, Strategies::slidingWindowLog);
        addWindow(WindowLimit.COUNTER, Strategies::slidingWindowCounter);
    }

    private Catalog() {}

    private static void addWindow(String name, Supplier<WindowLimit.Builder> builder) {
        add(name, builder, WindowLimit.Builder.OPTIONS, WindowLimit.Builder::build);
    }

    private static <B> void add(
            String name, Supplier<B> builder, List<Option<B>> options, Function<B, Strategy> build) {
        ENTRIES.put(name, new Entry<>(name, builder, options, build));
    }

    static List<String> names() {
        return List.copyOf(ENTRIES.keySet());
    }

    static Entry<?> entry(String name) {
        Preconditions.required("strategy", name);
        Entry<?> entry = ENTRIES.get(name);
        if (entry == null) {
            throw new IllegalArgumentException(
                    "strategy is " + name + ": it accepts " + String.join(", ", ENTRIES.keySet()));
        }
        return entry;
    }

    /** How to make one strategy from text. */
    record Entry<B>(String name, Supplier<B> builder, List<Option<B>> options, Function<B, Strategy> build) {

        List<String> keys() {
            return options.stream().map(Option::key).toList();
        }

        Strategy strategy(Map<String, String> settings) {
            B made = builder.get();
            settings.forEach((key, text) -> option(key).set().accept(made, Preconditions.required(key, text)));
            return build.apply(made);
        }

        private Option<B> option(String key) {
            for (Option<B> option : options) {
                if (option.key().equals(key)) {
                    return option;
                }
            }
            throw new IllegalArgumentException(name + " has no setting " + key + ": it accepts "
                    + (options.isEmpty() ? "none" : String.join(", ", keys())));
        }
    }
}
