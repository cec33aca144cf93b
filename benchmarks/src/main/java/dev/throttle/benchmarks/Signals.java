package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Completing with what is left of a quota, read before. */
@State(Scope.Benchmark)
public class Signals {

    /** A power of two. */
    private static final int SIGNALS = 1024;

    private final Throttle throttle = Subjects.atRest();
    private final Head head = Head.of(0, 0);
    private final Signal[] signals = new Signal[SIGNALS];

    /** Where one thread is in the row of signals. */
    @State(Scope.Thread)
    public static class Position {
        int at;
    }

    /** Counts down as a server does, far from the end. */
    public Signals() {
        for (int i = 0; i < SIGNALS; i++) {
            signals[i] = quota(1_000_000 - i);
        }
    }

    private static Signal quota(long remaining) {
        Quota quota = new Quota("core", 1_000_000L, remaining, Duration.ofHours(1), null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    /** The least that reading headers costs: to be shown each of them. */
    @Benchmark
    public int look() {
        int[] characters = {0};
        head.forEachHeader((name, value) -> characters[0] += name.length());
        return characters[0];
    }

    /** Every answer says something else, and so goes the way of the lock. */
    @Benchmark
    public RetryDecision changingQuota(Position position) throws Exception {
        return throttle.acquire().complete(signals[position.at++ & SIGNALS - 1]);
    }

    /** Every answer says the same. */
    @Benchmark
    public RetryDecision sameQuota() throws Exception {
        return throttle.acquire().complete(signals[0]);
    }
}
