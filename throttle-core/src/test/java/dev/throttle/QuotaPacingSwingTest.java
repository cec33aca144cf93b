package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose count swings: sliding windows, where all that was used comes back at once, and uneven costs. */
class QuotaPacingSwingTest {

    private static final Duration LATENCY = Duration.ofMillis(165);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;

    private Callers callers(int seed, int count, Callers.Server server) {
        return Callers.paced(line, seed, LATENCY, server).untiring(count);
    }

    /** At most so many requests in any so many seconds; it tells what remains, and perhaps the limit. */
    private final class SlidingWindow implements Callers.Server {

        private final int limit;
        private final int seconds;
        private final boolean tellsLimit;
        private final Deque<Long> accepted = new ArrayDeque<>();

        SlidingWindow(int limit, int seconds, boolean tellsLimit) {
            this.limit = limit;
            this.seconds = seconds;
            this.tellsLimit = tellsLimit;
        }

        @Override
        public ResponseHead answer() {
            long now = time.nanoTime();
            while (!accepted.isEmpty()
                    && now - accepted.peekFirst() >= Duration.ofSeconds(seconds).toNanos()) {
                accepted.removeFirst();
            }
            int status = accepted.size() < limit ? 200 : 429;
            if (status == 200) {
                accepted.addLast(now);
            }
            String remaining = String.valueOf(limit - accepted.size());
            return tellsLimit
                    ? Heads.status(status, "RateLimit-Remaining", remaining, "RateLimit-Limit", String.valueOf(limit))
                    : Heads.status(status, "RateLimit-Remaining", remaining);
        }

        int secondsUntilSomeComeBack() {
            return (int) Math.ceil(seconds - (time.nanoTime() - accepted.getFirst()) / 1e9);
        }
    }

    /** Others have just used it up. A pace that would do for them, too, uses half of it and shows no length. */
    @ParameterizedTest
    @CsvSource({"20, 4", "50, 4", "100, 8"})
    void aProgramThatIsAloneFromNowOnUsesASlidingWindowOfASecond(int limit, int threads) {
        SlidingWindow window = new SlidingWindow(limit, 1, true);
        for (int i = 0; i < limit; i++) {
            window.answer();
        }
        Callers loop = Callers.paced(line, 1, Duration.ofMillis(50), () -> withReset(window.answer(), limit, 1))
                .untiring(threads);
        time.advance(Duration.ofMinutes(5));
        assertThat(loop.accepted(60, 300) / 240.0).isGreaterThan(0.78 * limit);
        assertThat(loop.refused()).isLessThan(10);
    }

    private static ResponseHead withReset(ResponseHead head, int limit, int seconds) {
        String remaining = head.headers("RateLimit-Remaining").get(0);
        return Heads.status(
                head.status(),
                "RateLimit-Limit",
                String.valueOf(limit),
                "RateLimit-Remaining",
                remaining,
                "RateLimit-Reset",
                String.valueOf(seconds));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whoNeedsLittleOfASlidingWindowGetsItBesideWhoTakesAllThereIs(int seed) {
        SlidingWindow server = new SlidingWindow(600, 60, false);
        Callers batch = callers(seed, 10, server);
        Callers single = callers(100 + seed, 1, server);
        time.advance(Duration.ofHours(1));
        assertThat(single.longestGap(600)).as("seconds without an answer").isLessThan(20);
        assertThat(single.accepted(600, 3600)).isGreaterThan(5_000); // 1.6 a second, and ten are shared by two
        assertThat(batch.accepted(600, 3600) + single.accepted(600, 3600)).isGreaterThan(27_000);
        assertThat(batch.refused() + single.refused()).isLessThan(200);
    }

    /** The busy one knows the window, and what it has used of it itself. So it knows what the other one has used. */
    @ParameterizedTest
    @CsvSource({
        "60, 10, 2, 1",
        "60, 10, 2, 2",
        "60, 10, 2, 3",
        "300, 60, 2, 1",
        "300, 60, 2, 2",
        "300, 60, 2, 3",
        "40, 10, 3, 1",
        "40, 10, 3, 2",
        "40, 10, 3, 3"
    })
    void whoAsksForLittleOfASlidingWindowWhoseLimitIsToldDoesNotWait(int limit, int seconds, int every, int seed) {
        SlidingWindow server = new SlidingWindow(limit, seconds, true);
        Duration latency = Duration.ofMillis(50);
        Callers batch = Callers.paced(line, seed, latency, server).untiring(10);
        Callers single = Callers.paced(line, 100 + seed, latency, server).oneEvery(Duration.ofSeconds(every));
        time.advance(Duration.ofMinutes(30));
        assertThat(single.accepted(0, 1800)).isGreaterThan(1800 / every * 95 / 100);
        assertThat(batch.accepted(0, 1800) + single.accepted(0, 1800)).isGreaterThan(1800 * limit / seconds * 70 / 100);
    }

    /** What is left unused in a sliding window is lost, so it must not be taken for a bucket. */
    @ParameterizedTest
    @CsvSource({"20, 1, 1", "20, 1, 4", "20, 10, 1", "20, 10, 4", "40, 10, 1", "40, 10, 4"})
    void whoIsAloneUsesASmallSlidingWindowWhoseLimitIsTold(int limit, int seconds, int threads) {
        Callers callers = Callers.paced(line, 1, Duration.ofMillis(50), new SlidingWindow(limit, seconds, true))
                .untiring(threads);
        time.advance(Duration.ofMinutes(20));
        assertThat(callers.accepted(60, 1200)).isGreaterThan(1140 * limit / seconds * 72 / 100);
        assertThat(callers.refused()).isLessThan(callers.accepted(0, 1200) / 50);
    }

    /** Too little is used of it to tell it from a bucket, in which some requests stay for others and cost nothing. */
    @ParameterizedTest
    @CsvSource({"8, 5, 1", "8, 5, 4", "10, 10, 1", "10, 10, 4"})
    void whatStaysOfAVerySmallSlidingWindowIsUsedSinceItNeverComesBack(int limit, int seconds, int threads) {
        SlidingWindow window = new SlidingWindow(limit, seconds, true);
        Callers callers = Callers.paced(line, 1, Duration.ofMillis(50), () -> {
                    ResponseHead head = window.answer();
                    return withReset(head, limit, window.secondsUntilSomeComeBack());
                })
                .untiring(threads);
        time.advance(Duration.ofMinutes(20));
        assertThat(callers.accepted(300, 1200)).isGreaterThan(900 * limit / seconds * 80 / 100);
        assertThat(callers.refused()).isLessThan(10);
    }

    /** The count rises while both wait after their first answers, and falls when one of them has begun. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void whoComesLaterToAnEmptyBucketGetsAsMuch(int milliseconds) {
        double[] level = {0};
        double[] at = {time.nanoTime() / 1e9};
        Callers.Server bucket = () -> {
            double now = time.nanoTime() / 1e9;
            level[0] = Math.min(4500, level[0] + 125 * (now - at[0]));
            at[0] = now;
            boolean enough = level[0] >= 1;
            level[0] -= enough ? 1 : 0;
            return Heads.status(enough ? 200 : 429, "RateLimit-Remaining", String.valueOf((long) level[0]));
        };
        Callers first = Callers.paced(line, 1, Duration.ofMillis(1), bucket).untiring(5);
        time.advance(Duration.ofMillis(milliseconds));
        Callers second = Callers.paced(line, 2, Duration.ofMillis(1), bucket).untiring(5);
        time.advance(Duration.ofSeconds(10));
        double share = second.accepted(0, 10) / (double) (first.accepted(0, 10) + second.accepted(0, 10));
        assertThat(share).isBetween(0.4, 0.6);
    }

    @Test
    void aRefusalBeforeAllIsUsedTellsThatSomeRequestsTakeMore() {
        double[] level = {600};
        double[] at = {0};
        SplittableRandom random = new SplittableRandom(1);
        int[] need = {random.nextInt(2, 11)};
        Callers callers = callers(1, 10, () -> {
            double now = time.nanoTime() / 1e9;
            level[0] = Math.min(600, level[0] + 10 * (now - at[0]));
            at[0] = now;
            boolean enough = level[0] >= need[0];
            if (enough) {
                level[0] -= need[0];
                need[0] = random.nextInt(2, 11);
            }
            return Heads.status(enough ? 200 : 429, "RateLimit-Remaining", String.valueOf((long) level[0]));
        });
        time.advance(Duration.ofMinutes(10));
        assertThat(callers.sent.size()).isGreaterThan(900);
        assertThat(callers.refused()).isLessThan(10);
    }
}
