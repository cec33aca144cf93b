package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code quota-pacing} before servers whose headers are not true: everybody is served, and nothing bad stays. */
class QuotaPacingLiarsTest {

    private static final int CALLERS = 5;
    private static final Duration LATENCY = Duration.ofMillis(100);
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(20);
    private static final Duration MAX_RESET_WAIT = Duration.ofSeconds(50);
    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final SplittableRandom random = new SplittableRandom(7);
    private final Throttle throttle = line.throttle(Strategies.quotaPacing()
                    .maxInterval(MAX_INTERVAL)
                    .maxResetWait(MAX_RESET_WAIT)
                    .build())
            .maxWait(Duration.ofDays(1))
            .build();
    private final long start = time.nanoTime();
    private int answers;

    private static ResponseHead remaining(int status, long remaining) {
        return Heads.status(status, "RateLimit-Remaining", String.valueOf(remaining));
    }

    private static ResponseHead withReset(int status, long seconds) {
        return Heads.status(
                status,
                "RateLimit-Limit",
                "1000",
                "RateLimit-Remaining",
                "0",
                "RateLimit-Reset",
                String.valueOf(seconds));
    }

    private long left(Duration untilReset) {
        return untilReset.toSeconds() - (time.nanoTime() - start) / 1_000_000_000;
    }

    private Callers.Server server(String name) {
        Bucket bucket = new Bucket(time, 1000, 2, 100);
        return switch (name) {
            case "stuck at 0" -> () -> remaining(200, 0);
            case "stuck at 0 of 1000" -> () -> Heads.status(200, "RateLimit-Limit", "1000", "RateLimit-Remaining", "0");
            case "stuck at 0, refuses now and then" -> () -> remaining(++answers % 10 == 0 ? 429 : 200, 0);
            case "negative" -> () -> remaining(200, -1 - answers++);
            case "tells on every second answer" ->
                () -> {
                    ResponseHead answer = bucket.answer();
                    return answers++ % 2 == 0 ? answer : Heads.status(answer.status());
                };
            case "one in five random" ->
                () -> {
                    ResponseHead answer = bucket.answer();
                    return random.nextInt(5) == 0 ? remaining(answer.status(), random.nextInt(5000)) : answer;
                };
            case "a reset that stays a year away" ->
                () -> withReset(
                        answers++ % 3 == 0 ? 429 : 200, Duration.ofDays(365).toSeconds());
            case "a reset in a year" -> () -> withReset(answers++ % 3 == 0 ? 429 : 200, left(Duration.ofDays(365)));
            case "a reset in twelve hours" ->
                () -> withReset(answers++ % 3 == 0 ? 429 : 200, left(Duration.ofHours(12)));
            default -> throw new IllegalArgumentException(name);
        };
    }

    static List<String> liars() {
        return List.of(
                "stuck at 0",
                "stuck at 0 of 1000",
                "stuck at 0, refuses now and then",
                "negative",
                "tells on every second answer",
                "one in five random",
                "a reset that stays a year away",
                "a reset in a year",
                "a reset in twelve hours");
    }

    @ParameterizedTest
    @MethodSource("liars")
    void everybodyIsServedAndTheThrottleComesToRestOnceTheServerIsHonest(String name) {
        Callers callers = new Callers(time, throttle, LATENCY, server(name)).untiring(CALLERS);
        time.advance(Duration.ofHours(1));
        // waits after a refusal and for a reset are spread at random
        Duration longest = MAX_INTERVAL.multipliedBy(2).plus(name.contains("reset") ? MAX_RESET_WAIT : Duration.ZERO);
        assertThat(callers.longestGap(0)).isLessThanOrEqualTo(longest.toSeconds());
        assertThat(callers.longestWait()).isLessThanOrEqualTo(CALLERS * longest.toSeconds());
        assertThat(callers.accepted(0, 3600)).isGreaterThan(CALLERS);

        callers.turnTo(new Bucket(time, 1e9, 0, 1e9));
        int before = callers.sent.size();
        time.advance(Duration.ofHours(1));
        List<Callers.Sent> honest = callers.sent.subList(before, callers.sent.size());
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
        assertThat(honest).hasSizeGreaterThan(1_000);
        assertThat(honest.subList(500, honest.size())).allMatch(request -> request.waited() == 0);
    }

    @Test
    void aCountThatStandsAtZeroSlowsNobodyForMoreThanAHundredAnswers() {
        Callers callers = new Callers(time, throttle, LATENCY, server("stuck at 0")).untiring(CALLERS);
        time.advance(Duration.ofHours(2));
        assertThat(callers.sent).hasSizeGreaterThan(400);
        double[] seconds = IntStream.iterate(100, i -> i + 100 < callers.sent.size(), i -> i + 100)
                .mapToDouble(
                        i -> callers.sent.get(i + 99).at() - callers.sent.get(i).at())
                .limit(10)
                .toArray();
        assertThat(seconds[0] / 100)
                .as("mean interval, far from the longest one")
                .isLessThan(MAX_INTERVAL.toSeconds() / 4.0);
        for (int i = 1; i < seconds.length; i++) {
            assertThat(seconds[i]).as("hundred %s", i).isLessThanOrEqualTo(1.1 * seconds[i - 1]);
        }
    }
}
