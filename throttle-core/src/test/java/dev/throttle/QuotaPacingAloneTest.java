package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that has the server to itself is not slower under {@code quota-pacing} than it must be. */
class QuotaPacingAloneTest {

    private static final Duration LATENCY = Duration.ofMillis(100);
    private static final ResponseHead ACCEPTED = Heads.status(200);
    private static final ResponseHead REFUSED = Heads.status(429);
    private static final ResponseHead BUSY = Heads.status(503);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final long start = time.nanoTime();
    private int answers;

    private Callers callers(Callers.Server server) {
        return callers(1, LATENCY, server);
    }

    private Callers callers(long seed, Duration latency, Callers.Server server) {
        return Callers.paced(line, seed, latency, server);
    }

    private double seconds() {
        return (time.nanoTime() - start) / 1e9;
    }

    @Test
    void fourThousandOfFiveThousandAnHourGoAtFullSpeed() {
        Callers callers = callers(new Window(time, 5_000, 3_600)).untiring(10);
        time.advance(Duration.ofSeconds(41));
        assertThat(callers.accepted(0, 41)).isGreaterThanOrEqualTo(4_000);
        assertThat(callers.refused()).isZero();
    }

    @Test
    void theStockOfABucketGoesAtFullSpeedAndThenTheRefillIsUsed() {
        Callers callers = callers(new Bucket(time, 300, 5, 300)).untiring(10);
        time.advance(Duration.ofSeconds(40));
        assertThat(callers.accepted(0, 2.8)).isGreaterThan(250);
        assertThat(callers.accepted(0, 40)).isGreaterThan(300 + 40 * 5 - 40);
        assertThat(callers.refused()).isZero();
    }

    /** Below eight left it went as slowly as if others had left so little, and took a second. */
    @Test
    void aJobThatFitsInASmallQuotaOfUntoldSizeIsDoneInThreeRoundTrips() {
        for (int seed = 1; seed <= 20; seed++) {
            Timeline run = new Timeline();
            Callers callers = Callers.paced(run, seed, LATENCY, new Bucket(run.time, 20, 0.1, 20))
                    .uneven(seed)
                    .untiring(10);
            run.time.advance(Duration.ofMillis(500)); // they take up to half as long again
            assertThat(callers.accepted(0, 0.5)).as("seed %d", seed).isGreaterThanOrEqualTo(18);
        }
    }

    /** Each refusal asks to wait for a whole second. The request at the end of each window was a little too early. */
    @Test
    void windowsThatBeginWithARequestAndTellOnlyWhatIsLeftAreUsedOneAfterTheOther() {
        for (int seed = 1; seed <= 10; seed++) {
            Timeline run = new Timeline();
            Callers callers = Callers.paced(run, seed, Duration.ofMillis(20), fromRequest(run.time))
                    .uneven(seed)
                    .untiring(1);
            run.time.advance(Duration.ofSeconds(20));
            assertThat(callers.accepted(0, 20)).as("seed %d", seed).isGreaterThanOrEqualTo(20 * 16);
        }
    }

    /** Twenty in a second, which begins with the first request after the last one. */
    private static Callers.Server fromRequest(VirtualTime time) {
        long[] end = {time.nanoTime()};
        int[] used = {0};
        return () -> {
            long now = time.nanoTime();
            if (now - end[0] >= 0) {
                end[0] = now + 1_000_000_000;
                used[0] = 0;
            }
            used[0]++;
            String left = Integer.toString(Math.max(0, 20 - used[0]));
            return used[0] <= 20
                    ? Heads.status(200, "RateLimit-Remaining", left)
                    : Heads.status(429, "RateLimit-Remaining", left, "Retry-After", "1");
        };
    }

    /** At the price for a quota of untold size it would leave a quarter unused. */
    @ParameterizedTest
    @ValueSource(ints = {12, 20, 40})
    void aSmallBucketThatTellsOnlyWhatIsLeftIsUsedInFull(int capacity) {
        Callers callers = callers(new Bucket(time, capacity, 10, capacity)).untiring(4);
        time.advance(Duration.ofSeconds(120));
        assertThat(callers.accepted(20, 120)).isGreaterThan(1_000 * 95L / 100);
        assertThat(callers.refused()).isLessThan(3);
    }

    /** Nothing is left of it after a restart. Its count is the same after each request, so it is always full. */
    @ParameterizedTest
    @CsvSource({"2, 60", "3, 70", "5, 80"})
    void aSmallBucketThatWasFoundEmptyIsUsedOnceItStaysFull(int capacity, int percent) {
        Callers callers = callers(new Bucket(time, capacity, capacity, 0)).untiring(4);
        time.advance(Duration.ofMinutes(20));
        assertThat(callers.accepted(300, 1200)).isGreaterThan(9L * capacity * percent);
        assertThat(callers.refused()).isLessThan(callers.accepted(0, 1200) / 50);
    }

    /** Spring Cloud Gateway fills its buckets at each full second, and tells how fast. */
    @ParameterizedTest
    @CsvSource({"20, 1", "20, 8", "10, 8"})
    void aBucketThatFillsOnceASecondIsUsedInFull(int capacity, int threads) {
        long[] filledAt = {0};
        int[] left = {capacity};
        Callers callers = callers(1, Duration.ofMillis(3), () -> {
                    long second = (long) seconds();
                    left[0] = (int) Math.min(capacity, left[0] + 10 * (second - filledAt[0]));
                    filledAt[0] = second;
                    boolean accepted = left[0] > 0;
                    left[0] -= accepted ? 1 : 0;
                    return Heads.status(
                            accepted ? 200 : 429,
                            "X-RateLimit-Remaining",
                            String.valueOf(left[0]),
                            "X-RateLimit-Requested-Tokens",
                            "1",
                            "X-RateLimit-Burst-Capacity",
                            String.valueOf(capacity),
                            "X-RateLimit-Replenish-Rate",
                            "10");
                })
                .untiring(threads);
        time.advance(Duration.ofSeconds(60));
        assertThat(callers.accepted(0, 60)).isGreaterThanOrEqualTo(capacity + 59 * 10 * 95 / 100);
        assertThat(callers.refused()).isLessThan(16); // one in forty
    }

    /**
     * Bucket4j's starter tells what remains with accepted answers only, and whole seconds with a refusal, rounded down.
     * Each of the callers was refused at the end of each window, one right after the other.
     *
     * @param early by how much too early the reset is that is told, in seconds; NaN if none is told
     */
    @ParameterizedTest
    @CsvSource({"NaN, false, 1", "NaN, false, 8", "NaN, true, 8", "1, false, 1", "1, false, 8", "1, true, 8"})
    void aRefusalThatTellsNoCountMeansThatNothingIsLeft(double early, boolean retryAfter, int threads) {
        int[] used = new int[21];
        Callers callers = callers(1, Duration.ofMillis(5), () -> {
                    int window = (int) (seconds() / 10);
                    double left = 10 * (window + 1) - seconds();
                    boolean accepted = used[window] < 100;
                    used[window] += accepted ? 1 : 0;
                    List<String> headers = new ArrayList<>();
                    if (accepted) {
                        headers.addAll(List.of("X-RateLimit-Remaining", String.valueOf(100 - used[window])));
                    }
                    if (accepted && early >= 0) {
                        headers.addAll(List.of("X-RateLimit-Reset", String.valueOf((long) Math.ceil(left - early))));
                    }
                    if (!accepted && retryAfter) {
                        headers.addAll(List.of("X-Rate-Limit-Retry-After-Seconds", String.valueOf((long) left)));
                    }
                    return Heads.status(accepted ? 200 : 429, headers.toArray(String[]::new));
                })
                .untiring(threads);
        time.advance(Duration.ofSeconds(200));
        assertThat(callers.accepted(0, 200)).isGreaterThanOrEqualTo(1_900);
        assertThat(callers.refused()).isLessThan(20);
    }

    /** Its count is always 0, which is no sign that others use it up. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 8", "10, 8"})
    void aBucketOfOneIsUsedAsFastAsItTells(int rate, int threads) {
        Bucket bucket = new Bucket(time, 1, rate, 0);
        Callers callers = callers(1, Duration.ofMillis(3), () -> {
                    boolean accepted = bucket.answer().status() == 200;
                    return Heads.status(
                            accepted ? 200 : 429,
                            "X-RateLimit-Remaining",
                            "0",
                            "X-RateLimit-Burst-Capacity",
                            "1",
                            "X-RateLimit-Replenish-Rate",
                            String.valueOf(rate));
                })
                .untiring(threads);
        time.advance(Duration.ofSeconds(600));
        assertThat(callers.accepted(60, 600)).isGreaterThan(540L * rate * 85 / 100);
        assertThat(callers.refused()).isLessThan(callers.sent.size() / 50);
    }

    /** All answers of half a minute tell that nothing is left. Afterwards it fills as fast as it tells. */
    @ParameterizedTest
    @CsvSource({"5, 1000, 10, 32", "20, 500, 50, 64", "20, 3, 10, 8"})
    void anOutageIsNoStepOfABucket(int capacity, int latency, int rate, int threads) {
        Bucket bucket = new Bucket(time, capacity, rate, capacity);
        Callers callers = callers(1, Duration.ofMillis(latency), () -> {
                    boolean away = seconds() >= 20 && seconds() < 50;
                    boolean accepted = !away && bucket.answer().status() == 200;
                    return Heads.status(
                            accepted ? 200 : 429,
                            "X-RateLimit-Remaining",
                            away ? "0" : String.valueOf((long) bucket.level()),
                            "X-RateLimit-Burst-Capacity",
                            String.valueOf(capacity),
                            "X-RateLimit-Replenish-Rate",
                            String.valueOf(rate));
                })
                .untiring(threads);
        time.advance(Duration.ofSeconds(360));
        assertThat(callers.accepted(60, 360)).isGreaterThan(300L * rate * 95 / 100);
    }

    /** Counts that answers bring in another order than requests were counted show no other client. */
    @ParameterizedTest
    @CsvSource({"5, 1", "5, 2", "5, 3", "50, 4", "50, 5", "50, 6", "200, 7", "200, 8"})
    void answersThatOvertakeEachOtherDoNotLookLikeThoseOfOthers(int milliseconds, int seed) {
        Callers callers = callers(seed, Duration.ofMillis(milliseconds), new Bucket(time, 100, 10, 100))
                .uneven(seed)
                .untiring(8);
        time.advance(Duration.ofSeconds(50));
        assertThat(callers.accepted(0, 50)).isGreaterThan(100 + 50 * 10 * 80 / 100);
        assertThat(callers.refused()).isLessThan(8);
    }

    /**
     * The throttler of NestJS counts each request for ten seconds, and tells the reset of another window. When that has
     * passed, one unit has come back, and all others follow it.
     */
    @ParameterizedTest
    @ValueSource(ints = {200, 500, 1000, 2000, 3000, 5000})
    void whereOneIsLeftTheNextRequestDoesNotWaitForAResetThatWasWrong(int micros) {
        Deque<Double> counted = new ArrayDeque<>();
        double[] reset = {0};
        Callers callers = callers(1, Duration.ofNanos(micros * 1000L), () -> {
                    while (!counted.isEmpty() && counted.peekFirst() <= seconds() - 10) {
                        counted.removeFirst();
                    }
                    reset[0] = reset[0] <= seconds() ? seconds() + 10 : reset[0];
                    boolean accepted = counted.size() < 100;
                    if (accepted) {
                        counted.addLast(seconds());
                    }
                    return Heads.status(
                            accepted ? 200 : 429,
                            "X-RateLimit-Limit",
                            "100",
                            "X-RateLimit-Remaining",
                            String.valueOf(100 - counted.size()),
                            "X-RateLimit-Reset",
                            String.valueOf((long) Math.ceil(reset[0] - seconds())));
                })
                .untiring(1);
        time.advance(Duration.ofSeconds(31));
        assertThat(callers.accepted(0, 31)).isGreaterThan(350);
        assertThat(callers.refused()).isLessThan(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {600, 5_000})
    void ofAFloodNoMoreGoThanMayBeUsed(int limit) {
        Callers callers = callers(new Window(time, limit, 3_600)).untiring(2 * limit);
        time.advance(Duration.ofSeconds(10));
        assertThat(callers.accepted(0, 10)).isGreaterThan(limit * 85L / 100);
        assertThat(callers.refused()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void aStrayRefusalCostsAWaitAndNoMore(int number) {
        Callers callers =
                callers(() -> ++answers == number ? REFUSED : ACCEPTED).untiring(10);
        time.advance(Duration.ofSeconds(60));
        assertThat(callers.accepted(0, 60)).isGreaterThan(6_000 * 95L / 100);
    }

    @Test
    void aWindowWithoutHeadersIsLearnedAndUsedAtOnce() {
        int[] used = new int[100];
        Callers callers = callers(() -> used[(int) (seconds() / 10)]++ < 100 ? ACCEPTED : REFUSED)
                .untiring(10);
        time.advance(Duration.ofSeconds(600));
        assertThat(callers.accepted(0, 600)).isGreaterThan(6_000 * 90L / 100);
        assertThat(callers.between(60, 600)
                        .filter(request -> !request.accepted())
                        .count())
                .as("after six windows")
                .isLessThan(54 * 7L);
    }

    @Test
    void twoBadMinutesCostTwoMinutesAndAThirdOfThem() {
        Callers callers = callers(() -> seconds() >= 60 && seconds() < 180 ? BUSY : ACCEPTED)
                .oneEvery(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1_200));
        assertThat(callers.between(60, 180).count()).as("probes").isBetween(5L, 40L);
        assertThat(callers.accepted(180, 1_200)).isGreaterThan(1_000);
        double lastProbe = 180 + 0.35 * 1.35 * 1.35 * 120; // the longest time from a probe to the next
        assertThat(callers.between(lastProbe + 3, 1_200).mapToDouble(Callers.Sent::waited))
                .allMatch(waited -> waited == 0);
    }

    @Test
    void aRateWithoutHeadersIsFound() {
        Bucket bucket = new Bucket(time, 100, 10, 100);
        Callers callers = callers(() -> Heads.status(bucket.answer().status())).untiring(4);
        time.advance(Duration.ofSeconds(300));
        assertThat(callers.accepted(100, 300)).isGreaterThan(200 * 10 * 9L / 10);
        assertThat(callers.refused()).isLessThan(callers.sent.size() / 20);
    }
}
