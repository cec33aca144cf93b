package dev.throttle.benchmarks;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** Many more keys than a set of throttles holds, some of them blocked. */
final class Keys {

    private static final double MEBIBYTE = 1 << 20;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final int BOUND = 10_000;
    private static final int BLOCKED_EVERY = 1000;
    private static final int ROWS = 5;
    private static final Signal STAY_AWAY =
            new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofHours(1), List.of()));

    private Keys() {}

    /**
     * What is left in the end.
     *
     * @param held how many throttles there are
     * @param blocked how many keys were told to stay away
     * @param stillBlocked how many of these still stay away
     */
    record Result(int held, int blocked, int stillBlocked) {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = Scale.valueOf(arguments[0]);
        measure(scale.of(1_000_000, 100_000), System.out);
    }

    /** Sends one request for each key, and prints what that has led to from time to time. */
    static Result measure(int keys, PrintStream out) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.builder().maxKeys(BOUND).build();
        Table table = new Table(
                out, "keys seen", "held", "heap, MiB", "blocked so far", "of these still blocked", "us per new key");
        long heapBefore = Heap.used();
        int blocked = 0;
        long start = System.nanoTime();
        Result result = new Result(0, 0, 0);
        for (int i = 1; i <= keys; i++) {
            Permit permit = throttles.get("host" + i).acquire();
            if (i % BLOCKED_EVERY == 0) {
                permit.complete(STAY_AWAY);
                blocked++;
            } else {
                permit.complete(Signal.SUCCESS);
            }
            if (i % (keys / ROWS) == 0) {
                double micros = (System.nanoTime() - start) / NANOS_PER_MICRO / (keys / (double) ROWS);
                result = new Result(throttles.all().size(), blocked, stillBlocked(throttles, i));
                table.row(
                        Table.number(i, 0),
                        Table.number(result.held, 0),
                        Table.number((Heap.used() - heapBefore) / MEBIBYTE, 1),
                        Table.number(blocked, 0),
                        Table.number(result.stillBlocked, 0),
                        Table.number(micros, 2));
                start = System.nanoTime();
            }
        }
        return result;
    }

    private static int stillBlocked(ThrottleRegistry throttles, int seen) {
        int blocked = 0;
        for (int i = BLOCKED_EVERY; i <= seen; i += BLOCKED_EVERY) {
            Throttle throttle = throttles.getIfPresent("host" + i);
            blocked += throttle != null && !throttle.snapshot().blocked().isZero() ? 1 : 0;
        }
        return blocked;
    }
}
