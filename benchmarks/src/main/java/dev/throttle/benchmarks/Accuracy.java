package dev.throttle.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import io.github.bucket4j.BlockingBucket;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

/** Whether limits hold, are used, and let requests go when they are due, with more callers than there is room for. */
final class Accuracy {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int CALLERS = 16;
    /**
     * Limits with a bucket have room for two, or for a hundredth of a second, so that what a late wake-up missed can
     * follow.
     */
    private static final int BUCKETS_PER_SECOND = 100;

    private Accuracy() {}

    /** Waits until one request may go. */
    interface Turn {
        void await() throws Exception;
    }

    /**
     * A limiter.
     *
     * @param name its name
     * @param even whether it spaces requests, so that there is a time at which each is due
     * @param maker makes one of a rate per second
     */
    record Subject(String name, boolean even, IntFunction<Turn> maker) {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = Scale.valueOf(arguments[0]);
        List<Integer> rates = scale == Scale.FULL ? List.of(10, 100, 1000, 10_000) : List.of(100, 10_000);
        for (int rate : rates) {
            measure(subjects(), rate, Duration.ofSeconds(scale.of(10, 2)), System.out);
            System.out.println();
        }
        System.exit(0);
    }

    static List<Subject> subjects() {
        return List.of(
                new Subject(
                        "**Throttle**, token bucket",
                        true,
                        rate -> throttle(Strategies.tokenBucket()
                                .rate(rate, SECOND)
                                .burst(bucket(rate))
                                .build())),
                new Subject(
                        "**Throttle**, leaky bucket",
                        true,
                        rate -> throttle(
                                Strategies.leakyBucket().rate(rate, SECOND).build())),
                new Subject(
                        "**Throttle**, sliding window log",
                        false,
                        rate -> throttle(Strategies.slidingWindowLog()
                                .limit(rate)
                                .window(SECOND)
                                .build())),
                new Subject(
                        "**Throttle**, token bucket and sliding window log",
                        true,
                        rate -> throttle(
                                Strategies.tokenBucket()
                                        .rate(rate, SECOND)
                                        .burst(bucket(rate))
                                        .build(),
                                Strategies.slidingWindowLog()
                                        .limit(rate)
                                        .window(SECOND)
                                        .build())),
                new Subject("Bucket4j, same bucket", true, Accuracy::bucket4j),
                new Subject("resilience4j, same bucket", true, Accuracy::resilience4j),
                new Subject("Guava", true, rate -> RateLimiter.create(rate)::acquire),
                new Subject(
                        "Failsafe, smooth",
                        true,
                        rate -> dev.failsafe.RateLimiter.smoothBuilder(rate, SECOND)
                                .build()::acquirePermit),
                new Subject(
                        "Failsafe, bursty",
                        false,
                        rate -> dev.failsafe.RateLimiter.burstyBuilder(rate, SECOND)
                                .build()::acquirePermit));
    }

    private static int bucket(int rate) {
        return Math.max(2, rate / BUCKETS_PER_SECOND);
    }

    private static Turn throttle(Strategy... limits) {
        return new Recorded(List.of(limits));
    }

    private static Turn bucket4j(int rate) {
        BlockingBucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(bucket(rate)).refillGreedy(rate, SECOND))
                .build()
                .asBlocking();
        return () -> bucket.consume(1);
    }

    private static Turn resilience4j(int rate) {
        io.github.resilience4j.ratelimiter.RateLimiter limiter = io.github.resilience4j.ratelimiter.RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(bucket(rate))
                        .limitRefreshPeriod(SECOND.multipliedBy(bucket(rate)).dividedBy(rate))
                        .timeoutDuration(Duration.ofMinutes(1))
                        .build());
        return limiter::acquirePermission;
    }

    static void measure(List<Subject> subjects, int rate, Duration duration, PrintStream out) throws Exception {
        Table table = new Table(
                out,
                Table.number(rate, 0) + " per second",
                "used",
                "most granted in a second",
                "most seen in a second",
                "late p50, us",
                "late p99, us");
        for (Subject subject : subjects) {
            Turn turn = subject.maker.apply(rate);
            Turns.take(turn, CALLERS, duration.dividedBy(20)); // to be compiled, and past the first burst
            long start = System.nanoTime();
            Punctuality seen = Punctuality.of(Turns.take(turn, CALLERS, duration), rate);
            table.row(
                    subject.name,
                    Table.number(seen.used() * 100, 1) + " %",
                    turn instanceof Recorded recorded
                            ? Table.number(Punctuality.mostInASecond(recorded.grantedSince(start)), 0)
                            : "not known",
                    Table.number(seen.mostInASecond(), 0),
                    subject.even ? Table.number(seen.lateP50Micros(), 0) : "in bursts",
                    subject.even ? Table.number(seen.lateP99Micros(), 0) : "in bursts");
        }
    }
}
