package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A quota of requests that tells what is left, and neither a limit nor a reset. */
class PacedCountsTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final Surroundings surroundings =
            new Surroundings(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0), () -> 0);
    private final Reading reading = new Reading();
    private final PacedQuota quota = new PacedQuota(surroundings, Tuning.USUAL, quota(0));

    private static Quota quota(long remaining) {
        return new Quota("a", null, remaining, null, null);
    }

    /** A request leaves, and its answer tells what is left. */
    private void answered(double at, long remaining) {
        quota.admitted(Cost.ONE, 1, nanos(at), nanos(at));
        quota.ended(Outcome.SUCCESS, Moment.sentAt(at), nanos(at));
        read(at, quota(remaining), false);
    }

    /** With a window of a hundred, and a reset if that is a number. */
    private void answered(double at, long remaining, double reset) {
        quota.admitted(Cost.ONE, 1, nanos(at), nanos(at));
        quota.ended(Outcome.SUCCESS, Moment.sentAt(at), nanos(at));
        read(at, new Quota("a", 100L, remaining, reset > 0 ? Duration.ofNanos(nanos(reset - at)) : null, null), false);
    }

    private void refused(double at, long remaining) {
        quota.admitted(Cost.ONE, 1, nanos(at), nanos(at));
        quota.ended(Outcome.RATE_LIMITED, Moment.sentAt(at), nanos(at));
        read(at, quota(remaining), true);
    }

    private void read(double at, Quota told, boolean isRefusal) {
        long remaining = Objects.requireNonNull(told.remaining());
        Traffic load = Traffic.QUIET.admittedAt(nanos(at)).perSecond(1);
        quota.read(
                reading.of(told, remaining, isRefusal ? Outcome.RATE_LIMITED : Outcome.SUCCESS, null, load, nanos(at)),
                true,
                load,
                0);
    }

    /** {@return the interval that belongs to a count} */
    private static double f(double count) {
        return 0.733 * Math.pow((count + 0.22 * 8) / (1.22 * 8), -3);
    }

    private double due(int ahead, double at) {
        return Moment.seconds(quota.dueNanos(Cost.requests(ahead), Cost.ONE, 0, nanos(at)));
    }

    @Test
    void whoFindsAStockGoesAtFullSpeedUntilOneMoreThanNeededIsLeft() {
        answered(0, 100);
        assertThat(quota.interval()).isZero();
        assertThat(due(98, 0)).isZero();
        assertThat(due(99, 0)).isPositive(); // counts are rounded down
    }

    @Test
    void whoFindsLittleGoesSlowly() {
        answered(0, 5);
        assertThat(quota.interval()).isEqualTo(2.4);
        assertThat(due(0, 0)).isEqualTo(2.4, ALMOST);
    }

    /** The first calls would otherwise wait until eight requests are saved up. */
    @Test
    void aQuotaThatWasFoundEmptyFillsLittleByLittle() {
        refused(0, 0);
        quota.refused(Traffic.QUIET, 0);
        answered(5, 5);
        double interval = 2.4 * Math.pow(0.733 / 2.4, 0.2); // as much as should be left
        assertThat(quota.interval()).isEqualTo(interval, ALMOST);
        answered(10, 4);
        double target = 5.3; // and a little more each time
        double price = 0.733 * Math.pow((4 + 0.22 * target) / (1.22 * target), -3);
        assertThat(quota.interval()).isEqualTo(interval * Math.pow(price / interval, 0.2), ALMOST);
    }

    /** A program at rest asks nobody, and its answers have no permit. */
    @Test
    void whatLeftAtRestIsNotTakenForOthers() {
        double at = 0;
        for (long left = 99; left >= 60; left--) {
            Traffic atRest = Traffic.QUIET.admittedAt(nanos(at));
            quota.ended(Outcome.SUCCESS, Moment.withPermit(0, atRest), nanos(at + 0.1));
            Quota told = new Quota("a", 100L, left, null, null);
            quota.read(
                    reading.of(told, left, Outcome.SUCCESS, null, Moment.withPermit(0, atRest), nanos(at + 0.1)),
                    true,
                    atRest,
                    0);
            at++;
        }
        assertThat(quota.interval()).isZero();
    }

    /** Ten left before anything was told, and the first answer does not contain them. */
    @ParameterizedTest
    @CsvSource({"10, 88", "0, 98"})
    void whatWasOnTheWireBeforeItIsKnownCounts(int onTheWire, int more) {
        answered(0, 100);
        assertThat(Moment.seconds(quota.dueNanos(Cost.requests(more), Cost.ONE, onTheWire, 0)))
                .isZero();
        assertThat(quota.dueNanos(Cost.requests(more + 1), Cost.ONE, onTheWire, 0))
                .isNotEqualTo(0);
    }

    /** Many leave at once, and wait for their connections. The answer to a later one does not contain them. */
    @ParameterizedTest
    @CsvSource({"60", "NaN"})
    void whatIsOnTheWireHasPerhapsNotReachedTheServer(double reset) {
        answered(0, 100, reset);
        for (int id = 1; id <= 50; id++) {
            quota.admitted(Cost.ONE, 1, id, nanos(1));
        }
        answered(1.2, 99, reset);
        int others = 30;
        assertThat(quota.dueNanos(Cost.requests(others), Cost.ONE, 50, nanos(1.3)))
                .isLessThanOrEqualTo(nanos(1.3));
        assertThat(quota.dueNanos(Cost.requests(60), Cost.ONE, 50, nanos(1.3))).isGreaterThan(nanos(1.3));
    }

    /** The price of what a small bucket holds may be too high, whatever comes back. */
    @Test
    void aBucketOfUntoldSizeThatStaysAsFullAsEverHalvesTheInterval() {
        for (int left = 18; left >= 7; left--) {
            answered(0.1 * (19 - left), left);
        }
        for (int at = 2; at <= 15; at++) {
            answered(at, Math.min(18, 8 + at));
        }
        assertThat(quota.interval()).isBetween(1e-9, f(18) / 4);
        answered(16, 17);
        double lower = quota.interval();
        for (int at = 17; at < 25; at++) {
            answered(at, 17);
        }
        assertThat(quota.interval()).isGreaterThan(lower); // that is not the most there was
    }

    /** As of three in three seconds, of which one is taken each time. */
    @Test
    void evenIfLittleIsLeftAtAllTimes() {
        answered(0, 2);
        answered(2.4, 1);
        for (int at = 1; at <= 12; at++) {
            answered(20.0 * at, 2);
        }
        double slowest = quota.interval();
        for (int at = 13; at <= 20; at++) {
            answered(20.0 * at, 2);
        }
        assertThat(quota.interval()).isLessThan(slowest / 2);
    }

    /** The first refusal sets an interval, and nothing else holds the next request back. */
    @Test
    void afterAFirstRefusalOneIntervalIsWaitedFor() {
        refused(0, 0);
        quota.refused(Traffic.QUIET, 0);
        assertThat(due(0, 0)).isEqualTo(2.4, ALMOST);
        quota.refused(Traffic.QUIET.admittedAt(-1), 1); // it was on the wire, too
        assertThat(due(0, 0)).isEqualTo(2.4, ALMOST);
    }

    /** {@return whether it takes what is left to the last for its own, of a limit if one is told} */
    private boolean isAlone(@Nullable Long limit, long remaining, long target) {
        for (long left = remaining; left >= target - 1; left--) {
            double at = remaining - left;
            quota.admitted(Cost.ONE, 1, nanos(at), nanos(at));
            quota.ended(Outcome.SUCCESS, Moment.sentAt(at), nanos(at));
            read(at, new Quota("a", limit, left, null, null), false);
        }
        return quota.interval() == 0;
    }

    @ParameterizedTest
    @CsvSource({"19, true", "18, false", "9, false"})
    void whoFindsMoreThanManyClientsLeaveIsAlone(long remaining, boolean alone) {
        assertThat(isAlone(null, remaining, 8)).isEqualTo(alone);
    }

    /** Of a small quota that is more than a quarter. */
    @ParameterizedTest
    @CsvSource({"40, 11, true", "40, 10, false", "100, 26, true", "100, 25, false", "1000, 33, true", "1000, 32, false"
    })
    void whoFindsMoreThanAQuarterOfAToldLimitIsAlone(long limit, long remaining, boolean alone) {
        assertThat(isAlone(limit, remaining, 8)).isEqualTo(alone);
    }

    /** It goes slowly at first, and each pause leaves time for others to be seen and for something to come back. */
    @ParameterizedTest
    @CsvSource({"5, 5, true", "4, 5, false", "6, 5, false"})
    void aSmallBucketIsFullIfThreePausesLeaveItsFirstCount(long first, long next, boolean full) {
        answered(0, first);
        for (double at = 10; at <= 20; at += 10) {
            answered(at, next);
            assertThat(quota.interval()).isPositive();
        }
        answered(30, next);
        answered(40, next);
        assertThat(quota.interval() == 0).isEqualTo(full);
    }

    @Test
    void aBucketThatWasSeenFullHasASizeUntilMoreIsLeft() {
        for (double at = 0; at <= 30; at += 10) {
            answered(at, 5);
        }
        surroundings.become(2, 1, nanos(30));
        quota.shared(1, nanos(30)); // others use it
        assertThat(explainsARefusal(40, 2)).isTrue(); // a quarter of six should be left
        assertThat(explainsARefusal(50, 3)).isFalse();
        assertThat(explainsARefusal(60, 7)).isTrue(); // eight, as of any quota of untold size
    }

    @Test
    void othersAreSeenAndThenAllHaveTheIntervalThatBelongsToTheCount() {
        answered(0, 100);
        for (int at = 1; at <= 9; at++) {
            answered(at, 100 - 10 * at); // nine of them by others
        }
        answered(10, 14); // something comes back, so it is no stock
        for (int at = 11; at < 200; at++) {
            answered(at, 6);
        }
        assertThat(quota.interval()).isEqualTo(f(6), within(1e-6));
    }

    /** So many requests in a second, to a sliding window of sixty in a second. */
    private void useSlidingWindow(Deque<Double> used, double from, double until, int perSecond) {
        for (double at = from; at < until; at += 1.0 / perSecond) {
            while (!used.isEmpty() && used.getFirst() <= at - 1) {
                used.removeFirst();
            }
            used.add(at);
            answered(at, 60 - used.size());
        }
    }

    /** For a second after the pace has risen, twice the length fits as well. */
    @Test
    void aSlidingWindowThatWasWrongIsNoProofOfBeingAlone() {
        answered(0, 18);
        Deque<Double> used = new ArrayDeque<>();
        useSlidingWindow(used, 0.01, 3, 30);
        useSlidingWindow(used, 3, 4.05, 55);
        assertThat(quota.explain(nanos(4.05))).contains("sliding window of 2 s");
        useSlidingWindow(used, 4.05, 5, 55);
        assertThat(quota.explain(nanos(5))).contains("is shared with others");
    }

    /** So many requests, a hundred in a second, to a sliding window of a hundred in ten seconds that is told. */
    private void useTenSeconds(Deque<Double> used, double from, int requests) {
        for (int i = 0; i < requests; i++) {
            double at = from + 0.01 * i;
            while (!used.isEmpty() && used.getFirst() <= at - 10) {
                used.removeFirst();
            }
            used.add(at);
            answered(at, 100 - used.size(), Double.NaN);
        }
    }

    @Test
    void aSlidingWindowThatIsUsedUpComesBackAsItWasUsed() {
        Deque<Double> used = new ArrayDeque<>();
        for (int i = 0; i < 6; i++) {
            useTenSeconds(used, 0.01 + 5 * i, i % 3 == 0 ? 70 : 20);
        }
        assertThat(quota.explain(nanos(26))).contains("sliding window of 10 s: 40 of 100 are in use");
        useTenSeconds(used, 27, 60);
        assertThat(quota.explain(nanos(28))).contains("sliding window of 10 s: 100 of 100 are in use");
        assertThat(due(0, 28)).isEqualTo(30.09, within(0.02)); // when nine requests of the burst at 20 s have come back
    }

    @Test
    void requestsOfOtherQuotasAreNotOnItsWire() {
        answered(0, 0);
        quota.passed(2);
        assertThat(Moment.seconds(quota.dueNanos(Cost.NONE, Cost.ONE, 2, 0))).isEqualTo(2.4, ALMOST);
        assertThat(Moment.seconds(quota.dueNanos(Cost.NONE, Cost.ONE, 5, 0))).isEqualTo(Moment.SIGNAL);
    }

    private boolean explainsARefusal(double at, long remaining) {
        answered(at, remaining);
        return quota.explains(Cost.ONE, 0);
    }

    @Test
    void whereOthersAreLittleExplainsARefusal() {
        answered(0, 3);
        assertThat(explainsARefusal(10, 8)).isTrue(); // that is what should be left
        assertThat(explainsARefusal(20, 9)).isFalse();
    }

    /** Some requests take more than one unit. */
    @Test
    void whatWasLeftAtARefusalShouldBeLeftOnTopUntilItIsForgotten() {
        answered(0, 3);
        answered(5, 40);
        refused(10, 6);
        assertThat(explainsARefusal(20, 14)).isTrue();
        assertThat(explainsARefusal(30, 15)).isFalse();
        int answers = 2;
        while (answers < 1000 && explainsARefusal(30 + answers, 10)) {
            answers++;
        }
        assertThat(6 * Math.pow(255 / 256.0, answers)).isBetween(1.0, 256 / 255.0);
    }

    @Test
    void noMoreThanTwiceTheUsualShouldBeLeft() {
        answered(0, 3);
        answered(5, 40);
        refused(10, 30);
        assertThat(explainsARefusal(20, 16)).isTrue();
        assertThat(explainsARefusal(30, 17)).isFalse();
    }

    @Test
    void whoKnowsHowManyShareGoesAtTheirPaceAndIsNotAlone() {
        surroundings.become(4, 2, 0);
        answered(0, 100);
        double pace = 2 * Math.pow(f(100) / 2, 0.2); // four processes, two a second; and then it goes by the count
        assertThat(quota.interval()).isEqualTo(pace, ALMOST);
        quota.shared(1, nanos(1)); // once is enough
        assertThat(quota.interval()).isEqualTo(pace, ALMOST);
        quota.shared(2, nanos(1));
        assertThat(quota.interval()).isEqualTo(2 * pace, ALMOST);
    }

    @Test
    void whoJoinsByWhatOthersReadNeedsNoRefusal() {
        surroundings.become(4, 2, 0);
        quota.join(reading.of(quota(0), 0, Outcome.SUCCESS, null, Traffic.QUIET, 0));
        assertThat(quota.interval()).isEqualTo(2);
        assertThat(due(1, 0)).isBetween(2.0, 4.0);
    }

    @Test
    void aQuotaThatItsOwnCallsDoNotMentionIsForgotten() {
        answered(0, 100);
        for (int i = 0; i < 16; i++) {
            assertThat(quota.missing(policy -> true)).isFalse();
            assertThat(quota.missing(policy -> false)).isFalse(); // another route tells nothing of it
        }
        assertThat(quota.missing(policy -> true)).isTrue();
        assertThat(quota.silent()).isEqualTo(17);
    }
}
