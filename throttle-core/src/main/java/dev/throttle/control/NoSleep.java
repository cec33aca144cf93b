package dev.throttle.control;

import dev.throttle.signal.Signal;

/** Learns nothing and never sleeps: what is left is the server's own word, the fixed limits and the retry policy. */
final class NoSleep extends StrategyBuilder.Built implements SleepStrategy {

    private NoSleep(Builder builder) {
        super(builder);
    }

    @Override
    public SleepController newController(ControllerHost host) {
        return new State();
    }

    private static final class State implements SleepController {

        @Override
        public double sleepSeconds() {
            return 0;
        }

        @Override
        public boolean isAdaptive() {
            return false;
        }

        /** What another strategy decided, in whose place this one came, is over. */
        @Override
        public double retrySleepSeconds(double decidedSeconds) {
            return 0;
        }

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            return 0;
        }
    }

    /** Has no settings. */
    static final class Builder extends StrategyBuilder<Builder> {

        Builder() {
            super("none");
        }

        @Override
        protected Builder self() {
            return this;
        }

        @Override
        public Strategy build() {
            return new NoSleep(this);
        }
    }
}
