package dev.throttle.control.sleep;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.time.Duration;

/**
 * Sends at full speed until the quota is used up; then all callers wait for the {@code Retry-After} or the reset. The
 * throttle itself makes that wait. This strategy adds the wait of refused calls for which the server named no time.
 * Immutable and thread-safe.
 */
public final class GreedyUntilReset extends StrategyBuilder.Built implements SleepStrategy {

    private static final double DOUBLING = 2;

    private final double firstSleep;
    private final double maxSleep;

    private GreedyUntilReset(Builder builder) {
        super(builder);
        this.firstSleep = Nanos.toSeconds(Nanos.of(builder.firstSleep));
        this.maxSleep = Nanos.toSeconds(Nanos.of(builder.maxSleep));
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State();
    }

    private final class State implements SleepController {

        @Override
        public double sleepSeconds() {
            return 0;
        }

        @Override
        public double jitter() {
            return 1;
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            if (refusals == 0 || signal.hints().refusalWait() != null) {
                return 0;
            }
            return Math.min(maxSleep, firstSleep * StrictMath.pow(DOUBLING, refusals - 1));
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private Duration firstSleep = Duration.ofSeconds(1);
        private Duration maxSleep = Duration.ofMinutes(1);

        /** Makes a builder with the defaults. */
        public Builder() {
            super("greedy-until-reset");
            duration("firstSleep", () -> firstSleep, this::firstSleep);
            duration("maxSleep", () -> maxSleep, this::maxSleep);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets the shortest wait of a call after its first refusal that names no time. It doubles with each further
         * one, and up to the same time is added at random. The default is one second.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder firstSleep(Duration value) {
            this.firstSleep = Preconditions.notNegative("firstSleep", value);
            return this;
        }

        /**
         * Sets the longest such wait, without the random part. The default is one minute.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder maxSleep(Duration value) {
            this.maxSleep = Preconditions.notNegative("maxSleep", value);
            return this;
        }

        /** {@return the strategy} */
        @Override
        public GreedyUntilReset build() {
            return new GreedyUntilReset(this);
        }
    }
}
