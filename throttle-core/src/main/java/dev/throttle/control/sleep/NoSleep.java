package dev.throttle.control.sleep;

import dev.throttle.control.SleepController;
import dev.throttle.control.config.NamedStrategy;
import dev.throttle.signal.Signal;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Learns nothing and never sleeps: what is left is the server's own word, the fixed limits and the retry policy. */
public final class NoSleep extends NamedStrategy {

    public static final String NAME = "none";
    public static final NoSleep INSTANCE = new NoSleep();

    private NoSleep() {
        super(NAME, Map.of());
    }

    @Override
    public SleepController newController(RandomGenerator random) {
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

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            return 0;
        }
    }
}
