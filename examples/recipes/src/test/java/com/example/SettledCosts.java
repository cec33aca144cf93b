package com.example;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lets everybody go, and writes down what calls have cost by their answers. */
final class SettledCosts implements Strategy {

    final List<Cost> all = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
        return "settled-costs";
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new RateController() {
            @Override
            public boolean isIdle() {
                return true;
            }

            @Override
            public long dueNanos(Cost ahead, Cost cost, long now) {
                return now;
            }

            @Override
            public void onAdmitted(Cost cost, long permitId, long now) {}

            @Override
            public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
                if (actual.requests() > 0) { // a refusal costs nothing
                    all.add(actual);
                }
            }
        };
    }
}
