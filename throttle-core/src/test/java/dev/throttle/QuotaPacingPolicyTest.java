package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Servers that tell the limit, the length of the window and what is left, and no reset: Tomcat's RateLimitFilter does
 * so, with a window on a grid of 16.384 s that it calls one of 16 s. A bucket might tell the same. Answers overtake
 * each other.
 */
class QuotaPacingPolicyTest {

    private static final int LIMIT = 164;
    private static final double WINDOW = 16.384;

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final long start = time.nanoTime();

    private Callers callers(int seed, Callers.Server server) {
        return callers(seed, 8, server).untiring(8);
    }

    private Callers callers(int seed, int milliseconds, Callers.Server server) {
        return Callers.paced(line, seed, Duration.ofMillis(milliseconds), server)
                .uneven(seed);
    }

    private double now() {
        return (time.nanoTime() - start) / 1e9;
    }

    private static ResponseHead answer(boolean accepted, long left) {
        return Heads.status(
                accepted ? 200 : 429,
                "RateLimit-Policy",
                "\"default\";q=" + LIMIT + ";w=16",
                "RateLimit",
                "\"default\";r=" + left);
    }

    /** @param late seconds from the beginning of a window to the first request */
    private Callers.Server window(double late) {
        long[] window = {-1};
        int[] used = {0};
        return () -> {
            long present = (long) ((now() + late) / WINDOW);
            used[0] = present == window[0] ? used[0] + 1 : 1;
            window[0] = present;
            return answer(used[0] <= LIMIT, Math.max(0, LIMIT - used[0]));
        };
    }

    private Callers.Server bucket() {
        double[] level = {LIMIT};
        double[] at = {0};
        return () -> {
            level[0] = Math.min(LIMIT, level[0] + LIMIT / 16.0 * (now() - at[0]));
            at[0] = now();
            boolean enough = level[0] >= 1;
            level[0] -= enough ? 1 : 0;
            return answer(enough, (long) level[0]);
        };
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1", "0.5, 2", "0.5, 3", "4, 4", "8, 5", "12, 6"})
    void theSecondWindowIsUsedWhenItBegins(double late, int seed) {
        Callers callers = callers(seed, window(late));
        time.advance(Duration.ofNanos((long) ((WINDOW - late) * 1.2e9 + 2e9)));
        assertThat(callers.accepted(0, 100)).isGreaterThan(LIMIT + LIMIT / 2);
        assertThat(callers.refused()).isLessThan(15);
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1", "4, 2", "8, 3", "12, 4", "15, 5"})
    void severalWindowsShowWhenTheNextOneBegins(double late, int seed) {
        Callers callers = callers(seed, window(late));
        time.advance(Duration.ofNanos((long) ((30 * WINDOW - late) * 1e9)));
        assertThat(callers.accepted(0, 1000)).isGreaterThan(29 * LIMIT);
        assertThat(callers.refused()).isLessThan(29);
    }

    @Test
    void aBucketIsUsedAsItRefills() {
        Callers callers = callers(1, bucket());
        time.advance(Duration.ofMinutes(5));
        assertThat(callers.accepted(0, 300)).isGreaterThan((long) (0.98 * 300 * LIMIT / 16));
        assertThat(callers.refused()).isLessThan(10);
    }

    /** Where others use what comes back, a bucket stands still as well. */
    @ParameterizedTest
    @CsvSource({"8, 8, 0", "4, 500, 0", "4, 500, 2", "1, 100, 0", "1, 100, 2", "8, 100, 2"})
    void aBucketIsShared(int threads, int milliseconds, int later) {
        Callers.Server bucket = bucket();
        Callers first = callers(1, milliseconds, bucket).untiring(threads);
        time.advance(Duration.ofSeconds(later));
        Callers second = callers(2, milliseconds, bucket).untiring(threads);
        time.advance(Duration.ofMinutes(5));
        double all = first.accepted(60, 300) + second.accepted(60, 300);
        assertThat(all).isGreaterThan(0.95 * 240 * LIMIT / 16);
        assertThat(first.accepted(60, 300) / all).isBetween(0.4, 0.6);
        assertThat(first.refused() + second.refused()).isLessThan(30);
    }
}
