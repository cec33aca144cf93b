package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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

    private long seconds(long start) {
        return (time.nanoTime() - start) / 1_000_000_000;
    }

    private static ResponseHead window(long remaining, long seconds) {
        return Heads.status(
                200,
                "x-ratelimit-limit-tokens",
                "10000",
                "x-ratelimit-remaining-tokens",
                String.valueOf(remaining),
                "x-ratelimit-reset-tokens",
                seconds + "s");
    }

    @Test
    void afterTheEndOfAWindowNoMoreLeaveThanTheNextOneHolds() {
        Throttle throttle = throttle();
        long start = time.nanoTime();
        for (int i = 1; i <= 10; i++) {
            CompletableFuture<Permit> asked = Calls.of(throttle).newCall().acquireAsync();
            for (int step = 0; step < 100 && !asked.isDone(); step++) {
                time.advance(Duration.ofMillis(500));
            }
            assertThat(asked).as("call %s", i).isDone();
            time.advance(LATENCY);
            asked.join().complete(window(10_000 - 1000L * i, 300 - seconds(start)));
        }
        time.advance(Duration.ofSeconds(301 - seconds(start)));
        int left = 0;
        while (left < 200 && throttle.tryAcquire() != null) {
            left++;
        }
        assertThat(left).isBetween(1, 10);
    }

    @Test
    void aRequestThatWasTakenForTooMuchAndNeverCountedSlowsNobody() {
        Throttle throttle = throttle();
        for (int i = 0; i < 8; i++) {
            Permit permit = Calls.of(throttle)
                    .newCall(CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 1000)))
                    .tryAcquire();
            time.advance(LATENCY);
            permit.complete(bucket(1000));
        }
        CallOptions absurd = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, Integer.MAX_VALUE));
        CompletableFuture<Permit> large = Calls.of(throttle).newCall(absurd).acquireAsync();
        time.advance(Duration.ofMinutes(3));
        assertThat(large).isDone();
        large.join().release();
        CompletableFuture<Permit> next = Calls.of(throttle).newCall().acquireAsync();
        time.advance(Duration.ofSeconds(1));
        assertThat(next).isDone();
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
            CompletableFuture<Permit> asked = Calls.of(throttle).newCall().acquireAsync();
            for (int step = 0; step < 400 && !asked.isDone(); step++) {
                time.advance(Duration.ofMillis(100));
            }
            assertThat(asked).isDone();
            Permit permit = asked.join();
            time.advance(LATENCY);
            double cost = cost(6000);
            refused += take(cost) ? 0 : 1;
            permit.complete(Heads.status(200));
            permit.settle(Cost.of(Quota.POINTS, (long) cost));
            Quota quota = new Quota("graphql", 30_000L, (long) level, null, Duration.ofSeconds(3), Quota.POINTS, null);
            permit.observe(new RateHints(null, List.of(quota)));
        }
        assertThat(refused).isLessThan(8);
    }

    private static Quota points(long remaining) {
        return new Quota("graphql", 1000L, remaining, Duration.ofMinutes(5), null, Quota.POINTS, null);
    }

    @Test
    void whatOnlyBodiesTellIsNotForgottenOverHeads() {
        Throttle throttle = throttle();
        throttle.tryAcquire().complete(Heads.status(200));
        List<Permit> permits = IntStream.range(0, 30)
                .mapToObj(i -> Objects.requireNonNull(throttle.tryAcquire()))
                .toList();
        time.advance(LATENCY);
        permits.get(0).complete(Heads.status(200));
        permits.get(0).observe(new RateHints(null, List.of(points(0))));
        permits.stream().skip(1).forEach(permit -> permit.complete(Heads.status(200)));
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void whatHeadsTellIsNotForgottenOverBodies() {
        Throttle throttle = throttle();
        throttle.tryAcquire().complete(Heads.status(200));
        List<Permit> permits = IntStream.range(0, 30)
                .mapToObj(i -> Objects.requireNonNull(throttle.tryAcquire()))
                .toList();
        time.advance(LATENCY);
        permits.get(0)
                .complete(Heads.status(
                        200, "x-ratelimit-limit", "100", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "300"));
        permits.forEach(permit -> permit.observe(new RateHints(null, List.of(points(900)))));
        assertThat(throttle.tryAcquire()).isNull();
    }

    /** The head alone: the quota of GitHub's GraphQL counts points, and a query takes as many as the last one took. */
    @Test
    void gitHubsPointsArePacedByWhatQueriesTake() {
        Throttle throttle = throttle();
        int refused = 0;
        int left = 5000;
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Permit> asked = Calls.of(throttle).newCall().acquireAsync();
            time.advance(Duration.ofSeconds(1));
            if (!asked.isDone()) {
                break;
            }
            boolean accepted = left >= 200;
            left -= accepted ? 200 : 0;
            refused += accepted ? 0 : 1;
            asked.join()
                    .complete(Heads.status(
                            accepted ? 200 : 403,
                            "x-ratelimit-limit",
                            "5000",
                            "x-ratelimit-remaining",
                            String.valueOf(left),
                            "x-ratelimit-reset",
                            String.valueOf(3600 - i),
                            "x-ratelimit-resource",
                            "graphql"));
        }
        assertThat(refused).isZero();
        assertThat(left).isZero();
    }

    /** The server says when it would hold enough: that is what the request takes, and what it waits for. */
    @Test
    void aRefusedRequestWaitsForWhatItsRefusalTold() {
        Throttle throttle = throttle();
        for (int i = 0; i < 8; i++) {
            Permit permit = Objects.requireNonNull(throttle.tryAcquire());
            time.advance(LATENCY);
            permit.complete(bucket(4000));
            time.advance(LATENCY);
        }
        ThrottledCall large = Calls.of(throttle).newCall();
        Permit first = Objects.requireNonNull(large.tryAcquire());
        take(CAPACITY - 5000);
        assertThat(first.complete(bucket(25_300)).isRetry()).isTrue();
        CompletableFuture<Permit> again = large.acquireAsync();
        assertThat(large.cost().amount(Quota.TOKENS)).isBetween(25_300L, 25_600L);
        for (int step = 0; step < 100 && !again.isDone(); step++) {
            time.advance(Duration.ofMillis(50));
        }
        assertThat(again).isDone();
        assertThat(again.join().complete(bucket(25_300)).isRetry()).isFalse();
        assertThat(Calls.of(throttle).newCall().cost()).isEqualTo(Cost.ONE);
    }

    @Test
    void whatASettledCallDidNotTakeLetsTheNextOneGo() {
        Throttle throttle = throttle();
        Permit first = throttle.tryAcquire();
        time.advance(LATENCY);
        first.complete(bucket(1000));
        CallOptions large = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 20_000));
        Permit one = Calls.of(throttle).newCall(large).tryAcquire();
        assertThat(one).isNotNull();
        CompletableFuture<Permit> next = Calls.of(throttle).newCall(large).acquireAsync();
        time.advance(Duration.ofMillis(50));
        assertThat(next).isNotDone();
        one.settle(Cost.of(Quota.TOKENS, 100));
        time.advance(Duration.ofMillis(20));
        assertThat(next).isDone();
    }
}
