package dev.throttle.redis;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;

/**
 * Writes down at which instant throttles let requests go, by their own clock: a thread that is kept from running on its
 * way back to the caller does not count.
 */
final class Recorder implements Strategy {

    final Queue<Long> departures = new ConcurrentLinkedQueue<>();
    /** How many processes share the key, as it was told last. */
    volatile int processes;

    private final LongConsumer sink;

    Recorder() {
        this.sink = departures::add;
    }

    Recorder(LongConsumer sink) {
        this.sink = sink;
    }

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
                sink.accept(nowNanos);
            }

            @Override
            public void onSignal(Signal signal, Load load, long nowNanos) {}

            @Override
            public void onShared(int told, double perSecond, long nowNanos) {
                processes = told;
            }

            @Override
            public double limitPerSecond() {
                return Double.POSITIVE_INFINITY;
            }
        };
    }

    /** {@return by how much a request was nearer to the one before than this; negative if none was} */
    static long nearer(Duration interval, List<Long> sorted) {
        long most = Long.MIN_VALUE;
        for (int i = 1; i < sorted.size(); i++) {
            most = Math.max(most, interval.toNanos() - (sorted.get(i) - sorted.get(i - 1)));
        }
        return most;
    }

    /** {@return the most that went in any time of this length} */
    long mostIn(Duration window) {
        List<Long> sorted = departures.stream().sorted().toList();
        long most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
