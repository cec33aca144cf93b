package dev.throttle.control.sleep;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes all requests sleep for a time s. A refusal adds {@code minSleep} to s, the refused call sleeps that long, and
 * then s is multiplied by {@code multiplier}. A success reduces s. The three strategies differ in the reduction:
 *
 * <ul>
 *   <li>{@code exponential-increase-gradual-decrease}: a constant, {@code decrease};
 *   <li>{@code exponential-increase-proportional-decrease}: {@code s / decreaseDivisor};
 *   <li>{@code exponential-increase-proportional-remaining-decrease}: {@code s * remaining / decreaseDivisor}, where
 *       remaining is what the server says is left of the quota, so that the sleep vanishes at once when the quota is
 *       full and hardly shrinks when it is nearly used up.
 * </ul>
 *
 * <p>After Richard Schneeman's experiment for the Heroku API, "A Fast Car Needs Good Brakes: How We Added Client Rate
 * Throttling to the Platform API Gem", 2020, where the last one did best of four. Immutable and thread-safe.
 */
public final class ExponentialIncrease extends StrategyBuilder.Built implements SleepStrategy {

    private static final double HEROKU_BUCKET = 4500;

    private final double multiplier;
    private final double minSleep;
    private final double startingSleep;
    private final double maxSleep;
    private final double jitter;
    private final Decrease decrease;

    private ExponentialIncrease(SleepBuilder<?> builder, Decrease decrease) {
        super(builder);
        this.multiplier = builder.multiplier;
        this.minSleep = SleepBuilder.seconds(builder.minSleep);
        this.startingSleep = SleepBuilder.seconds(builder.startingSleep);
        this.maxSleep = builder.maxSleepSeconds();
        this.jitter = builder.jitter;
        this.decrease = decrease;
    }

    /** What a success takes away from a sleep. */
    @FunctionalInterface
    private interface Decrease {
        double of(double sleep, Signal success);
    }

    private static double remaining(Signal signal) {
        Quota quota = signal.hints().scarcest();
        Long remaining = quota == null ? null : quota.remaining();
        return remaining == null ? 0 : Math.max(0, remaining);
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State();
    }

    private final class State implements SleepController {

        private double sleep = startingSleep;

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
            sleep = before == null ? sleep : Math.min(before.sleepSeconds(), maxSleep);
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            if (signal.outcome().isRefusal()) {
                sleep = Math.min(sleep + minSleep, maxSleep);
                double retrySleep = sleep;
                sleep = Math.min(sleep * multiplier, maxSleep);
                return retrySleep;
            }
            if (signal.outcome() == Outcome.SUCCESS) {
                sleep = Math.max(0, sleep - decrease.of(sleep, signal));
            }
            return 0;
        }

        @Override
        public double retrySleepSeconds(double decidedSeconds) {
            return Math.min(decidedSeconds, sleep);
        }
    }

    /** Collects the settings of {@code exponential-increase-gradual-decrease}. Not thread-safe. */
    public static final class GradualBuilder extends SleepBuilder<GradualBuilder> {

        private @Nullable Duration decrease;

        /** Makes a builder with the defaults. */
        public GradualBuilder() {
            super("exponential-increase-gradual-decrease");
            duration("decrease", this::effective, this::decrease);
            lastSettings();
        }

        @Override
        protected GradualBuilder self() {
            return this;
        }

        /**
         * Sets how much a success reduces the sleep. The default is {@code minSleep}.
         *
         * @param value above zero
         * @return this builder
         */
        public GradualBuilder decrease(Duration value) {
            this.decrease = Preconditions.positive("decrease", value);
            return this;
        }

        private Duration effective() {
            return decrease == null ? minSleep : decrease;
        }

        @Override
        public ExponentialIncrease build() {
            check();
            double constant = seconds(effective());
            return new ExponentialIncrease(this, (sleep, success) -> constant);
        }
    }

    /** Collects the settings of {@code exponential-increase-proportional-decrease}. Not thread-safe. */
    public static final class ProportionalBuilder extends SleepBuilder<ProportionalBuilder> {

        private double decreaseDivisor = HEROKU_BUCKET;

        /** Makes a builder with the defaults. */
        public ProportionalBuilder() {
            super("exponential-increase-proportional-decrease");
            number("decreaseDivisor", () -> decreaseDivisor, this::decreaseDivisor);
            lastSettings();
        }

        @Override
        protected ProportionalBuilder self() {
            return this;
        }

        /**
         * Sets the number of consecutive successes that reduce the sleep to about a third. The default is 4500.
         *
         * @param value 1 or more, finite
         * @return this builder
         */
        public ProportionalBuilder decreaseDivisor(double value) {
            this.decreaseDivisor = Preconditions.between("decreaseDivisor", value, 1, Double.MAX_VALUE);
            return this;
        }

        @Override
        public ExponentialIncrease build() {
            check();
            double divisor = decreaseDivisor;
            return new ExponentialIncrease(this, (sleep, success) -> sleep / divisor);
        }
    }

    /** Collects the settings of {@code exponential-increase-proportional-remaining-decrease}. Not thread-safe. */
    public static final class RemainingBuilder extends SleepBuilder<RemainingBuilder> {

        private double decreaseDivisor = HEROKU_BUCKET;

        /** Makes a builder with the defaults. */
        public RemainingBuilder() {
            super("exponential-increase-proportional-remaining-decrease");
            number("decreaseDivisor", () -> decreaseDivisor, this::decreaseDivisor);
            lastSettings();
        }

        @Override
        protected RemainingBuilder self() {
            return this;
        }

        /**
         * Sets the number of remaining requests at which a success removes the whole sleep. The default is 4500, the
         * full quota of the Heroku API.
         *
         * @param value above 0, finite
         * @return this builder
         */
        public RemainingBuilder decreaseDivisor(double value) {
            this.decreaseDivisor = Preconditions.above("decreaseDivisor", value, 0);
            return this;
        }

        @Override
        public ExponentialIncrease build() {
            check();
            double divisor = decreaseDivisor;
            return new ExponentialIncrease(this, (sleep, success) -> sleep * remaining(success) / divisor);
        }
    }
}
