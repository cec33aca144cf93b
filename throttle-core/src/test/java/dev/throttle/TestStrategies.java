package dev.throttle;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.function.Supplier;

/** Strategies whose time lines can be worked out by hand. */
final class TestStrategies {

    private TestStrategies() {}

    static Strategy named(String name, Supplier<Controller> controller) {
        return new Strategy() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Controller newController(ControllerHost host) {
                return controller.get();
            }
        };
    }

    /** {@return a strategy whose callers sleep as a controller says} */
    static Strategy sleeping(String name, Supplier<SleepController> controller) {
        return new SleepStrategy() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public SleepController newController(ControllerHost host) {
                return controller.get();
            }
        };
    }

    /** Every caller sleeps. */
    static Strategy sleep(Duration sleep) {
        return Strategies.exponentialIncreaseProportionalRemainingDecrease()
                .startingSleep(sleep)
                .jitter(0)
                .build();
    }

    /** Nobody waits for anything but the gate. */
    static Strategy free() {
        return named("free", () -> new Wire(Integer.MAX_VALUE) {
            @Override
            public boolean isIdle() {
                return true;
            }
        });
    }

    /** One permit per interval. */
    static Strategy pace(Duration interval) {
        return named("pace", () -> new Pace(interval.toNanos()));
    }

    /** So many requests on the wire; the others wait for an end. */
    static Strategy atMostOnTheWire(int most) {
        return named("wire", () -> new Wire(most));
    }

    private static final class Pace extends OpenController {

        private final long interval;
        private boolean started;
        private long due;

        Pace(long interval) {
            this.interval = interval;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            return (started && due - now > 0 ? due : now) + ahead.requests() * interval;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            due = (started && due - now > 0 ? due : now) + cost.requests() * interval;
            started = true;
        }

        @Override
        public double limitPerSecond() {
            return 1e9 / interval;
        }
    }

    private static class Wire extends OpenController {

        private final int most;
        private int onTheWire;

        Wire(int most) {
            this.most = most;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            return ahead.requests() == 0 && onTheWire + cost.requests() <= most ? now : UNTIL_SIGNAL;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            onTheWire += (int) cost.requests();
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            onTheWire -= (int) load.cost().requests();
        }
    }
}
