package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code quota-pacing} before a server whose windows begin with a request, and which tells the reset as a time in whole
 * seconds, rounded up.
 */
class QuotaPacingFirstHitTest {

    private static final int LIMIT = 20;

    private final Timeline line = new Timeline(new VirtualTime(0, 1_700_000_000_000L));
    private final VirtualTime time = line.time;

    /** A server of 20 requests in a window that begins with a request. */
    private Window server(long windowMillis, boolean isRelative) {
        Window server = new Window(time, LIMIT, Duration.ofMillis(windowMillis)).beginsWithARequest();
        return isRelative ? server : server.tellsTheTime();
    }

    private Callers callers(int latencyMillis, long windowMillis) {
        return callers(latencyMillis, server(windowMillis, false));
    }

    private Callers callers(int latencyMillis, Window server) {
        return Callers.paced(line, latencyMillis, Duration.ofMillis(latencyMillis), server);
    }

    @ParameterizedTest
    @CsvSource({"3, 1000, .97", "20, 1000, .97", "165, 1000, .85", "20, 2000, .97", "20, 10000, .98"})
    void aWindowIsAskedForAsSoonAsItBegins(int latency, int window, double used) {
        Callers callers = callers(latency, window).untiring(8);
        time.advance(Duration.ofMillis(100L * window));
        assertThat(callers.accepted(0, seconds(100, window))).isGreaterThan((long) (100 * LIMIT * used));
        assertThat(callers.refused()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"3, .5", "20, .5", "165, 2"})
    void aServiceAtNineTenthsOfTheLimitHardlyWaits(int latency, double mean) {
        Callers callers = callers(latency, 1000).arriving(18, new SplittableRandom(1));
        time.advance(Duration.ofSeconds(660));
        assertThat(callers.between(60, 660).mapToDouble(Callers.Sent::waited).sum() / callers.sent.size())
                .as("mean wait in seconds")
                .isLessThan(mean);
        assertThat(callers.refused()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"20, 1000, .97", "20, 2000, .97", "20, 10000, .97", "165, 2000, .85", "165, 10000, .97"})
    void answersThatOvertakeEachOtherAreTakenForNothingElse(int latency, int window, double used) {
        Callers callers = callers(latency, window).uneven(latency).untiring(8);
        time.advance(Duration.ofMillis(300L * window));
        assertThat(callers.accepted(0, seconds(300, window))).isGreaterThan((long) (300 * LIMIT * used));
        assertThat(callers.refused()).isLessThan(300 * LIMIT / 200);
    }

    /** A window of three seconds is told as three at its first request, so two seconds are tried. */
    @ParameterizedTest
    @CsvSource({"1500, false", "1500, true", "2500, false", "3000, true", "6000, true", "11000, true"})
    void aLengthThatIsNotUsualIsTakenForAnotherOneTwiceAtMost(int window, boolean isRelative) {
        Callers before = callers(20, server(window, isRelative)).untiring(8);
        time.advance(Duration.ofMillis(100L * window));
        assertThat(before.refused()).isLessThanOrEqualTo(2);
        Callers service = callers(20, server(window, isRelative)).arriving(15_000.0 / window, new SplittableRandom(1));
        time.advance(Duration.ofMillis(300L * window));
        assertThat(service.refused()).isLessThanOrEqualTo(4);
        assertThat(before.accepted(0, seconds(100, window))).isGreaterThan((long) (100 * LIMIT * .7));
    }

    @ParameterizedTest
    @CsvSource({"-3600000", "-700", "-20", "20", "350", "999", "3600000"})
    void theClocksOfServerAndClientMayDiffer(long aheadMillis) {
        Callers callers = callers(20, server(1000, false).isAhead(aheadMillis)).untiring(8);
        time.advance(Duration.ofSeconds(100));
        assertThat(callers.accepted(0, 100)).isGreaterThan((long) (100 * LIMIT * .95));
        assertThat(callers.refused()).isZero();
    }

    private static double seconds(int windows, int milliseconds) {
        return windows * milliseconds / 1000.0;
    }
}
