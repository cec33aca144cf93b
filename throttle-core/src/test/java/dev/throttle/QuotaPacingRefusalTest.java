package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a {@code Retry-After} does to everybody of a key under {@code quota-pacing}. */
class QuotaPacingRefusalTest {

    private static final int SEEDS = 30;
    private static final Duration AWAY = Duration.ofSeconds(5);
    private static final ResponseHead PLENTY =
            Heads.status(200, "RateLimit-Limit", "1000000", "RateLimit-Remaining", "900000");
    private static final ResponseHead REFUSED_WITH_PLENTY =
            Heads.status(429, "Retry-After", "5", "RateLimit-Limit", "1000000", "RateLimit-Remaining", "900000");

    private static Throttle throttle(Timeline line, int seed) {
        return line.throttle(Strategies.quotaPacing().build())
                .retryAfterJitter(0.05, Duration.ofSeconds(5))
                .maxWait(Duration.ofDays(1))
                .seed(seed)
                .build();
    }

    @Test
    void nobodyLeavesBeforeARetryAfterHoweverMuchRemainsAndJitterOnlyAdds() {
        Set<Long> firstToLeave = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            Timeline line = new Timeline();
            Throttle throttle = throttle(line, seed);
            throttle.tryAcquire().complete(PLENTY);
            List<Permit> onTheWire = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                onTheWire.add(throttle.tryAcquire());
            }
            onTheWire.get(0).complete(REFUSED_WITH_PLENTY);
            List<CompletableFuture<Permit>> waiting = new ArrayList<>();
            waiting.add(onTheWire.get(0).acquireAgainAsync());
            for (int i = 1; i < 10; i++) {
                onTheWire.get(i).complete(PLENTY);
                waiting.add(throttle.acquireAsync());
            }
            line.time.advanceNanos(AWAY.toNanos() - 1);
            assertThat(waiting).as("seed %s", seed).noneMatch(CompletableFuture::isDone);
            assertThat(throttle.tryAcquire()).as("seed %s", seed).isNull();
            line.time.advanceNanos(1);
            while (!waiting.get(0).isDone()) {
                assertThat(line.time.advanceToNextTask()).isTrue();
            }
            firstToLeave.add(line.time.nanoTime());
            line.time.advance(Duration.ofMinutes(2));
            assertThat(waiting).as("seed %s", seed).allMatch(CompletableFuture::isDone);
        }
        assertThat(firstToLeave).hasSizeGreaterThan(SEEDS / 2);
    }

    @Test
    void aRefusedFirstRequestTeachesTheWholeKey() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Timeline line = new Timeline();
            Callers callers = callersOfAServerThatRefuses(line, seed, 0, 20);
            assertThat(callers.refused()).as("seed %s", seed).isEqualTo(1);
            assertThat(callers.accepted(0, 40)).as("seed %s", seed).isPositive();
        }
    }

    @Test
    void oneRefusalTeachesTheWholeKeyWhenOnlyRetryAfterIsSent() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Timeline line = new Timeline();
            Callers callers = callersOfAServerThatRefuses(line, seed, 10, 30);
            double known = callers.sent.stream()
                    .filter(request -> !request.accepted())
                    .mapToDouble(Callers.Sent::answeredAt)
                    .min()
                    .orElseThrow();
            assertThat(callers.between(known, 30)).as("seed %s", seed).isEmpty();
            assertThat(callers.refused()).as("on the wire, seed %s", seed).isBetween(1L, 8L);
            assertThat(callers.accepted(30, 50)).as("seed %s", seed).isPositive();
        }
    }

    private static Callers callersOfAServerThatRefuses(Timeline line, int seed, int from, int to) {
        long start = line.time.nanoTime();
        Callers callers = new Callers(line.time, throttle(line, seed), Duration.ofMillis(100), () -> {
            double now = (line.time.nanoTime() - start) / 1e9;
            return now >= from && now < to
                    ? Heads.status(429, "Retry-After", String.valueOf((int) Math.ceil(to - now)))
                    : Heads.status(200);
        });
        callers.untiring(8);
        line.time.advance(Duration.ofSeconds(to + 20));
        return callers;
    }
}
