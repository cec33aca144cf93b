package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code quota-pacing} before a server that tells limit, remaining count and reset. */
class QuotaPacingWindowTest {

    private static final Duration LATENCY = Duration.ofMillis(100);
    private static final int LIMIT = 300;
    private static final int WINDOW = 300;

    private Timeline line = new Timeline();
    private VirtualTime time = line.time;

    private void beginAnew() {
        line = new Timeline();
        time = line.time;
    }

    private Callers callers(int seed, Callers.Server server) {
        return Callers.paced(line, seed, LATENCY, server);
    }

    @ParameterizedTest
    @CsvSource({"300, 300, 10", "300, 300, 50", "1000, 60, 20", "5000, 3600, 10"})
    void aTenthIsKeptAndReleasedEvenlyWhenDemandExceedsTheQuota(int limit, int window, int count) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Callers callers = callers(seed, new Window(time, limit, window)).untiring(count);
            time.advance(Duration.ofSeconds(4L * window));
            assertThat(callers.refused()).as("seed %s", seed).isZero();
            for (int i = 0; i < 4; i++) {
                assertThat(callers.accepted((i + 0.5) * window, (i + 0.9) * window))
                        .as("before the last tenth of window %s, seed %s", i, seed)
                        .isBetween(limit / 30L, limit / 20L);
            }
        }
    }

    @Test
    void aSmallUserDoesNotWaitBesideAnEndlessBatchThatCameAtTheSameTime() {
        for (int seed = 0; seed < 5; seed++) {
            beginAnew();
            Window server = new Window(time, 10_000, 3600);
            Callers batch = callers(seed, server).untiring(10);
            Callers person = callers(seed + 100, server).oneEvery(Duration.ofSeconds(1));
            time.advance(Duration.ofSeconds(2 * 3600));
            assertThat(person.between(0, 7200).filter(request -> request.waited() > 20))
                    .as("long waits, seed %s", seed)
                    .hasSizeLessThan(72);
            assertThat(person.accepted(0, 7200)).as("seed %s", seed).isGreaterThan(7100);
            assertThat(batch.accepted(0, 7200)).as("seed %s", seed).isGreaterThan(2 * 5500);
        }
    }

    /**
     * The second process begins 37 ms later, when the first one has used what it may use at once. A reset in whole
     * seconds comes too late for it each time, so it never finds a fresh window.
     */
    @ParameterizedTest
    @CsvSource({"1, 2, true", "10, 2, true", "10, 20, true", "1, 2, false", "1, 20, false", "10, 2, false"})
    void aProcessThatComesLaterGetsItsShareOfASmallWindowWhoseLengthIsTold(
            int window, int latency, boolean beginsWithARequest) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Window server = new Window(time, 20, window).tellsTheLength();
            server = beginsWithARequest ? server.beginsWithARequest() : server;
            Callers first = Callers.paced(line, seed, Duration.ofMillis(latency), server)
                    .uneven(seed)
                    .untiring(8);
            time.advance(Duration.ofMillis(37));
            Callers second = Callers.paced(line, 100 + seed, Duration.ofMillis(latency), server)
                    .uneven(100 + seed)
                    .untiring(8);
            time.advance(Duration.ofSeconds(100L * window));
            assertThat(first.accepted(0, 100 * window))
                    .as("first, seed %s", seed)
                    .isGreaterThan(700);
            assertThat(second.accepted(0, 100 * window))
                    .as("second, seed %s", seed)
                    .isGreaterThan(700);
            assertThat(first.refused() + second.refused())
                    .as("refused, seed %s", seed)
                    .isLessThan(120);
        }
    }

    /**
     * The batch uses up each window at its beginning, so it looks like one of which little is ever left. Taken for a
     * quota that is refilled little by little, it made a call wait for ever longer.
     */
    @ParameterizedTest
    @CsvSource({"10, 1", "10, 0.2", "20, 1", "50, 1"})
    void whatIsNeededOfAWindowOfASecondIsHadBesideABatch(int limit, double perSecond) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Window server = new Window(time, limit, 1).tellsTheLength();
            Duration latency = Duration.ofMillis(20);
            Callers batch = Callers.paced(line, seed, latency, server).untiring(10);
            Callers single =
                    Callers.paced(line, 100 + seed, latency, server).arriving(perSecond, new SplittableRandom(seed));
            time.advance(Duration.ofMinutes(20));
            assertThat(single.between(120, 1200).mapToDouble(Callers.Sent::waited))
                    .as("seed %s", seed)
                    .allMatch(waited -> waited < 20);
            assertThat(single.accepted(0, 1200)).as("seed %s", seed).isGreaterThan((long) (0.9 * 1200 * perSecond));
            assertThat(batch.accepted(0, 1200)).as("batch, seed %s", seed).isGreaterThan((long)
                    (0.9 * 1200 * (limit - perSecond)));
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 10", "600, 60", "5000, 3600"})
    void aWindowWhoseResetNobodyTellsIsLearned(int limit, int window) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Window server = new Window(time, limit, window);
            Callers callers = callers(seed, () -> {
                        var answer = server.answer();
                        String remaining = answer.headers("RateLimit-Remaining").get(0);
                        return Heads.status(answer.status(), "RateLimit-Remaining", remaining);
                    })
                    .untiring(5);
            time.advance(Duration.ofSeconds(10L * window));
            assertThat(callers.between(3 * window, 10 * window).filter(request -> !request.accepted()))
                    .as("refused once the window is known, seed %s", seed)
                    .hasSizeLessThanOrEqualTo(7);
            assertThat(callers.accepted(3 * window, 10 * window))
                    .as("seed %s", seed)
                    .isGreaterThan(7L * limit * 9 / 10);
        }
    }

    @ParameterizedTest
    @CsvSource({"300, 300, 10", "1000, 60, 20", "5000, 3600, 10"})
    void hardlyAnyOfAWindowIsLeftUnusedWhenDemandExceedsIt(int limit, int window, int count) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Callers callers = callers(seed, new Window(time, limit, window)).untiring(count);
            time.advance(Duration.ofSeconds(4L * window));
            assertThat(IntStream.range(0, 4).mapToLong(i -> callers.accepted(i * window, (i + 1.0) * window)))
                    .as("requests per window, seed %s", seed)
                    .allMatch(accepted -> accepted >= 0.9 * limit);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 50})
    void afterAResetAllButATenthMayBeSpentAtOnceAndNobodyIsRefused(int count) {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Callers callers = callers(seed, new Window(time, LIMIT, WINDOW)).untiring(count);
            time.advance(Duration.ofSeconds(4 * WINDOW));
            for (int i = 1; i < 4; i++) {
                double reset = i * WINDOW;
                assertThat(callers.between(reset, reset + 10).count())
                        .as("after reset %s, seed %s", i, seed)
                        .isBetween(LIMIT * 8L / 10, LIMIT * 93L / 100);
                assertThat(callers.refused()).as("seed %s", seed).isZero();
            }
        }
    }

    @Test
    void nobodyLeavesBeforeTheResetOfAWindowThatOthersHaveUsedUpNorTakesAllAfterIt() {
        nobodyLeavesBeforeTheReset(0);
    }

    @Test
    void nobodyLeavesBeforeTheResetOfAWindowOfWhichHeHasTakenTheLast() {
        nobodyLeavesBeforeTheReset(1);
    }

    /** Somebody else uses the rest of a window but for some requests. */
    private void nobodyLeavesBeforeTheReset(int left) {
        for (int seed = 0; seed < 5; seed++) {
            beginAnew();
            Window server = new Window(time, LIMIT, WINDOW);
            Callers callers = callers(seed, server).untiring(50);
            double end = 2.5 * WINDOW;
            time.advance(Duration.ofSeconds((long) end));
            server.leaveOnly(left);
            time.advance(Duration.ofSeconds(WINDOW));
            double reset = 3 * WINDOW;
            double told = callers.between(end - 1, reset)
                    .filter(request -> request.answeredAt() > end + LATENCY.toMillis() / 2e3)
                    .mapToDouble(Callers.Sent::answeredAt)
                    .min()
                    .orElseThrow();
            assertThat(callers.between(told, reset)).as("seed %s", seed).isEmpty();
            assertThat(callers.between(reset, reset + 1).count())
                    .as("a fifth is kept where others were seen, seed %s", seed)
                    .isLessThanOrEqualTo(LIMIT * 82L / 100);
            assertThat(callers.accepted(reset, reset + WINDOW / 3)).isPositive();
        }
    }

    @Test
    void nobodyWaitsWhenDemandIsBelowTheQuota() {
        for (int seed = 0; seed < 3; seed++) {
            beginAnew();
            Callers callers = callers(seed, new Window(time, LIMIT, WINDOW)).oneEvery(Duration.ofMillis(1500));
            time.advance(Duration.ofSeconds(4 * WINDOW));
            assertThat(callers.refused()).isZero();
            assertThat(callers.sent).hasSizeGreaterThan(4 * WINDOW * 2 / 3 - 3);
            assertThat(callers.longestWait()).as("seed %s", seed).isZero();
        }
    }

    /** 720 an hour: one every five seconds comes back, however far the reset seems to be. */
    @Test
    void aResetThatMovesOnStopsNobody() {
        for (int seed = 0; seed < 5; seed++) {
            beginAnew();
            Bucket bucket = new Bucket(time, 720, 0.2, 0);
            Callers callers = callers(seed, () -> {
                        var answer = bucket.answer();
                        return Heads.status(
                                answer.status(),
                                "RateLimit-Limit",
                                "720",
                                "RateLimit-Remaining",
                                answer.headers("RateLimit-Remaining").get(0),
                                "RateLimit-Reset",
                                "3600");
                    })
                    .untiring(5);
            time.advance(Duration.ofHours(1));
            assertThat(callers.longestGap(0))
                    .as("seed %s", seed)
                    .isLessThan(Duration.ofMinutes(4).toSeconds());
            assertThat(callers.accepted(1800, 3600)).as("seed %s", seed).isGreaterThan(360 * 8 / 10);
        }
    }
}
