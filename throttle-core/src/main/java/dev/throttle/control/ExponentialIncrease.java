package dev.throttle.control;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Settings;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Sleeps s before each request. A refusal adds {@code minSleep} to s, sleeps that, and then multiplies s by
 * {@code multiplier}; a success takes {@code s * remaining / decreaseDivisor} away, where remaining is what the server
 * says is left of the quota, so that the sleep vanishes at once when the quota is full and hardly shrinks when it is
 * nearly used up.
 *
 * <p>After Richard Schneeman's experiment for the Heroku API, "A Fast Car Needs Good Brakes: How We Added Client Rate
 * Throttling to the Platform API Gem", 2020, where it did best of four. Immutable and thread-safe.
 */
public final class ExponentialIncrease implements Strategy {

    private static final String NAME = "exponential-increase-proportional-remaining-decrease";

    private final double multiplier;
    private final double minSleep;
    private final double startingSleep;
    private final double decreaseDivisor;
    private final double maxSleep;
    private final double jitter;

    private ExponentialIncrease(Builder builder) {
        this.multiplier = builder.multiplier;
        this.minSleep = seconds(builder.minSleep);
        this.startingSleep = seconds(builder.startingSleep);
        this.decreaseDivisor = builder.decreaseDivisor;
        this.maxSleep = seconds(builder.maxSleep);
        this.jitter = builder.jitter;
    }

    private static double seconds(Duration duration) {
        return Nanos.toSeconds(Nanos.of(duration));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public SleepController newController(RandomGenerator random) {
        return new State();
    }

    /** The sleep is kept in seconds as a floating-point number, as truncated nanoseconds would add up to an error. */
    private final class State implements SleepController {

        private double sleep = startingSleep;

        @Override
        public long sleepNanos() {
            return Nanos.ofSeconds(sleep);
        }

        @Override
        public double jitter() {
            return jitter;
        }

        @Override
        public long onSignal(Signal signal, int refusals, long nowNanos) {
            if (signal.outcome().isRefusal()) {
                sleep = Math.min(sleep + minSleep, maxSleep);
                long retrySleep = sleepNanos();
                sleep = Math.min(sleep * multiplier, maxSleep);
                return retrySleep;
            }
            Quota quota = signal.hints().scarcest();
            Long remaining = quota == null ? null : quota.remaining();
            if (remaining != null && remaining > 0) {
                sleep = Math.max(0, sleep - sleep * remaining / decreaseDivisor);
            }
            return 0;
        }

        @Override
        public long retrySleepNanos(long decidedNanos) {
            return Math.min(decidedNanos, sleepNanos());
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {

        private double multiplier = 1.2;
        private Duration minSleep = Duration.ofMillis(800);
        private Duration startingSleep = Duration.ZERO;
        private double decreaseDivisor = 4500;
        private Duration maxSleep = Duration.ofHours(1);
        private double jitter = 0.1;

        Builder() {}

        /**
         * Sets the factor of the sleep after a refusal; 1.2 by default.
         *
         * @param value above 1, finite
         * @return this builder
         */
        public Builder multiplier(double value) {
            this.multiplier = Settings.above("multiplier", value, 1);
            return this;
        }

        /**
         * Sets what a refusal adds to the sleep; 0.8 s by default, the time between two requests of the Heroku API's
         * 4500 an hour.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder minSleep(Duration value) {
            this.minSleep = Settings.positive("minSleep", value);
            return this;
        }

        /**
         * Sets the sleep before the first request; zero by default.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder startingSleep(Duration value) {
            this.startingSleep = Settings.notNegative("startingSleep", value);
            return this;
        }

        /**
         * Sets the number of remaining requests at which a success takes the whole sleep away; 4500 by default, the
         * most that the Heroku API lets remain.
         *
         * @param value above 0, finite
         * @return this builder
         */
        public Builder decreaseDivisor(double value) {
            this.decreaseDivisor = Settings.above("decreaseDivisor", value, 0);
            return this;
        }

        /**
         * Sets the longest sleep; one hour by default.
         *
         * @param value not below {@code minSleep} and {@code startingSleep}
         * @return this builder
         */
        public Builder maxSleep(Duration value) {
            this.maxSleep = Settings.positive("maxSleep", value);
            return this;
        }

        /**
         * Sets the share of a sleep that is added to it at random at most; 0.1 by default.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder jitter(double value) {
            this.jitter = Settings.between("jitter", value, 0, 1);
            return this;
        }

        /** {@return the strategy} */
        public ExponentialIncrease build() {
            Settings.check(
                    maxSleep.compareTo(minSleep) >= 0,
                    "maxSleep",
                    maxSleep,
                    "a duration not below minSleep, " + minSleep);
            Settings.check(
                    maxSleep.compareTo(startingSleep) >= 0,
                    "maxSleep",
                    maxSleep,
                    "a duration not below startingSleep, " + startingSleep);
            return new ExponentialIncrease(this);
        }
    }
}
