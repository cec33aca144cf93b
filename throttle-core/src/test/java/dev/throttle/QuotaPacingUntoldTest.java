package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that tell nothing of their limit: only refusals show it. */
class QuotaPacingUntoldTest {

    private static final Duration LATENCY = Duration.ofMillis(165);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;

    private Callers callers(int seed, Callers.Server server) {
        return Callers.paced(line, seed, LATENCY, server);
    }

    /**
     * The other one takes each unit as it comes back. While it had no pause the bucket was empty too often, and a pace
     * that the small one had once found became slower and slower. With each of these seeds it then got less than half
     * of what it asked for.
     *
     * @param perSecond what comes back in a second; a tenth of it is what the small one asks for
     */
    @ParameterizedTest
    @CsvSource({"10, 28", "10, 97", "10, 270", "50, 1", "50, 2", "50, 3", "50, 4"})
    void whoAsksForLittleGetsItBesideWhoTakesAllThereIs(double perSecond, int seed) {
        Bucket bucket = new Bucket(time, 10 * perSecond, perSecond, 0);
        Callers.Server silent = () -> Heads.status(bucket.answer().status());
        Callers batch = callers(seed, silent).untiring(10);
        Callers single = callers(1000 + seed, silent).arriving(perSecond / 10, new SplittableRandom(seed));
        time.advance(Duration.ofMinutes(30));
        assertThat(single.accepted(0, 1800)).isGreaterThan((long) (160 * perSecond));
        assertThat(batch.accepted(0, 1800)).isGreaterThan((long) (1600 * perSecond));
    }

    /**
     * A loop that does something else between two calls. Its pauses were taken for a sign that it asks for little, so
     * it got no pace, and ran into the limit with each call: 76 of 100 requests were refused at one a second.
     */
    @ParameterizedTest
    @CsvSource({
        "50, 0",
        "50, 1",
        "50, 5",
        "50, 40",
        "500, 10",
        "500, 100",
        "500, 300",
        "1000, 10",
        "1000, 100",
        "1000, 300",
        "1000, 900"
    })
    void aLoopWithPausesFindsThePaceOfAServerThatSpacesRequests(long spaceMillis, long pauseMillis) {
        Duration space = Duration.ofMillis(spaceMillis);
        Callers loop = Callers.paced(line, 1, Duration.ofMillis(1), spaced(space))
                .pausing(Duration.ofMillis(pauseMillis))
                .untiring(1);
        time.advance(space.multipliedBy(1_000));
        assertThat(loop.accepted(0, Double.MAX_VALUE)).isGreaterThan(700);
        assertThat(loop.refused()).isLessThan(90);
    }

    /** A loop behind a bucket, whose pauses and requests take uneven times, so an event may come early by chance. */
    private Callers unevenLoop(int seed, Bucket bucket, long pauseMillis) {
        return Callers.paced(
                        line,
                        seed,
                        Duration.ofMillis(1),
                        () -> Heads.status(bucket.answer().status()))
                .uneven(seed)
                .pausing(Duration.ofMillis(pauseMillis))
                .untiring(1);
    }

    /**
     * The pace was lifted by one early event, and for the next ten events the loop ran into the limit: up to 12 % were
     * refused.
     */
    @ParameterizedTest
    @CsvSource({"1, 20", "2, 20", "3, 20", "4, 20", "5, 20", "6, 20", "1, 5", "2, 5", "3, 5", "4, 5", "5, 5", "6, 5"})
    void aLoopWithUnevenPausesKeepsThePaceThatItHasFound(int seed, long pauseMillis) {
        Callers loop = unevenLoop(seed, new Bucket(time, 20, 10, 20), pauseMillis);
        time.advance(Duration.ofMinutes(1));
        assertThat(loop.accepted(0, 60)).isGreaterThan(590);
        assertThat(loop.refused()).isLessThan(24);
    }

    /**
     * A program loads its classes between its first calls. These pauses were taken for a sign that it asks for little,
     * so it had no pace for its first ten events: up to a tenth were refused in five minutes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void pausesBeforeTheFirstRefusalAreThoseOfALoop(int seed) {
        Callers loop = unevenLoop(seed, new Bucket(time, 11, 1, 11), 1);
        time.advance(Duration.ofMinutes(5));
        assertThat(loop.accepted(0, 300)).isGreaterThan(295);
        assertThat(loop.refused()).isLessThan(18);
    }

    /** Refusals at random do not become rarer if it is slower, so it does not stay slow. */
    @ParameterizedTest
    @CsvSource({"300, 0.1, 8000", "300, 0.3, 5000", "900, 0.3, 2000", "2000, 0.3, 1200", "10000, 0.3, 300"})
    void aLoopWithPausesIsNotSlowForLongWhereRefusalsComeAtRandom(long pauseMillis, double refused, long least) {
        SplittableRandom random = new SplittableRandom(7);
        Callers.Server server = () -> Heads.status(random.nextDouble() < refused ? 429 : 200);
        Callers loop = Callers.paced(line, 1, Duration.ofMillis(50), server)
                .pausing(Duration.ofMillis(pauseMillis))
                .untiring(1);
        time.advance(Duration.ofHours(1));
        assertThat(loop.accepted(0, 3600)).isGreaterThan(least);
        assertThat(loop.longestWait()).isLessThan(20);
    }

    /**
     * A trial was never begun if more than a fifth was refused, and a slow pace has few events that could begin one.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void aLoopIsNotSlowForLongWhereNearlyHalfIsRefusedAtRandom(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Callers.Server server = () -> Heads.status(random.nextDouble() < 0.45 ? 429 : 200);
        Callers loop = Callers.paced(line, seed, Duration.ofMillis(50), server).untiring(1);
        time.advance(Duration.ofHours(1));
        assertThat(loop.accepted(0, 3600)).isGreaterThan(5_000);
    }

    /** Accepts one request in a time, and keeps nothing for later. */
    private Callers.Server spaced(Duration space) {
        long[] nextAt = {time.nanoTime()};
        return () -> {
            if (time.nanoTime() - nextAt[0] < 0) {
                return Heads.status(429);
            }
            nextAt[0] = time.nanoTime() + space.toNanos();
            return Heads.status(200);
        };
    }

    /** Some of them are accepted in each flight, so each refusal seemed to be by chance, and the pace never changed. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLimitThatFallsToATenthIsNotRunAgainstForEver(int seed) {
        Bucket before = new Bucket(time, 100, 50, 100);
        Callers callers =
                callers(seed, () -> Heads.status(before.answer().status())).untiring(20);
        time.advance(Duration.ofMinutes(10));
        Bucket after = new Bucket(time, 10, 5, 0);
        callers.turnTo(() -> Heads.status(after.answer().status()));
        time.advance(Duration.ofMinutes(10));
        assertThat(callers.between(900, 1200).filter(request -> !request.accepted()))
                .hasSizeLessThan(60);
        assertThat(callers.accepted(900, 1200)).isGreaterThan(1_300);
    }

    /** Windows of the same size and length, of which the first two had to be learned. */
    @Test
    void theEndOfAWindowThatIsKnownIsAwaitedWithoutRefusals() {
        Callers callers =
                Callers.paced(line, 1, Duration.ofMillis(3), window(20)).untiring(8);
        time.advance(Duration.ofSeconds(100));
        assertThat(callers.between(10, 100).filter(request -> !request.accepted()))
                .hasSizeLessThan(60); // in one of eight it is tried whether more fits
        assertThat(callers.accepted(0, 100)).isGreaterThan(1_600);
    }

    /** One of eight windows shows that the limit has grown, and each one that it has shrunk. */
    @ParameterizedTest
    @ValueSource(ints = {10, 30, 60})
    void anotherSizeOfTheWindowIsLearned(int size) {
        Callers callers = callers(1, window(20)).untiring(8);
        time.advance(Duration.ofSeconds(100));
        callers.turnTo(window(size));
        time.advance(Duration.ofSeconds(100));
        assertThat(callers.accepted(120, 200)).isGreaterThan(80L * size * 7 / 10);
    }

    /** Each end was found up to half a window late, and the ends of the next ones with it. */
    @ParameterizedTest
    @CsvSource({"1, 20, 8", "10, 100, 1", "10, 100, 8", "10, 100, 64", "60, 600, 8"})
    void theEndOfAWindowOfAUsualLengthIsFoundAtOnce(int seconds, int size, int callers) {
        for (int seed = 1; seed <= 3; seed++) {
            Timeline run = new Timeline();
            Callers all = Callers.paced(run, seed, Duration.ofMillis(3), firstHit(run.time, seconds, size))
                    .untiring(callers);
            run.time.advance(Duration.ofSeconds(4L * seconds));
            assertThat(all.accepted(0, 3.2 * seconds)).isGreaterThanOrEqualTo(4L * size - callers);
        }
    }

    /** Of ten programs; in one of them the search takes longer. */
    @ParameterizedTest
    @ValueSource(ints = {3, 7, 12, 45, 75})
    void theEndOfAWindowOfAnotherLengthIsFoundByAndBy(int seconds) {
        long accepted = 0;
        for (int seed = 1; seed <= 10; seed++) {
            Timeline run = new Timeline();
            Callers all = Callers.paced(run, seed, Duration.ofMillis(3), firstHit(run.time, seconds, 100))
                    .untiring(8);
            run.time.advance(Duration.ofSeconds(60L * seconds));
            long own = all.accepted(20 * seconds, 60 * seconds);
            assertThat(own).as("seed %d", seed).isGreaterThan(75 * 40);
            accepted += own;
            assertThat(all.between(20 * seconds, 60 * seconds).filter(request -> !request.accepted()))
                    .hasSizeLessThan(100);
        }
        assertThat(accepted).isGreaterThan(10 * 93 * 40);
    }

    /** Of five programs. A window that becomes a tenth shorter is found by chance. */
    @ParameterizedTest
    @CsvSource({"60, 20", "60, 1", "20, 60", "10, 9"})
    void aWindowThatBecomesShorterOrLongerIsFoundAnew(int before, int after) {
        long accepted = 0;
        for (int seed = 1; seed <= 5; seed++) {
            Timeline run = new Timeline();
            Callers all = Callers.paced(run, seed, Duration.ofMillis(3), firstHit(run.time, before, 100))
                    .untiring(8);
            double changed = 12 * before;
            run.time.advance(Duration.ofSeconds(12L * before));
            all.turnTo(firstHit(run.time, after, 100));
            run.time.advance(Duration.ofSeconds(30L * before + 30L * after));
            double later = changed + 30 * before;
            accepted += all.accepted(later, later + 30 * after);
        }
        assertThat(accepted).isGreaterThan(5 * 90 * 30);
    }

    /** Each one that meets the end of a window looks as if the window were longer. */
    @Test
    void refusalsByChanceDoNotMakeAWindowLongerAndLonger() {
        SplittableRandom chance = new SplittableRandom(1);
        Callers.Server window = firstHit(time, 10, 100);
        Callers all = Callers.paced(
                        line,
                        1,
                        Duration.ofMillis(3),
                        () -> chance.nextInt(100) == 0 ? Heads.status(429) : window.answer())
                .untiring(8);
        time.advance(Duration.ofHours(12));
        assertThat(all.accepted(6 * 3600, 12 * 3600)).isGreaterThan(6 * 36_000L * 7 / 10);
    }

    /** A window that begins with the first request after the last one was over. */
    private static Callers.Server firstHit(VirtualTime time, int seconds, int size) {
        long[] end = {time.nanoTime()};
        int[] used = {0};
        return () -> {
            if (time.nanoTime() - end[0] >= 0) {
                end[0] = time.nanoTime() + Duration.ofSeconds(seconds).toNanos();
                used[0] = 0;
            }
            return Heads.status(used[0]++ < size ? 200 : 429);
        };
    }

    /**
     * The limit is 20 in a second, and who asks for more is locked out for five seconds, as by {@code blockDuration} of
     * rate-limiter-flexible. Requests of eight callers at once use it up before the first refusal. It looked like a
     * window of five seconds for ever, and 30 minutes granted 7,200.
     */
    @ParameterizedTest
    @CsvSource({"1, 3, 1", "1, 50, 2", "8, 3, 3", "8, 50, 4", "8, 20, 5"})
    void whatLocksOutIsUsedAtThePaceOfItsWindow(int threads, int latencyMillis, int seed) {
        Callers all = Callers.paced(line, seed, Duration.ofMillis(latencyMillis), lockingOut(20, 1, 5))
                .untiring(threads);
        time.advance(Duration.ofMinutes(30));
        assertThat(all.accepted(0, 1800)).isGreaterThan(1800 * 20 * 6 / 10);
        assertThat(all.refused()).isLessThan(1800 * 20 / 50);
    }

    /** What is refused during a window, in seconds, or while it locks out, does not make that longer. */
    private Callers.Server lockingOut(int size, int seconds, int lockOut) {
        long[] end = {time.nanoTime()};
        int[] used = {0};
        return () -> {
            long now = time.nanoTime();
            if (now - end[0] >= 0) {
                end[0] = now + Duration.ofSeconds(seconds).toNanos();
                used[0] = 0;
            }
            if (++used[0] <= size) {
                return Heads.status(200);
            }
            if (used[0] == size + 1) {
                end[0] = now + Duration.ofSeconds(lockOut).toNanos();
            }
            return Heads.status(429, "Retry-After", Double.toString((end[0] - now) / 1e9));
        };
    }

    private Callers.Server window(int size) {
        int[] used = new int[1_000];
        long start = time.nanoTime();
        return () -> Heads.status(used[(int) ((time.nanoTime() - start) / 1_000_000_000)]++ < size ? 200 : 429);
    }

    /** All that are on the wire when a limit is met are refused. */
    @Test
    void manyCallersDoNotAllRunAgainstALimitThatNothingTells() {
        int[] used = {0};
        Callers callers =
                callers(1, () -> Heads.status(used[0]++ < 100 ? 200 : 429)).untiring(64);
        time.advance(Duration.ofSeconds(3));
        assertThat(callers.accepted(0, 3)).isEqualTo(100);
        assertThat(callers.refused()).isLessThan(26);
    }

    /** But a program that waits for slow answers has them all on the wire soon. */
    @Test
    void slowAnswersWithoutALimitAreSoonAwaitedTogether() {
        Callers callers = Callers.paced(line, 1, Duration.ofSeconds(5), () -> Heads.status(200))
                .untiring(200);
        time.advance(Duration.ofSeconds(60));
        assertThat(callers.accepted(0, 50)).isGreaterThan(1_000);
    }
}
