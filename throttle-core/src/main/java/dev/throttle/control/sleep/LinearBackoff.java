package dev.throttle.control.sleep;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests sleep for a time that grows by {@code interval} with each refusal, up to {@code maxInterval}, and
 * returns to zero after a success.
 *
 * <p>After Sakthi Priyan, "Responsive Exponential Backoff". Immutable and thread-safe.
 */
public final class LinearBackoff extends StrategyBuilder.Built implements SleepStrategy {

    private final double interval;
    private final double maxInterval;
    private final double jitter;

    private LinearBackoff(Builder builder) {
        super(builder);
        this.interval = SleepBuilder.seconds(builder.interval);
        this.maxInterval = builder.maxInterval.equals(DurationText.FOREVER)
                ? Double.MAX_VALUE
                : SleepBuilder.seconds(builder.maxInterval);
        this.jitter = builder.jitter;
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State();
    }

    private final class State implements SleepController {

        private double sleep;

        @Override
        public double sleepSeconds() {
            return sleep;
        }

        @Override
        public double jitter() {
            return jitter;
        }

        /** Goes on with the sleep that there was, whatever strategy it was of. */
        @Override
        public void takeOver(@Nullable SleepController before, long nowNanos) {
            sleep = before == null ? sleep : Math.min(before.sleepSeconds(), maxInterval);
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            if (signal.outcome().isRefusal()) {
                sleep = Math.min(sleep + interval, maxInterval);
            } else if (signal.outcome() == Outcome.SUCCESS) {
                sleep = 0;
            }
            return sleep;
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private Duration interval = Duration.ofSeconds(1);
        private Duration maxInterval = Duration.ofMinutes(1);
        private double jitter = 0.1;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("linear-backoff");
            duration("interval", () -> interval, this::interval);
            duration("maxInterval", () -> maxInterval, this::maxInterval);
            number("jitter", () -> jitter, this::jitter);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets what a refusal adds to the sleep. The default is one second.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder interval(Duration value) {
            this.interval = Preconditions.positive("interval", value);
            return this;
        }

        /**
         * Sets the longest sleep. The default is one minute.
         *
         * @param value not below {@code interval}
         * @return this builder
         */
        public Builder maxInterval(Duration value) {
            this.maxInterval = Preconditions.positive("maxInterval", value);
            return this;
        }

        /**
         * Sets the most that is added to a sleep at random, as a share of it. The default is 0.1.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder jitter(double value) {
            this.jitter = Preconditions.between("jitter", value, 0, 1);
            return this;
        }

        @Override
        public LinearBackoff build() {
            Preconditions.check(
                    maxInterval.compareTo(interval) >= 0,
                    "maxInterval",
                    maxInterval,
                    "a duration not below interval, " + interval);
            return new LinearBackoff(this);
        }
    }
}
