package dev.throttle.bucket4j;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Writes down when throttles let requests go, by their own clock: what a thread does on its way back does not count.
 */
final class Recorder implements Strategy {

    final Queue<Long> departures = new ConcurrentLinkedQueue<>();

    @Override
    public String name() {
        return "recorder";
    }

    @Override
    public Controller newController(ControllerHost host) {
        return new RateController() {
            @Override
            public boolean isIdle() {
                return false;
            }

            @Override
            public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
                return nowNanos;
            }

            @Override
            public void onAdmitted(Cost cost, long permitId, long nowNanos) {
                departures.add(nowNanos);
            }

            @Override
            public void onSignal(Signal signal, Load load, long nowNanos) {}

            @Override
            public double limitPerSecond() {
                return Double.POSITIVE_INFINITY;
            }
        };
    }
}
