package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two processes with {@code quota-pacing} before one server come to the same share of its quota, although they cannot
 * talk to each other and the second one comes later.
 */
class QuotaPacingSharesTest {

    private static final double PER_SECOND = 1.25;
    private static final Duration LATENCY = Duration.ofMillis(200);
    private static final Duration LATER = Duration.ofSeconds(10);
    private static final Duration BEFORE = Duration.ofMinutes(40);
    private static final Duration COUNTED = Duration.ofMinutes(20);

    /** The second process comes; a time passes in which they find their shares; then requests are counted. */
    private record Scenario(double perSecond, Duration latency, Duration later, Duration before, Duration counted) {

        /** The same with another scale of time. */
        Scenario slower(double times) {
            return new Scenario(
                    perSecond / times,
                    slower(latency, times),
                    slower(later, times),
                    slower(before, times),
                    slower(counted, times));
        }

        private static Duration slower(Duration duration, double times) {
            return Duration.ofNanos((long) (duration.toNanos() * times));
        }

        void bringsEqualShares(int callers, double level) {
            for (int seed = 1; seed <= 3; seed++) {
                Timeline line = new Timeline();
                VirtualTime time = line.time;
                Bucket bucket = new Bucket(time, 4500, perSecond, level);
                Callers first = process(line, seed, callers, bucket);
                time.advance(later);
                Callers second = process(line, 100 + seed, callers, bucket);
                time.advance(before);
                long[] already = {accepted(first), accepted(second)};
                time.advance(counted);
                long one = accepted(first) - already[0];
                long other = accepted(second) - already[1];
                assertThat((double) Math.min(one, other) / Math.max(one, other))
                        .as("seed %s: accepted %s and %s", seed, one, other)
                        .isGreaterThanOrEqualTo(0.75);
            }
        }

        private Callers process(Timeline line, int seed, int callers, Bucket bucket) {
            Throttle throttle = line.throttle(Strategies.quotaPacing().build())
                    .maxWait(Duration.ofDays(1))
                    .seed(seed)
                    .build();
            return new Callers(line.time, throttle, latency, bucket).untiring(callers);
        }

        private static long accepted(Callers callers) {
            return callers.accepted(0, Double.POSITIVE_INFINITY);
        }
    }

    private final Scenario scenario = new Scenario(PER_SECOND, LATENCY, LATER, BEFORE, COUNTED);

    /** Each may go once in six seconds or more. At the price of faster quotas half of the requests would be refused. */
    @ParameterizedTest
    @CsvSource({"5, 10", "5, 60", "10, 60"})
    void ofASmallBucketThatTellsItsRefill(int limit, int seconds) {
        Timeline line = new Timeline();
        Bucket bucket = new Bucket(line.time, limit, (double) limit / seconds, 0);
        List<Callers> processes = new ArrayList<>();
        for (int seed = 1; seed <= 3; seed++) {
            processes.add(Callers.paced(
                            line,
                            seed,
                            LATENCY,
                            () -> with(bucket.answer(), limit, "RateLimit-Policy", limit + ";w=" + seconds))
                    .untiring(2));
        }
        line.time.advance(Duration.ofHours(1));
        long[] accepted =
                processes.stream().mapToLong(it -> it.accepted(600, 3600)).toArray();
        long sum = LongStream.of(accepted).sum();
        assertThat(sum).isGreaterThan(3000L * limit / seconds * 95 / 100);
        assertThat(LongStream.of(accepted).min().orElse(0)).isGreaterThan(sum / 3 * 70 / 100);
        long refused = processes.stream().mapToLong(Callers::refused).sum();
        assertThat(refused).isLessThan(sum / 5);
    }

    /** The first one knew to the second when the next unit came back, and took each at once. */
    @ParameterizedTest
    @CsvSource({"15, 60, 7", "15, 30, 7", "20, 60, 9", "25, 100, 12"})
    void whoComesLaterToASmallBucketThatTellsWhenTheNextUnitComesBack(int limit, int seconds, int level) {
        Timeline line = new Timeline();
        double perSecond = (double) limit / seconds;
        Bucket bucket = new Bucket(line.time, limit, perSecond, level);
        Callers.Server server = () -> {
            ResponseHead head = bucket.answer();
            double next = Math.ceil((1 - bucket.level() % 1) / perSecond);
            return with(head, limit, "RateLimit-Reset", String.valueOf((long) next));
        };
        Callers first = Callers.paced(line, 1, LATENCY, server).untiring(2);
        line.time.advance(Duration.ofMinutes(3));
        Callers second = Callers.paced(line, 2, LATENCY, server).untiring(2);
        line.time.advance(Duration.ofHours(1));
        long one = first.accepted(1800, 3600);
        long other = second.accepted(1800, 3600);
        assertThat(one + other).isGreaterThan((long) (1800 * perSecond * 0.9));
        assertThat(Math.min(one, other)).isGreaterThan(Math.max(one, other) / 2);
    }

    private static ResponseHead with(ResponseHead head, int limit, String header, String value) {
        return Heads.status(
                head.status(),
                "RateLimit-Limit",
                String.valueOf(limit),
                "RateLimit-Remaining",
                head.headers("RateLimit-Remaining").get(0),
                header,
                value);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 200})
    void atOneRequestAndAQuarterASecond(int level) {
        scenario.bringsEqualShares(5, level);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 200})
    void atAnEighthOfARequestASecond(int level) {
        scenario.slower(10).bringsEqualShares(5, level);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 200})
    void atAHundredAndTwentyFiveRequestsASecondOverANetworkThatIsAsMuchFaster(int level) {
        scenario.slower(0.01).bringsEqualShares(5, level);
    }

    /** A network is not a hundred times as fast because the server is. */
    @ParameterizedTest
    @ValueSource(ints = {50, 100})
    void atAHundredAndTwentyFiveRequestsASecondOverAnOrdinaryNetwork(int latencyMillis) {
        new Scenario(
                        100 * PER_SECOND,
                        Duration.ofMillis(latencyMillis),
                        LATER,
                        Duration.ofMinutes(4),
                        Duration.ofMinutes(1))
                .bringsEqualShares(40, 0);
    }

    /**
     * One has found the bucket full, and uses all that comes back. The other asks for a tenth of that, or less. While
     * it saw an empty bucket its calls waited for half an hour.
     *
     * @param threads of the one that uses all
     * @param perSecond what the other asks for
     */
    @ParameterizedTest
    @CsvSource({"10, 0.2", "10, 1", "2, 0.2", "2, 1"})
    void ofASmallBucketThatWasFullWhoAsksForLittleGetsIt(int threads, double perSecond) {
        Timeline line = new Timeline();
        Bucket bucket = new Bucket(line.time, 10, 10, 10);
        Callers.Server server = () -> Heads.status(
                bucket.answer().status(),
                "RateLimit-Policy",
                "10;w=1",
                "RateLimit-Limit",
                "10",
                "RateLimit-Remaining",
                String.valueOf((int) bucket.level()),
                "RateLimit-Reset",
                "1");
        Duration latency = Duration.ofMillis(20);
        Callers batch = Callers.paced(line, 1, latency, server).untiring(threads);
        Callers single = Callers.paced(line, 2, latency, server).arriving(perSecond, new SplittableRandom(3));
        line.time.advance(Duration.ofMinutes(30));
        assertThat(single.between(0, 60).mapToDouble(Callers.Sent::waited))
                .as("until the other one has measured the refill")
                .allMatch(waited -> waited < 20);
        assertThat(single.between(60, 1800).mapToDouble(Callers.Sent::waited)).allMatch(waited -> waited < 3);
        assertThat(single.accepted(0, 1800)).isGreaterThan((long) (0.9 * 1800 * perSecond));
        assertThat(batch.accepted(0, 1800)).isGreaterThan((long) (0.95 * 1800 * (10 - perSecond)));
    }
}
