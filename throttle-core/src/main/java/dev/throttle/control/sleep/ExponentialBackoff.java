package dev.throttle.control.sleep;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.signal.Signal;

/**
 * Makes only refused calls sleep: {@code minSleep} after the first refusal, and {@code multiplier} times as long after
 * each further one. First attempts never sleep, and nothing carries over from one call to the next.
 *
 * <p>This is the baseline of Richard Schneeman's experiment for the Heroku API, see {@link ExponentialIncrease}. As
 * there, the starting sleep is shown but never slept. Immutable and thread-safe.
 */
public final class ExponentialBackoff extends StrategyBuilder.Built implements SleepStrategy {

    private final double multiplier;
    private final double minSleep;
    private final double startingSleep;
    private final double maxSleep;
    private final double jitter;

    private ExponentialBackoff(Builder builder) {
        super(builder);
        this.multiplier = builder.multiplier;
        this.minSleep = SleepBuilder.seconds(builder.minSleep);
        this.startingSleep = SleepBuilder.seconds(builder.startingSleep);
        this.maxSleep = builder.maxSleepSeconds();
        this.jitter = builder.jitter;
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State();
    }

    private final class State implements SleepController {

        @Override
        public double sleepSeconds() {
            return startingSleep;
        }

        @Override
        public double firstSleepSeconds() {
            return 0;
        }

        @Override
        public double jitter() {
            return jitter;
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            return signal.outcome().isRefusal()
                    ? Math.min(minSleep * Math.pow(multiplier, Math.max(0, refusals - 1)), maxSleep)
                    : 0;
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends SleepBuilder<Builder> {

        /** Makes a builder with the defaults. */
        public Builder() {
            super("exponential-backoff");
            lastSettings();
        }

        @Override
        protected Builder self() {
            return this;
        }

        @Override
        public ExponentialBackoff build() {
            check();
            return new ExponentialBackoff(this);
        }
    }
}
