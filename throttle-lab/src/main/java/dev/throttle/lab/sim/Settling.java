package dev.throttle.lab.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long it takes after a change until the quota is used and shared again: until the beginning of the first window in
 * which Jain's index over the processes present is at least 0.9 and the server accepts at least 0.9 of what it could
 * keep accepting. If there is none before the next change, the whole time until then counts.
 */
final class Settling {

    static final double FAIR = 0.9;
    static final double USED = 0.9;
    private static final double SHORTEST_WINDOW = Duration.ofMinutes(1).toNanos();
    /** A window has room for this many requests of each process, for fewer say nothing about shares. */
    private static final int REQUESTS_EACH = 10;

    private static final int STEPS = 10;
    private static final double SECOND = 1e9;

    private final RunRecord run;
    private final double reachablePerNano;

    private Settling(RunRecord run) {
        this.run = run;
        this.reachablePerNano = run.sustainedPerSecond() / SECOND;
    }

    /** {@return the longest settling time over all changes in seconds; null if there was no change} */
    static @Nullable Double seconds(RunRecord run) {
        Double longest = null;
        List<Change> changes = run.scenario().changes();
        for (int i = 0; i < changes.size(); i++) {
            long from = changes.get(i).at().toNanos();
            long to = i + 1 < changes.size() ? changes.get(i + 1).at().toNanos() : run.endedAt();
            if (from < to) {
                double seconds = new Settling(run).nanos(from, to) / SECOND;
                longest = longest == null ? seconds : Math.max(longest, seconds);
            }
        }
        return longest;
    }

    private double nanos(long from, long to) {
        List<ProcessRecord> present = new ArrayList<>();
        for (ProcessRecord process : run.processes()) {
            if (process.isPresent(from, to)) {
                present.add(process);
            }
        }
        double threads = (double) present.size() * run.scenario().threads();
        double byClients = threads / run.scenario().latency().toNanos();
        double rate = Double.isNaN(reachablePerNano) ? byClients : Math.min(reachablePerNano, byClients);
        long window = (long) Math.max(SHORTEST_WINDOW, REQUESTS_EACH * present.size() / rate);
        double enough = Double.isNaN(reachablePerNano) ? 0 : USED * rate * window;
        for (long start = from; start + window <= to; start += window / STEPS) {
            double[] shares = new double[present.size()];
            double sum = 0;
            for (int i = 0; i < shares.length; i++) {
                shares[i] = present.get(i).acceptedBetween(start, start + window);
                sum += shares[i];
            }
            if (sum >= enough && Figures.jain(shares) >= FAIR) {
                return start - from;
            }
        }
        return to - from;
    }
}
