package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code quota-pacing} before servers whose requests take different amounts of a quota of tokens. */
class QuotaPacingTokensTest {

    private static final Duration LATENCY = Duration.ofMillis(400);
    private static final Duration RUN = Duration.ofMinutes(10);
    private static final double CAPACITY = 30_000;
    private static final double PER_SECOND = 10_000;

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final SplittableRandom costs = new SplittableRandom(7);
    private double taken;
    private double level = CAPACITY;
    private long filledAt = time.nanoTime();

    private Throttle throttle() {
        return line.throttle(Strategies.quotaPacing().build())
                .maxWait(Duration.ofDays(1))
                .build();
    }

    /** Costs are spread evenly between half and one and a half of the mean. */
    private double cost(double mean) {
        return mean * (0.5 + costs.nextDouble());
    }

    private boolean take(double cost) {
        long now = time.nanoTime();
        level = Math.min(CAPACITY, level + PER_SECOND * (now - filledAt) / 1e9);
        filledAt = now;
        boolean accepted = level >= cost;
        level -= accepted ? cost : 0;
        taken += accepted ? cost : 0;
        return accepted;
    }

    private ResponseHead bucket(double cost) {
        boolean accepted = take(cost);
        String full = (long) Math.ceil((CAPACITY - level) / PER_SECOND * 1000) + "ms";
        return accepted
                ? Heads.status(
                        200,
                        "x-ratelimit-limit-tokens",
                        "30000",
                        "x-ratelimit-remaining-tokens",
                        String.valueOf((long) level),
                        "x-ratelimit-reset-tokens",
                        full)
                : Heads.status(
                        429,
                        "x-ratelimit-limit-tokens",
                        "30000",
                        "x-ratelimit-remaining-tokens",
                        String.valueOf((long) level),
                        "x-ratelimit-reset-tokens",
                        full,
                        "retry-after-ms",
                        String.valueOf((long) Math.ceil((cost - level) / PER_SECOND * 1000)));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1000, 4000})
    void aBucketOfTokensIsUsedUpAndHardlyARequestIsRefused(int mean) {
        Callers callers = new Callers(time, throttle(), LATENCY, () -> bucket(cost(mean))).untiring(40);
        time.advance(RUN);
        double granted = CAPACITY + PER_SECOND * RUN.toSeconds();
        double demand = 40 * mean / (LATENCY.toMillis() / 1e3) * RUN.toSeconds();
        assertThat(taken).isGreaterThan(0.96 * Math.min(granted, demand));
        assertThat(callers.refused()).isLessThan(callers.sent.size() / 50 + 12);
    }

    @Test
    void fiveHundredSmallCallsASecondAreNotSlowerThanTheirBucket() {
        Callers callers = new Callers(time, throttle(), LATENCY, () -> bucket(cost(20))).untiring(400);
        time.advance(Duration.ofMinutes(2));
        assertThat(taken).isGreaterThan(0.95 * PER_SECOND * 120);
        assertThat(callers.refused()).isLessThan(callers.sent.size() / 50);
    }

    @Test
    void aCallThatTakesAlmostAllThereIsCanGoToo() {
        Callers callers = new Callers(time, throttle(), LATENCY, () -> bucket(29_000)).untiring(3);
        time.advance(RUN);
        assertThat(taken).isGreaterThan(0.75 * PER_SECOND * RUN.toSeconds());
        assertThat(callers.refused()).isLessThan(20);
    }

    /** 600,000 tokens a minute; the head says when the minute ends. */
    @Test
    void aWindowOfTokensIsUsedUpAndNothingIsRefused() {
        long[] used = new long[60];
        long start = time.nanoTime();
        Callers callers = new Callers(time, throttle(), LATENCY, () -> {
                    long passed = time.nanoTime() - start;
                    int minute = (int) (passed / 60_000_000_000L);
                    double cost = cost(4000);
                    boolean accepted = used[minute] + cost <= 600_000;
                    used[minute] += accepted ? (long) cost : 0;
                    taken += accepted ? cost : 0;
                    return Heads.status(
                            accepted ? 200 : 429,
                            "x-ratelimit-limit-tokens",
                            "600000",
                            "x-ratelimit-remaining-tokens",
                            String.valueOf(600_000 - used[minute]),
                            "x-ratelimit-reset-tokens",
                            60 - passed / 1_000_000_000 % 60 + "s");
                })
                .untiring(20);
        time.advance(RUN);
        assertThat(taken).isGreaterThan(0.95 * 10 * 600_000);
        assertThat(callers.refused()).isLessThan(15);
    }

    /** Nothing tells when more comes back: one request asks now and then, and nobody waits for ever. */
    @Test
    void aServerThatTellsOnlyWhatRemainsIsAskedNowAndThen() {
        Callers callers = new Callers(time, throttle(), LATENCY, () -> {
                    boolean accepted = take(cost(4000));
                    return Heads.status(
                            accepted ? 200 : 429, "x-ratelimit-remaining-tokens", String.valueOf((long) level));
                })
                .untiring(10);
        time.advance(RUN);
        assertThat(callers.sent.size()).isGreaterThan(RUN.toSecondsPart() + 300);
        assertThat(callers.longestGap(0)).isLessThan(30);
    }

    /** A quota in the body comes after the head has ended the attempt. */
    @Test
    void aQuotaThatOnlyTheBodyTellsIsPaced() {
        Throttle throttle = throttle();
        int refused = 0;
        for (int i = 0; i < 400; i++) {
            CompletableFuture<Permit> asked = throttle.newCall().acquireAsync();
            for (int step = 0; step < 400 && !asked.isDone(); step++) {
                time.advance(Duration.ofMillis(100));
            }
            Permit permit = asked.join();
            time.advance(LATENCY);
            double cost = cost(6000);
            refused += take(cost) ? 0 : 1;
            permit.complete(Heads.status(200));
            permit.settle(Cost.of(Quota.POINTS, (long) cost));
            Quota quota = new Quota("graphql", 30_000L, (long) level, null, Duration.ofSeconds(3), Quota.POINTS, null);
            permit.hear(new RateHints(null, List.of(quota)));
        }
        assertThat(refused).isLessThan(8);
    }

    @Test
    void whatASettledCallDidNotTakeLetsTheNextOneGo() {
        Throttle throttle = throttle();
        Permit first = throttle.tryAcquire();
        time.advance(LATENCY);
        first.complete(bucket(1000));
        CallOptions large = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 20_000));
        Permit one = throttle.newCall(large).tryAcquire();
        assertThat(one).isNotNull();
        CompletableFuture<Permit> next = throttle.newCall(large).acquireAsync();
        time.advance(Duration.ofMillis(50));
        assertThat(next).isNotDone();
        one.settle(Cost.of(Quota.TOKENS, 100));
        time.advance(Duration.ofMillis(20));
        assertThat(next).isDone();
    }
}
