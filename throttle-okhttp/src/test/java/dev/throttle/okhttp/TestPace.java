package dev.throttle.okhttp;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;

/** One permit per interval, never two at once. A permit that comes back unused is free again. */
record TestPace(Duration interval) implements Strategy {

    /** Lets nobody go, and does not say until when. */
    static final TestPace CLOSED = new TestPace(Duration.ZERO);

    @Override
    public String name() {
        return "test-pace";
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new Pace(interval.toNanos());
    }

    private static final class Pace extends OpenController {

        private final long interval;
        private boolean hasBegun;
        private long due;

        Pace(long interval) {
            this.interval = interval;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            if (interval == 0) {
                return UNTIL_SIGNAL;
            }
            return (hasBegun ? due : now) + ahead.requests() * interval;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            due = now + cost.requests() * interval;
            hasBegun = true;
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            if (signal.outcome() == Outcome.IGNORED) {
                due -= load.cost().requests() * interval;
            }
        }

        @Override
        public double limitPerSecond() {
            return interval == 0 ? 0 : 1e9 / interval;
        }
    }
}
