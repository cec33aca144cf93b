package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BucketReplicaTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0.03);
    private final BucketReplica replica = new BucketReplica(settings, new Tuning());

    private boolean read(double at, double count, int permits, int wire) {
        return replica.read(count, Double.NaN, Double.NaN, false, permits, nanos(at), wire, nanos(at));
    }

    private void refused(double at, double reset) {
        replica.read(0, Double.NaN, reset, true, 1, nanos(at), 0, nanos(at));
    }

    private double due(double at, int ahead, int wire) {
        return Moment.seconds(replica.dueNanos(ahead, 1, wire, nanos(at)));
    }

    /** {@return how many may go at once} */
    private int free(double at, int wire) {
        int free = 0;
        while (due(at, free, wire) == at) {
            free++;
        }
        return free;
    }

    @Test
    void allButOneMayGoAtOnce() {
        replica.begin(5, 0, 0);
        assertThat(free(0, 0)).isEqualTo(4);
        assertThat(free(0, 3)).isEqualTo(1);
        assertThat(due(0, 0, 4)).isEqualTo(SIGNAL);
        assertThat(due(0, 4, 0)).isEqualTo(0.25); // a refill may show in a quarter of a second
        assertThat(due(7, 4, 0)).isEqualTo(7);
    }

    @Test
    void theRefillThatIsKnownTellsWhenTheNextOneMayGo() {
        replica.begin(1, 0.5, 0);
        assertThat(due(0, 0, 0)).isEqualTo(2);
        assertThat(due(1, 0, 0)).isEqualTo(2);
        assertThat(free(2, 0)).isEqualTo(1);
        assertThat(due(10, 1, 0)).isEqualTo(12); // one more than ever was there may be in it, not five
        assertThat(due(0, 100, 0)).isEqualTo(120); // no wait is longer
    }

    /** Begins with ten, of which four are used in 10 s: eight are left. Two flowed in, one of which may be rounding. */
    private void leaveEight() {
        replica.begin(10, 0, 0);
        read(10, 8, 4, 0);
    }

    @Test
    void theRefillIsWhatFlowedInLessOneForRounding() {
        leaveEight();
        assertThat(free(10, 0)).isEqualTo(7);
        assertThat(due(10, 7, 0)).isEqualTo(20, ALMOST); // a tenth a second
        assertThat(due(15, 7, 0)).isEqualTo(20, ALMOST);
        assertThat(due(15, 9, 0)).isEqualTo(40, ALMOST); // three more
        assertThat(free(20, 0)).isEqualTo(8);
        assertThat(free(90, 0)).isEqualTo(10); // no more than eleven, of which one stays
    }

    @Test
    void allThatWereOnTheWireMayHaveFlowedIn() {
        replica.begin(20, 0, 0);
        read(10, 18, 1, 4); // they were five
        read(11, 17, 1, 3);
        read(12, 16, 1, 2);
        read(13, 15, 1, 1);
        read(20, 22, 1, 0); // 22 and 5 are 7 more
        assertThat(due(20, 21, 0)).isEqualTo(20 + 20 / 6.0, ALMOST); // one of which was on the wire at the last look
    }

    @Test
    void theLeastOfAFlightCountsAndOfTheOneBefore() {
        replica.begin(20, 0, nanos(0));
        replica.read(15, Double.NaN, Double.NaN, false, 1, nanos(0), 4, nanos(1)); // a new flight begins at 1 s
        assertThat(free(1, 4)).isEqualTo(10); // 16 in all
        replica.read(18, Double.NaN, Double.NaN, false, 1, nanos(0.9), 3, nanos(1.1)); // overtaken: tells nothing
        assertThat(free(1.1, 3)).isEqualTo(10); // 16 less 2 answered, 3 on the wire, and one that stays
        replica.read(13, Double.NaN, Double.NaN, false, 1, nanos(0.9), 2, nanos(1.2)); // it may have been the last
        assertThat(free(1.2, 2)).isEqualTo(10);
        replica.read(11, Double.NaN, Double.NaN, false, 1, nanos(0.9), 1, nanos(1.3)); // 15 in all
        assertThat(free(1.3, 1)).isEqualTo(9);
        replica.read(13, Double.NaN, Double.NaN, false, 1, nanos(1), 1, nanos(1.4)); // a flight with 18, after 15
        assertThat(free(1.4, 1)).isEqualTo(8);
        replica.read(12, Double.NaN, Double.NaN, false, 1, nanos(1.4), 1, nanos(1.5)); // a flight with 18, after 18
        assertThat(free(1.5, 1)).isEqualTo(10);
    }

    @Test
    void answersThatOvertakeEachOtherAreNobodyElse() {
        replica.begin(9, 0, 0);
        int wire = 3;
        for (double count : new double[] {6, 5, 8, 7}) { // the last of four comes second
            assertThat(replica.read(count, Double.NaN, Double.NaN, false, 1, 0, wire--, nanos(1)))
                    .isTrue();
        }
        assertThat(free(1, 0)).isEqualTo(4); // five are left for certain
    }

    @ParameterizedTest
    @CsvSource({
        "46, 0, true", // two of 50 may be rounding
        "45, 0, false",
        "45, 1, true", // the one on the wire may have been counted
        "44, 1, false"
    })
    void aCountThatFallsByMoreThanTheOwnRequestsShowsSomebodyElse(double count, int wire, boolean alone) {
        replica.begin(50, 0, 0);
        assertThat(read(1, 49, 1, 0)).isTrue();
        assertThat(read(2, count, 1, wire)).isEqualTo(alone);
    }

    /** Two are used each second and one flows in, so the count falls by one: for 36 s, after which that is steady. */
    private void useTwoASecond(double full) {
        replica.begin(full, 0, 0);
        for (int second = 1; second <= 36; second++) {
            assertThat(read(second, full - second, 2, 0)).isTrue();
        }
    }

    /** By 18 s 17/18 a second had flowed in for certain: in ten seconds more 9.4, less one and two for errors. */
    @ParameterizedTest
    @CsvSource({"70, true", "69, false"})
    void whoseSteadyRefillIsMissingIsNotAlone(double count, boolean alone) {
        useTwoASecond(100);
        assertThat(read(46, count, 1, 0)).isEqualTo(alone);
    }

    /** A full bucket does not grow: 100 and one, and what was answered, less one and two for errors. */
    @ParameterizedTest
    @CsvSource({"96, true", "95, false"})
    void noMoreIsExpectedThanTheBucketHolds(double count, boolean alone) {
        useTwoASecond(100);
        assertThat(read(236, count, 1, 0)).isEqualTo(alone);
    }

    @ParameterizedTest
    @CsvSource({
        "100, 1, 19, 18", // since 18 s
        "60, 1, 18, 17", // too few answers for another estimate
        "59, 1, 0, 1", // so little stock gives nobody else a time to be seen
        "100, 2, 0, 1" // it is not spent
    })
    void aLargeStockThatIsSpentLeavesASteadyRefill(double full, double left, double seconds, int refill) {
        useTwoASecond(full);
        assertThat(replica.spentInterval()).isZero();
        read(37, left, (int) (full - 36 - left + 1), 0);
        assertThat(replica.spentInterval()).isEqualTo(seconds / refill, ALMOST);
        assertThat(replica.isSliding()).isFalse();
    }

    /** Once it was empty for so long, and seen to be filled so much later: two requests come in that time. */
    @ParameterizedTest
    @CsvSource({"1.3, 3.3, true", "1.4, 3.4, false", "2.2, 2.4, true", "2.3, 2.5, false"})
    void whatComesBackInLumpsIsNotSteady(double refused, double seen, boolean steady) {
        replica.begin(100, 0, 0);
        read(0, 0, 100, 0);
        refused(refused, Double.NaN);
        read(seen, 100, 1, 0);
        for (int second = 4; second <= 77; second++) {
            read(second, 99 - (second - 4), 2, 0);
        }
        read(78, 1, 25, 0);
        assertThat(replica.spentInterval() > 0).isEqualTo(steady);
    }

    @Test
    void asLongAsNothingRemainsItIsAskedAgainAfterAThirdOfTheTime() {
        replica.begin(2, 0, 0);
        assertThat(replica.refused()).isFalse();
        read(10, 0, 2, 0);
        assertThat(replica.refused()).isTrue();
        assertThat(due(10, 0, 0)).isEqualTo(10.25, ALMOST);
        assertThat(due(10, 0, 1)).isEqualTo(SIGNAL);
        refused(11, Double.NaN);
        assertThat(due(11, 0, 0)).isEqualTo(11.35, ALMOST);
        refused(20, Double.NaN);
        assertThat(due(20, 0, 0)).isEqualTo(23.5, ALMOST);
        refused(21, 7); // as told
        assertThat(due(21, 0, 0)).isEqualTo(28, ALMOST);
        refused(22, 200);
        assertThat(due(22, 0, 0)).isEqualTo(142, ALMOST);
    }

    @Test
    void anEmptyBucketIsAskedWhenItsRefillHasBroughtTwo() {
        replica.begin(2, 0.1, 0);
        read(0, 0, 2, 0);
        assertThat(due(0, 0, 0)).isEqualTo(20, ALMOST);
    }

    @ParameterizedTest
    @CsvSource({
        "70, 110", // nothing remained for 40 s, the last time
        "100, 110",
        "110, 117", // then it took 20 s until it was seen to remain: a third of that
        "129.9, 136.9",
        "130, 151" // longer than the last time: a third of the time
    })
    void howLongNothingRemainedIsRememberedForTheNextTime(double at, double due) {
        replica.begin(2, 0, 0);
        read(0, 0, 1, 0);
        refused(40, Double.NaN);
        read(60, 10, 1, 0);
        assertThat(replica.refused()).isFalse();
        read(70, 0, 1, 0);
        if (at > 70) {
            refused(at, Double.NaN);
        }
        assertThat(due(at, 0, 0)).isEqualTo(due, ALMOST);
    }

    /** Something remains, but less than two. */
    @Test
    void anAlmostEmptyBucketIsAskedAfterAThirdOfTheTimeToo() {
        replica.begin(5, 0.01, 0);
        read(10, 1, 4, 0);
        assertThat(due(10, 0, 0)).isEqualTo(10.25, ALMOST);
        replica.read(1, Double.NaN, Double.NaN, true, 1, 0, 0, nanos(20));
        assertThat(due(20, 0, 0)).isEqualTo(23.5, ALMOST);
        replica.read(1, Double.NaN, 30, true, 1, 0, 0, nanos(21));
        assertThat(due(21, 0, 0)).isEqualTo(51, ALMOST);
        replica.read(1, Double.NaN, 300, true, 1, 0, 0, nanos(22));
        assertThat(due(22, 0, 0)).isEqualTo(122, ALMOST); // when its refill has brought another one
        replica.read(2, Double.NaN, Double.NaN, true, 1, 0, 0, nanos(23));
        assertThat(free(23, 0)).isEqualTo(1);
        assertThat(due(23, 1, 0)).isEqualTo(123, ALMOST); // two remain, so the time does not matter
    }

    /** Nine a second of a hundred per ten seconds: ninety are in use, and three are kept. */
    @Test
    void whatIsFoundToBeASlidingWindowTellsWhenEachRequestComesBack() {
        replica.begin(100, 0, 0);
        for (int i = 1; i <= 180; i++) {
            double at = i / 9.0;
            replica.read(100 - Math.min(i, 90), 100, Double.NaN, false, 1, nanos(at), 0, nanos(at));
        }
        assertThat(replica.isSliding()).isTrue();
        assertThat(replica.spentInterval()).isZero();
        assertThat(due(20, 6, 0)).isEqualTo(20);
        assertThat(due(20, 7, 0)).isEqualTo(10 + 91 / 9.0, ALMOST);
        assertThat(due(20, 6, 1)).isEqualTo(10 + 91 / 9.0, ALMOST);
        replica.refused();
        assertThat(replica.isSliding()).isFalse();
    }
}
