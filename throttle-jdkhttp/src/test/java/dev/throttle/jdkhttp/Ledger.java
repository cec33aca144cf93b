package dev.throttle.jdkhttp;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lets everybody go, and writes down what requests took; by key, in the order in which the keys were met. */
record Ledger(String unit, List<Cost> admitted, List<Cost> settled, List<List<Cost>> settledByKey) implements Strategy {

    static Ledger of(String unit) {
        return new Ledger(
                unit, new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
    }

    @Override
    public String name() {
        return "ledger";
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new Book();
    }

    private final class Book implements RateController {

        private final List<Cost> own = new CopyOnWriteArrayList<>();

        Book() {
            settledByKey.add(own);
        }

        @Override
        public String unit() {
            return unit;
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            return now;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            admitted.add(cost);
        }

        @Override
        public void onSettled(Cost before, Cost actual, long permitId, long admittedAt, long now) {
            settled.add(actual);
            own.add(actual);
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {}

        @Override
        public double limitPerSecond() {
            return Double.POSITIVE_INFINITY;
        }
    }
}
