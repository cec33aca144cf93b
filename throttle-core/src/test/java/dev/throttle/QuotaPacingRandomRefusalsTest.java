package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code quota-pacing} where requests are refused at random, as if one machine behind a load balancer were broken. A
 * pace that becomes slower with each refusal lets eight callers make one call a second instead of 136.
 */
class QuotaPacingRandomRefusalsTest {

    private static final Duration LATENCY = Duration.ofMillis(50);

    private final Timeline line = new Timeline();
    private final SplittableRandom random = new SplittableRandom(7);

    private Callers.Server sometimesBroken(double share, int status, Callers.Server server) {
        return () -> random.nextDouble() < share ? Heads.status(status) : server.answer();
    }

    /** @param least calls a second; without refusals each caller makes 20 */
    @ParameterizedTest
    @CsvSource({
        "1, 0.02, 503, 10",
        "1, 0.05, 429, 14",
        "1, 0.1, 503, 11",
        "8, 0.01, 503, 130",
        "8, 0.02, 429, 120",
        "8, 0.05, 503, 120",
        "8, 0.1, 429, 90",
        "64, 0.05, 503, 900"
    })
    void aFewRefusalsAtRandomDoNotSlowCallersDown(int callers, double share, int status, double least) {
        Callers loop = Callers.paced(line, 1, LATENCY, sometimesBroken(share, status, () -> Heads.status(200)))
                .untiring(callers);
        line.time.advance(Duration.ofMinutes(20));
        assertThat(loop.accepted(300, 1200) / 900.0).isGreaterThan(least);
    }

    /**
     * With each refusal the server asks to wait for a second. All callers do, and then go on without a pace.
     *
     * @param least calls a second, as the mean of four runs
     */
    @ParameterizedTest
    @CsvSource({"1, 0.02, 13", "1, 0.1, 5.5", "1, 0.4, 1", "8, 0.02, 35", "8, 0.05, 10", "8, 0.1, 10"})
    void aServerThatAsksToWaitIsObeyedAndNoMore(int callers, double share, double least) {
        double accepted = 0;
        for (int seed = 1; seed <= 4; seed++) {
            SplittableRandom chance = new SplittableRandom(seed);
            Timeline run = new Timeline();
            Callers loop = Callers.paced(
                            run,
                            seed,
                            LATENCY,
                            () -> chance.nextDouble() < share
                                    ? Heads.status(503, "Retry-After", "1")
                                    : Heads.status(200))
                    .untiring(callers);
            run.time.advance(Duration.ofMinutes(30));
            accepted += loop.accepted(600, 1800) / 1200.0 / 4;
            NavigableSet<Double> departures =
                    loop.sent.stream().map(Callers.Sent::at).collect(Collectors.toCollection(TreeSet::new));
            for (Callers.Sent each : loop.sent) {
                Double next = departures.higher(each.answeredAt());
                if (!each.accepted() && next != null) {
                    assertThat(next - each.answeredAt()).isGreaterThan(0.999_999);
                }
            }
        }
        assertThat(accepted).isGreaterThan(least);
    }

    /** Some of them come from a bucket that grants 100 requests a second. */
    @ParameterizedTest
    @CsvSource({"true, 98, 0.06", "false, 60, 0.15"})
    void aLimitIsStillKept(boolean told, double least, double most) {
        Bucket bucket = new Bucket(line.time, 1000, 100, 1000);
        Callers.Server server =
                told ? bucket : () -> Heads.status(bucket.answer().status());
        Callers loop = Callers.paced(line, 1, LATENCY, sometimesBroken(0.05, 503, server))
                .untiring(8);
        line.time.advance(Duration.ofMinutes(20));
        double accepted = loop.accepted(300, 1200);
        assertThat(accepted / 900).isGreaterThan(least);
        assertThat(loop.refused() / (loop.refused() + (double) loop.accepted(0, 1200)))
                .isLessThan(most);
    }

    /**
     * A bucket of ten tells what is left, also where it is not the reason.
     *
     * @param rate how many requests a second it grants
     * @param least the share of them that is used
     */
    @ParameterizedTest
    @CsvSource({
        "10, 503, 0.002, 0.95",
        "10, 503, 0.01, 0.92",
        "10, 503, 0.05, 0.9",
        "10, 429, 0.002, 0.9",
        "10, 429, 0.01, 0.8",
        "1, 503, 0.05, 0.95",
        "1, 429, 0.05, 0.5"
    })
    void aSmallQuotaThatIsToldIsUsedAllTheSame(double rate, int status, double share, double least) {
        Bucket bucket = new Bucket(line.time, 10, rate, 0);
        Callers loop = Callers.paced(
                        line,
                        1,
                        LATENCY,
                        () -> random.nextDouble() < share
                                ? Heads.status(status, "RateLimit-Remaining", String.valueOf((long) bucket.level()))
                                : bucket.answer())
                .untiring(4);
        line.time.advance(Duration.ofMinutes(20));
        assertThat(loop.accepted(300, 1200) / 900.0).isGreaterThan(least * rate);
    }

    /**
     * The limit refuses with one status and tells nothing else, and a few requests are refused with another.
     *
     * @param share of all requests
     */
    @ParameterizedTest
    @CsvSource({"429, 503, 0.02", "429, 503, 0.05", "503, 429, 0.02", "503, 429, 0.05"})
    void refusalsOfAnotherKindDoNotSlowThePaceOfASilentLimit(int limit, int other, double share) {
        Bucket bucket = new Bucket(line.time, 10, 10, 10);
        Callers loop = Callers.paced(
                        line,
                        1,
                        LATENCY,
                        sometimesBroken(
                                share, other, () -> Heads.status(bucket.answer().status() == 429 ? limit : 200)))
                .untiring(4);
        line.time.advance(Duration.ofMinutes(20));
        double accepted = loop.accepted(0, 1200);
        assertThat(accepted / 1200).isGreaterThan(9.7);
        assertThat(loop.refused() / (loop.refused() + accepted)).isLessThan(share + 0.02);
    }

    /** Nor do they slow down a window of a minute, of which the server tells nothing. */
    @Test
    void aWindowIsUsedUpAgainAndAgain() {
        Callers.Server window = new Callers.Server() {
            private long minute;
            private int used;

            @Override
            public ResponseHead answer() {
                long now = line.time.nanoTime() / 60_000_000_000L;
                used = now == minute ? used + 1 : 1;
                minute = now;
                return Heads.status(used > 6000 ? 429 : 200);
            }
        };
        Callers loop = Callers.paced(line, 1, LATENCY, sometimesBroken(0.05, 503, window))
                .untiring(8);
        line.time.advance(Duration.ofMinutes(30));
        assertThat(loop.accepted(600, 1800)).isGreaterThan(100_000);
        assertThat(loop.refused()).isLessThan(12_000);
    }

    /** After ten minutes the server has a limit of ten requests a second, of which it tells nothing. */
    @ParameterizedTest
    @CsvSource({"0.02", "0.05", "0.1"})
    void aLimitThatComesLaterIsFound(double share) {
        Callers loop = Callers.paced(line, 1, LATENCY, sometimesBroken(share, 503, () -> Heads.status(200)))
                .untiring(8);
        line.time.advance(Duration.ofMinutes(10));
        long before = loop.refused();
        Bucket bucket = new Bucket(line.time, 10, 10, 10);
        loop.turnTo(() -> Heads.status(bucket.answer().status()));
        line.time.advance(Duration.ofMinutes(10));
        assertThat(loop.accepted(600, 1200)).isGreaterThan(5_400);
        assertThat(loop.refused() - before).isLessThan(400);
    }
}
