package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.signal.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What should remain of a quota of requests. */
class TargetTest {

    private final Ledger ledger = new Ledger();
    private final Bucket bucket = new Bucket(ledger, CostModel.REQUESTS, new Booking(ledger, CostModel.REQUESTS));
    private final Target target = new Target(Tuning.USUAL, CostModel.REQUESTS, bucket);

    @Test
    void itIsEightOrAQuarterOfTheLimit() {
        target.begin(5, Outcome.SUCCESS);
        assertThat(target.units()).isEqualTo(8);
        bucket.limit = 20;
        assertThat(target.units()).isEqualTo(5);
        bucket.limit = 2;
        assertThat(target.units()).isEqualTo(1);
        assertThat(target.large()).isEqualTo(8);
    }

    @Test
    void inAQuotaThatWasFoundEmptyItGrowsWithEachAnswer() {
        target.begin(0, Outcome.RATE_LIMITED);
        assertThat(target.units()).isEqualTo(1);
        assertThat(target.large()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            target.read(1, true, false, false);
        }
        assertThat(target.units()).isEqualTo(3.7, within(0.01));
        target.read(7, true, false, false);
        assertThat(target.units()).isEqualTo(7);
        for (int i = 0; i < 30; i++) {
            target.read(1, true, false, false);
        }
        assertThat(target.units()).isEqualTo(8);
    }

    /** A count of 19 is the most that a bucket of twenty shows after a request. */
    @Test
    void whereTheSizeIsNotToldItFallsWithEachHighestCount() {
        target.begin(19, Outcome.SUCCESS);
        target.read(19, true, false, false);
        for (int i = 0; i < 20; i++) {
            target.read(15, true, false, false);
            target.read(19, true, false, false);
        }
        assertThat(target.units()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "7, 15, 8", // below T
        "3, 15, 4", // below two fifths of the highest: to the lowest, and no lower than as if the size were told
        "5, 15, 5.2", // and .05 more with the low count
        "0, 15, 8" // nothing was left
    })
    void itGoesToTheLowestCountWhereMuchComesBackAtOnce(int low, int top, double expected) {
        target.begin(top, Outcome.SUCCESS);
        for (int i = 0; i < 40; i++) {
            target.read(low, true, false, false);
            target.read(top, true, false, false);
        }
        assertThat(target.units()).isEqualTo(expected, within(0.01));
    }

    /** The clients of a fleet have one interval, however often each of them sees the count. */
    @Test
    void inAFleetMuchThatComesBackAtOnceDoesNotLowerIt() {
        target.begin(15, Outcome.SUCCESS);
        for (int i = 0; i < 40; i++) {
            target.read(3, true, false, true);
            target.read(15, true, false, true);
        }
        assertThat(target.units()).isEqualTo(8);
    }

    @Test
    void inAFleetACountThatStaysTheHighestShowsNothing() {
        target.begin(19, Outcome.SUCCESS);
        assertThat(target.read(19, true, true, true)).isFalse();
    }

    @Test
    void aRefusalWithSomethingLeftRaisesIt() {
        bucket.limit = 20;
        target.begin(19, Outcome.SUCCESS);
        target.answered(4, Outcome.RATE_LIMITED);
        assertThat(target.units()).isEqualTo(9);
        for (int i = 0; i < 1000; i++) {
            target.answered(10, Outcome.SUCCESS);
        }
        assertThat(target.units()).isEqualTo(5, within(0.1));
    }

    /** It may be by chance, and twice T would be more than there ever is. */
    @Test
    void aRefusalRaisesItByAQuarterOfASmallQuota() {
        target.begin(9, Outcome.SUCCESS);
        target.answered(8, Outcome.RATE_LIMITED);
        assertThat(target.units()).isEqualTo(8 + 9 / 4.0);
    }

    @Test
    void a503IsNotForWantOfAQuota() {
        target.begin(9, Outcome.SUCCESS);
        target.answered(8, Outcome.BUSY);
        assertThat(target.units()).isEqualTo(8);
    }

    /** A request that is refused or fails may not be counted, so the first count may be one more than any later. */
    @ParameterizedTest
    @EnumSource(
            value = Outcome.class,
            names = {"RATE_LIMITED", "BUSY", "FAILED", "DENIED"})
    void theFirstCountMayBeOneTooHigh(Outcome outcome) {
        target.begin(10, outcome);
        assertThat(target.highest()).isEqualTo(9);
        target.begin(0, outcome);
        assertThat(target.highest()).isZero();
    }

    /** A request that is refused is not counted, so the quota may be full then. */
    @Test
    void onlyCountsOfAcceptedRequestsAreHighest() {
        target.begin(9, Outcome.SUCCESS);
        assertThat(target.read(10, false, false, false)).isFalse();
        assertThat(target.highest()).isEqualTo(9);
        assertThat(target.read(9, true, true, false)).isTrue();
    }

    /** It is full each time although requests come ever faster, so its size is known, and T is that of such a quota. */
    @Test
    void whereACountBelowItStaysTheHighestForLongItFalls() {
        target.begin(3, Outcome.SUCCESS);
        for (int i = 0; i < 15; i++) {
            target.read(3, true, true, false);
            assertThat(target.units()).isEqualTo(8);
        }
        target.read(3, true, true, false);
        assertThat(target.units()).isEqualTo(1);
    }

    /** All of a crowd may see it. */
    @Test
    void aCountThatStaysAtZeroShowsNoSize() {
        target.begin(0, Outcome.SUCCESS);
        for (int i = 0; i < 20; i++) {
            target.read(0, true, true, false);
        }
        assertThat(target.units()).isEqualTo(8);
    }

    /** Below T it may stay the same by chance. */
    @Test
    void aCountThatStaysTheHighestShowsThatNoneIsMissed() {
        target.begin(19, Outcome.SUCCESS);
        assertThat(target.read(19, true, true, false)).isTrue();
        target.read(18, true, false, false);
        target.begin(3, Outcome.SUCCESS);
        for (int i = 0; i < 11; i++) {
            assertThat(target.read(3, true, true, false)).isFalse();
        }
        assertThat(target.read(3, true, true, false)).isTrue();
        assertThat(target.read(2, true, false, false)).isFalse();
    }
}
