package dev.throttle.control.sleep;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes all requests sleep while the server refuses some. The sleep starts at {@code initialInterval} with the first
 * refusal. Each further refusal multiplies it by {@code upMultiplier}, up to {@code maxInterval}. Every
 * {@code downMultiplierThreshold} successes multiply it by {@code downMultiplier}; below {@code initialInterval} it
 * becomes zero. Each new value is changed at random by up to {@code randomizationFactor} of itself, but at most by
 * {@code maxRandomization}.
 *
 * <p>This is the AutoSleeper of Sakthi Priyan, "Responsive Exponential Backoff", made for Amazon DynamoDB. The original
 * makes the caller sleep after each call. Here the sleep is before the next request, which is the same in a sequence of
 * calls. Unlike in the original, a refusal never shortens the sleep and a success never lengthens it, however large the
 * random part is. Immutable and thread-safe.
 */
public final class ResponsiveBackoff extends StrategyBuilder.Built implements SleepStrategy {

    private final double initialInterval;
    private final double maxInterval;
    private final double upMultiplier;
    private final double downMultiplier;
    private final long downMultiplierThreshold;
    private final double randomizationFactor;
    private final double maxRandomization;

    private ResponsiveBackoff(Builder builder) {
        super(builder);
        this.initialInterval = Nanos.of(builder.initialInterval);
        this.maxInterval = Nanos.of(builder.maxInterval);
        this.upMultiplier = builder.upMultiplier;
        this.downMultiplier = builder.downMultiplier;
        this.downMultiplierThreshold = builder.downMultiplierThreshold;
        this.randomizationFactor = builder.randomizationFactor;
        this.maxRandomization = Nanos.of(builder.maxRandomization);
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State(host.random());
    }

    /** The interval is kept in whole nanoseconds, truncated at each step as in the original. */
    private final class State implements SleepController {

        private final RandomGenerator random;
        private double interval;
        private long successes;

        State(RandomGenerator random) {
            this.random = random;
        }

        @Override
        public double sleepSeconds() {
            return interval / 1e9;
        }

        /** Never: successes of requests that left before the first refusal count too. */
        @Override
        public boolean isIdle() {
            return false;
        }

        /** Goes on with the sleep that there was, whatever strategy it was of. */
        @Override
        public void takeOver(@Nullable SleepController before, long nowNanos) {
            if (before instanceof State other) {
                interval = Math.min(other.interval, maxInterval);
                successes = Math.min(other.successes, downMultiplierThreshold - 1);
            } else if (before != null && before.sleepSeconds() > 0) {
                interval = Math.min(Math.max(initialInterval, Math.floor(before.sleepSeconds() * 1e9)), maxInterval);
            }
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            if (signal.outcome().isRefusal()) {
                goUp();
            } else if (signal.outcome() == Outcome.SUCCESS && interval > 0 && ++successes == downMultiplierThreshold) {
                goDown();
                successes = 0;
            }
            return sleepSeconds();
        }

        private void goUp() {
            interval = interval == 0
                    ? initialInterval
                    : Math.min(Math.max(interval, randomized(interval * upMultiplier)), maxInterval);
        }

        private void goDown() {
            double shorter = Math.min(interval, randomized(interval * downMultiplier));
            interval = shorter < initialInterval ? 0 : shorter;
        }

        private double randomized(double value) {
            if (randomizationFactor == 0) {
                return Math.floor(value);
            }
            double delta = Math.min(randomizationFactor * value, maxRandomization);
            return Math.floor(value - delta + 2 * delta * random.nextDouble());
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private Duration initialInterval = Duration.ofMillis(500);
        private Duration maxInterval = Duration.ofMinutes(15);
        private double upMultiplier = 1.5;
        private double downMultiplier = 0.9;
        private long downMultiplierThreshold = 10;
        private double randomizationFactor = 0.3;
        private Duration maxRandomization = Duration.ofMinutes(2);

        /** Makes a builder with the defaults. */
        public Builder() {
            super("responsive-backoff");
            duration("initialInterval", () -> initialInterval, this::initialInterval);
            duration("maxInterval", () -> maxInterval, this::maxInterval);
            number("upMultiplier", () -> upMultiplier, this::upMultiplier);
            number("downMultiplier", () -> downMultiplier, this::downMultiplier);
            whole("downMultiplierThreshold", () -> downMultiplierThreshold, this::downMultiplierThreshold);
            number("randomizationFactor", () -> randomizationFactor, this::randomizationFactor);
            duration("maxRandomization", () -> maxRandomization, this::maxRandomization);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets the sleep after the first refusal, which is also the shortest one. The default is 500 ms.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder initialInterval(Duration value) {
            this.initialInterval = Preconditions.positive("initialInterval", value);
            return this;
        }

        /**
         * Sets the longest sleep that a multiplication can lead to. The default is 15 minutes. As in the original, a
         * maximum below {@code initialInterval} does not limit the first sleep.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder maxInterval(Duration value) {
            this.maxInterval = Preconditions.positive("maxInterval", value);
            return this;
        }

        /**
         * Sets the factor of the sleep after a refusal. The default is 1.5.
         *
         * @param value above 1, finite
         * @return this builder
         */
        public Builder upMultiplier(double value) {
            this.upMultiplier = Preconditions.above("upMultiplier", value, 1);
            return this;
        }

        /**
         * Sets the factor of the sleep after enough successes. The default is 0.9.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder downMultiplier(double value) {
            this.downMultiplier = Preconditions.between("downMultiplier", value, 0, 1);
            return this;
        }

        /**
         * Sets how many successes reduce the sleep once. The default is 10. They need not be consecutive.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder downMultiplierThreshold(long value) {
            this.downMultiplierThreshold = Preconditions.between("downMultiplierThreshold", value, 1, Long.MAX_VALUE);
            return this;
        }

        /**
         * Sets the most by which a new sleep is changed at random, up or down, as a share of it. The default is 0.3.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder randomizationFactor(double value) {
            this.randomizationFactor = Preconditions.between("randomizationFactor", value, 0, 1);
            return this;
        }

        /**
         * Sets the most by which a new sleep is changed at random. The default is two minutes.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder maxRandomization(Duration value) {
            this.maxRandomization = Preconditions.notNegative("maxRandomization", value);
            return this;
        }

        @Override
        public ResponsiveBackoff build() {
            return new ResponsiveBackoff(this);
        }
    }
}
