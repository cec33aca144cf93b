package dev.throttle.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.github.bucket4j.BlockingBucket;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import software.amazon.awssdk.retries.internal.ratelimiter.RateLimiterTokenBucket;
import software.amazon.awssdk.retries.internal.ratelimiter.RateLimiterTokenBucketStore;

/** The peers' plain acquire when nothing is due: their limits are far above what is asked for. */
@State(Scope.Benchmark)
public class Peers {

    private static final int MANY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j =
            io.github.resilience4j.ratelimiter.RateLimiter.of(
                    "peer",
                    RateLimiterConfig.custom()
                            .limitForPeriod(MANY)
                            .limitRefreshPeriod(SECOND)
                            .build());
    private final RateLimiter guava = RateLimiter.create(MANY);
    private final Bucket bucket = Bucket.builder()
            .addLimit(limit -> limit.capacity(MANY).refillGreedy(MANY, SECOND))
            .build();
    private final BlockingBucket bucket4j = bucket.asBlocking();
    private final dev.failsafe.RateLimiter<Object> smooth =
            dev.failsafe.RateLimiter.smoothBuilder(MANY, SECOND).build();
    private final dev.failsafe.RateLimiter<Object> bursty =
            dev.failsafe.RateLimiter.burstyBuilder(MANY, SECOND).build();
    private final SimpleLimiter<Void> concurrency =
            SimpleLimiter.newBuilder().limit(FixedLimit.of(MANY)).build();
    private final RateLimiterTokenBucket awsAtRest = aws();
    private final RateLimiterTokenBucket awsRefused = aws();

    /** Begins to limit with the first refusal. */
    public Peers() {
        awsRefused.updateRateAfterThrottling();
    }

    private static RateLimiterTokenBucket aws() {
        return RateLimiterTokenBucketStore.builder().build().tokenBucketForScope("peer");
    }

    /** resilience4j. */
    @Benchmark
    public boolean resilience4j() {
        return resilience4j.acquirePermission();
    }

    /** Guava. */
    @Benchmark
    public double guava() {
        return guava.acquire();
    }

    /** Bucket4j, waiting if it had to. */
    @Benchmark
    public void bucket4j() throws InterruptedException {
        bucket4j.consume(1);
    }

    /** Failsafe, evenly spaced. */
    @Benchmark
    public void failsafeSmooth() throws InterruptedException {
        smooth.acquirePermit();
    }

    /** Failsafe, in bursts. */
    @Benchmark
    public void failsafeBursty() throws InterruptedException {
        bursty.acquirePermit();
    }

    /** concurrency-limits, which has no admission without an end. */
    @Benchmark
    public void concurrencyLimits() {
        concurrency.acquire(null).orElseThrow().onSuccess();
    }

    /** The AWS SDK's bucket before any refusal, when it limits nothing. */
    @Benchmark
    public Duration awsAtRest() {
        return awsAtRest.tryAcquire().delay();
    }

    /** The AWS SDK's bucket after a refusal, when it counts; the delay it names is not waited for. */
    @Benchmark
    public Duration awsAfterRefusal() {
        return awsRefused.tryAcquire().delay();
    }
}
