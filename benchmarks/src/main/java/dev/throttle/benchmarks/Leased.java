package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.lease.Lease;
import dev.throttle.lease.LeaseSource;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A limit that a fleet keeps, with a lease at hand, beside one that the process keeps by itself. No request waits. */
@State(Scope.Benchmark)
public class Leased {

    private static final long PLENTY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Throttle fleet =
            with(LeasedLimit.builder(new Generous(), PLENTY, SECOND).build());
    private final Throttle local =
            with(Strategies.tokenBucket().rate(PLENTY, SECOND).burst(PLENTY).build());

    private static Throttle with(Strategy limit) {
        return Throttle.builder().strategy(Strategies.none()).limit(limit).build();
    }

    /** A store that answers at once, with a lease that lasts. */
    private static final class Generous implements LeaseSource {

        @Override
        public CompletionStage<Lease> lease(String key, long least, long wanted) {
            long permits = Math.max(wanted, PLENTY);
            return CompletableFuture.completedFuture(
                    new Lease(permits, Duration.ZERO, Duration.ZERO, Duration.ofHours(1), 1, ""));
        }

        @Override
        public void giveBack(String key, Lease lease) {
            // It has enough.
        }
    }

    /** An admission and its completion, with a lease at hand. */
    @Benchmark
    public RetryDecision lease() throws Exception {
        return fleet.acquire().complete(Signal.SUCCESS);
    }

    /** The same with a token bucket of the process's own. */
    @Benchmark
    public RetryDecision localBucket() throws Exception {
        return local.acquire().complete(Signal.SUCCESS);
    }
}
