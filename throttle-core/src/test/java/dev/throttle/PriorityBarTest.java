package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody asks once a second beside ten threads that never rest, on a quota of five requests a second. */
class PriorityBarTest {

    private static final double INTERVAL = 0.2;
    private static final int PER_SECOND = 5;
    private static final int SECONDS = 1_200;
    private static final Duration LATENCY = Duration.ofMillis(100);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;

    /** Both kinds of callers, and what became of their requests. */
    private record Both(Callers person, Callers batch) {

        long accepted(double from, double to) {
            return person.accepted(from, to) + batch.accepted(from, to);
        }
    }

    /** A person comes once a second, at a random moment of its first 0.8 s: never twice within one interval. */
    private Both run(Throttle throttle, Callers.Server server, int seed) {
        CallOptions background = CallOptions.DEFAULT.priority(Priority.BATCH);
        CallOptions urgent = CallOptions.DEFAULT.priority(Priority.INTERACTIVE);
        Callers batch = new Callers(time, throttle, background, LATENCY, server).untiring(10);
        Callers person = new Callers(time, throttle, urgent, LATENCY, server);
        SplittableRandom random = new SplittableRandom(seed);
        for (long second = 0; second < SECONDS; second++) {
            time.schedule(second * 1_000_000_000 + random.nextLong(800_000_000), person::one);
        }
        time.advance(Duration.ofSeconds(SECONDS + 60));
        return new Both(person, batch);
    }

    private void holdsTheBar(Both both, double from, double granted, double interval) {
        double[] waits = both.person
                .between(from, SECONDS)
                .mapToDouble(Callers.Sent::waited)
                .sorted()
                .toArray();
        assertThat(waits.length).isGreaterThan((int) (0.98 * (SECONDS - from)));
        assertThat(waits[(int) Math.ceil(0.99 * waits.length) - 1]).isLessThanOrEqualTo(1.5 * interval);
        assertThat(both.accepted(from, SECONDS)).isGreaterThanOrEqualTo((long) (0.99 * granted));
        assertThat(both.batch.accepted(from, SECONDS)).isGreaterThanOrEqualTo((long) (0.99 * granted) - waits.length);
        assertThat(both.person.refused() + both.batch.refused()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "leaky-bucket", "paced window"})
    void onAFixedLimit(String kind) {
        Strategy limit = switch (kind) {
            case "token-bucket" ->
                Strategies.tokenBucket()
                        .rate(PER_SECOND, Duration.ofSeconds(1))
                        .burst(1)
                        .build();
            case "leaky-bucket" ->
                Strategies.leakyBucket().rate(PER_SECOND, Duration.ofSeconds(1)).build();
            default ->
                Strategies.slidingWindowLog()
                        .limit(1)
                        .window(Duration.ofMillis(200))
                        .build();
        };
        Throttle throttle = line.throttle(Strategies.none()).limit(limit).build();
        holdsTheBar(run(throttle, () -> Heads.status(200), 1), 0, PER_SECOND * SECONDS, INTERVAL);
    }

    @Test
    void onABucketWithAStockOfWhichSomeIsKept() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .rate(PER_SECOND, Duration.ofSeconds(1))
                        .burst(50)
                        .build())
                .priorities(PriorityPolicy.standard().reserve(Priority.BATCH, 0.1))
                .build();
        Both both = run(throttle, () -> Heads.status(200), 2);
        holdsTheBar(both, 0, PER_SECOND * SECONDS, INTERVAL);
        assertThat(both.person.longestWait()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void onAQuotaPerWindowThatTheServerTells(int seed) {
        int window = 60;
        Throttle throttle = line.throttle(Strategies.quotaPacing().build())
                .priorities(PriorityPolicy.standard().reserve(Priority.BATCH, 0.9))
                .seed(seed)
                .build();
        Both both = run(throttle, new Window(time, PER_SECOND * window, window), seed);
        holdsTheBar(both, 120, PER_SECOND * (SECONDS - 120), INTERVAL);
    }
}
