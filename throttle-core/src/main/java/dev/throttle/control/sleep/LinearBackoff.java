package dev.throttle.control.sleep;

import dev.throttle.control.SleepController;
import dev.throttle.control.config.NamedStrategy;
import dev.throttle.control.config.Option;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A sleep that grows by {@code interval} with each refusal, up to {@code maxInterval}, and is gone after a success.
 *
 * <p>After Sakthi Priyan, "Responsive Exponential Backoff". Immutable and thread-safe.
 */
public final class LinearBackoff extends NamedStrategy {

    public static final String NAME = "linear-backoff";

    private final double interval;
    private final double maxInterval;
    private final double jitter;

    private LinearBackoff(Builder builder) {
        super(NAME, Option.texts(Builder.OPTIONS, builder));
        this.interval = SleepBuilder.seconds(builder.interval);
        this.maxInterval = builder.maxInterval.equals(DurationText.FOREVER)
                ? Double.MAX_VALUE
                : SleepBuilder.seconds(builder.maxInterval);
        this.jitter = builder.jitter;
    }

    @Override
    public SleepController newController(RandomGenerator random) {
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
    public static final class Builder {

        public static final List<Option<Builder>> OPTIONS = List.of(
                Option.duration("interval", b -> b.interval, Builder::interval),
                Option.duration("maxInterval", b -> b.maxInterval, Builder::maxInterval),
                Option.number("jitter", b -> b.jitter, Builder::jitter));

        private Duration interval = Duration.ofSeconds(1);
        private Duration maxInterval = Duration.ofMinutes(1);
        private double jitter = 0.1;

        public Builder() {}

        /**
         * Sets what a refusal adds to the sleep; one second by default.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder interval(Duration value) {
            this.interval = Preconditions.positive("interval", value);
            return this;
        }

        /**
         * Sets the longest sleep; one minute by default.
         *
         * @param value not below {@code interval}
         * @return this builder
         */
        public Builder maxInterval(Duration value) {
            this.maxInterval = Preconditions.positive("maxInterval", value);
            return this;
        }

        /**
         * Sets the share of a sleep that is added to it at random at most; 0.1 by default.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder jitter(double value) {
            this.jitter = Preconditions.between("jitter", value, 0, 1);
            return this;
        }

        /** {@return the strategy} */
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
