package dev.throttle.lab.own;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;

/** A user's own strategy: a request every two seconds, whatever the server says. */
public final class PatientStrategy implements Strategy {

    private static final long INTERVAL_NANOS = 2_000_000_000L;

    @Override
    public String name() {
        return "patient";
    }

    @Override
    public Controller newController(ControllerHost host) {
        return new Patience();
    }

    private static final class Patience implements RateController {

        private long nextAt;
        private boolean begun;

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return (begun ? nextAt : nowNanos) + ahead.requests() * INTERVAL_NANOS;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            begun = true;
            nextAt = nowNanos + INTERVAL_NANOS;
        }

        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {
            // patience needs no teaching
        }

        @Override
        public double limitPerSecond() {
            return 0.5;
        }
    }
}
