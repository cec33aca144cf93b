package dev.throttle.bucket4j;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.lease.Lease;
import dev.throttle.lease.LeaseSource;
import dev.throttle.lease.LeasedLimit;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/**
 * Leases of a token bucket that Bucket4j keeps, in PostgreSQL, Hazelcast, Infinispan, Redis or wherever it can.
 *
 * <pre>{@code
 * Bucket4jLeases leases = new Bucket4jLeases(proxyManager.asAsync(), 1000, Duration.ofSeconds(1), 200, 8);
 * ThrottleRegistry throttles = ThrottleRegistry.builder().limit(leases.limit().build()).build();
 * }</pre>
 *
 * <p>While there are tokens a process takes what it needs of them; when there are none it takes an equal part of those
 * to come, as a debt of the bucket, and waits until they are there: so processes take turns. Bucket4j does not know how
 * many processes there are, so it has to be told. Most of its back-ends go by the clock of the process that asks:
 * clocks that differ move the limit by as much.
 *
 * <p>Time-outs are the proxy manager's: give it one of 50 ms or so. Thread-safe.
 */
public final class Bucket4jLeases implements LeaseSource {

    private static final Duration VALID = Duration.ofMillis(200);
    private static final double TURN_NANOS = 1e8;
    private static final long LONGEST_AHEAD_NANOS = 30_000_000_000L;
    /** What was there comes back as it was; what was not yet there was promised to others after that. */
    private static final String TAKEN = "taken";

    private static final String OWED = "owed";

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int MOST_KEYS = 20_000;

    private final BiFunction<String, BucketConfiguration, Tokens> buckets;
    private final BucketConfiguration configuration;
    private final long permits;
    private final Duration period;
    private final long burst;
    private final int processes;
    private final double intervalNanos;
    private final Map<String, Stock> stocks = new ConcurrentHashMap<>();

    /** A bucket, whether it was empty when it was last asked, and what it was not told yet. */
    private static final class Stock {

        final Tokens bucket;
        volatile boolean isEmpty;
        final AtomicLong untold = new AtomicLong();

        Stock(Tokens bucket) {
            this.bucket = bucket;
        }
    }

    /**
     * Leases of a bucket per key, of a back-end that works asynchronously.
     *
     * @param manager the back-end, with keys that are texts; {@code withMapper} makes such a one of any other
     * @param permits how many tokens drip in per period, at least 1
     * @param period the period, above zero
     * @param burst how many tokens the bucket holds, at least 1. Those that drip in while a lease is good are kept
     *     back, so that late ones do not exceed it
     * @param processes how many processes share the limit
     */
    @SuppressWarnings("exports") // its module has no descriptor of its own
    public Bucket4jLeases(AsyncProxyManager<String> manager, long permits, Duration period, long burst, int processes) {
        this(asynchronous(Preconditions.required("manager", manager)), permits, period, burst, processes);
    }

    /**
     * Leases of a bucket per key, of a back-end that blocks, such as a database. It is called on the limit's executor,
     * so that no caller waits for it.
     *
     * @param manager the back-end, with keys that are texts; {@code withMapper} makes such a one of any other
     * @param permits how many tokens drip in per period, at least 1
     * @param period the period, above zero
     * @param burst how many tokens the bucket holds, at least 1, as above
     * @param processes how many processes share the limit
     */
    @SuppressWarnings("exports") // its module has no descriptor of its own
    public Bucket4jLeases(ProxyManager<String> manager, long permits, Duration period, long burst, int processes) {
        this(blocking(Preconditions.required("manager", manager)), permits, period, burst, processes);
    }

    private Bucket4jLeases(
            BiFunction<String, BucketConfiguration, Tokens> buckets,
            long permits,
            Duration period,
            long burst,
            int processes) {
        this.buckets = buckets;
        this.permits = Preconditions.between("permits", permits, 1, 1_000_000_000);
        this.period = Preconditions.positive("period", period);
        this.burst = Preconditions.between("burst", burst, 1, 1_000_000_000);
        this.processes = (int) Preconditions.between("processes", processes, 1, 1_000_000);
        this.intervalNanos = (double) Nanos.of(period) / permits;
        long late = (long) Math.ceil(VALID.toNanos() / intervalNanos);
        this.configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(Math.max(1, burst - late)).refillGreedy(permits, period))
                .build();
    }

    private static BiFunction<String, BucketConfiguration, Tokens> asynchronous(AsyncProxyManager<String> manager) {
        return (key, configuration) ->
                Tokens.of(manager.builder().build(key, () -> CompletableFuture.completedFuture(configuration)));
    }

    private static BiFunction<String, BucketConfiguration, Tokens> blocking(ProxyManager<String> manager) {
        return (key, configuration) -> Tokens.of(manager.builder().build(key, () -> configuration));
    }

    /** {@return a builder of the limit, to be given to {@code limit} of a throttle's or registry's builder} */
    public LeasedLimit.Builder limit() {
        return LeasedLimit.builder(this, permits, period)
                .name("bucket4j")
                .burst(burst)
                .expectedProcesses(processes);
    }

    private Stock stock(String key) {
        if (stocks.size() >= MOST_KEYS) {
            stocks.clear(); // they can be made again
        }
        return stocks.computeIfAbsent(key, name -> new Stock(buckets.apply(name, configuration)));
    }

    @Override
    public CompletionStage<Lease> lease(String key, long least, long wanted) {
        Stock stock = stock(key);
        long untold = stock.untold.getAndSet(0);
        if (untold == 0) {
            return lease(stock, least, wanted);
        }
        // All that spent their shares together empty the bucket, and no more.
        long counted = Math.min(untold, Math.max(1, burst / processes));
        CompletionStage<Long> told;
        try {
            told = stock.bucket.owe(counted);
        } catch (RuntimeException e) {
            stock.untold.addAndGet(untold);
            throw e;
        }
        return told.whenComplete((debt, failure) -> {
                    if (failure != null) {
                        stock.untold.addAndGet(untold);
                    }
                })
                .thenCompose(debt -> lease(stock, least, wanted));
    }

    @Override
    public void spent(String key, long count, int sharers) {
        stock(key).untold.addAndGet(count);
    }

    private CompletionStage<Lease> lease(Stock stock, long least, long wanted) {
        if (least > 1 || stock.isEmpty) {
            return owe(stock, least, wanted);
        }
        return stock.bucket.takeUpTo(wanted).thenCompose(taken -> {
            if (taken == 0) {
                return owe(stock, least, wanted);
            }
            return CompletableFuture.completedFuture(
                    new Lease(taken, Duration.ZERO, Duration.ZERO, VALID, processes, TAKEN));
        });
    }

    private CompletionStage<Lease> owe(Stock stock, long least, long wanted) {
        long fair = Math.max(1, (long) (TURN_NANOS / intervalNanos / processes));
        long count = Math.max(least, Math.min(wanted, fair));
        return stock.bucket.owe(count).thenApply(debtNanos -> {
            stock.isEmpty = debtNanos > 0;
            if (debtNanos == Long.MAX_VALUE) {
                return Lease.none(RETRY, processes); // more than it can ever owe: nothing was taken
            }
            if (debtNanos - count * intervalNanos > LONGEST_AHEAD_NANOS) {
                stock.bucket.giveBack(count);
                return Lease.none(RETRY, processes);
            }
            boolean isOne = least > 1 || debtNanos == 0;
            long first = isOne ? debtNanos : Math.max(0, debtNanos - (long) ((count - 1) * intervalNanos));
            return new Lease(
                    count,
                    Duration.ofNanos(first),
                    Duration.ofNanos(isOne ? 0 : (long) intervalNanos),
                    VALID,
                    processes,
                    debtNanos == 0 ? TAKEN : OWED);
        });
    }

    @Override
    public void giveBack(String key, Lease lease) {
        if (lease.permits() > 0 && lease.receipt().equals(TAKEN)) {
            stock(key).bucket.giveBack(lease.permits());
        }
    }
}
