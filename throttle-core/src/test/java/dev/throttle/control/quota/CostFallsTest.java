package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.quota.Ledger.Sum;
import org.junit.jupiter.api.Test;

/** What is learned from the falls of a count of 1,000, of which 10 a second come back. */
class CostFallsTest {

    private static final long SECOND = 1_000_000_000;

    private final Ledger ledger = new Ledger();
    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(ledger, costs);
    private final CostFalls falls = new CostFalls(costs, booking);
    private final Bucket refill = new Bucket(new Ledger(), costs, booking);
    /** What should have been learned. */
    private final CostModel expected = new CostModel();

    private long requests;

    CostFallsTest() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
    }

    /** A request that asked for 10 is answered. */
    private void answered() {
        answered(10, false);
    }

    private void answered(double asked, boolean isExact) {
        requests++;
        ledger.admit(asked, isExact, requests, requests);
        ledger.end(requests, requests);
        Sum told = new Sum();
        ledger.tell(-1, requests, 0, told);
        falls.tell(told);
    }

    private void reads(double remaining, double atSeconds, boolean isClear) {
        CostSums.read(falls, refill, remaining, (long) (atSeconds * SECOND), isClear);
    }

    private static Sum sum(int count) {
        Sum sum = new Sum();
        for (int i = 0; i < count; i++) {
            sum.add(10, Ledger.UNKNOWN);
        }
        return sum;
    }

    private void assertLearned() {
        assertThat(costs.mean(10)).isEqualTo(expected.mean(10));
        assertThat(costs.ratio(10).weight()).isEqualTo(expected.ratio(10).weight());
        assertThat(costs.ratio(10).spread()).isEqualTo(expected.ratio(10).spread());
    }

    @Test
    void theFirstCountFellFromTheLimitAndLaterOnesFromTheLastAndWhatCameBack() {
        answered();
        reads(960, 0, true);
        expected.fell(40, sum(1), false);
        assertLearned();
        answered();
        reads(950, 1, true);
        expected.fell(20, sum(1), true);
        assertLearned();
    }

    @Test
    void whileItIsNotClearWhichRequestsACountTellsOfItWaitsForEight() {
        reads(900, 0, true);
        for (int i = 0; i < 7; i++) {
            answered();
            reads(890, 0, false);
        }
        assertThat(costs.ratio(10).weight()).isZero();
        answered();
        reads(740, 0, false);
        expected.fell(160, sum(8), true);
        assertLearned();
    }

    @Test
    void aClearCountTellsOfAllThoseBeforeIt() {
        reads(900, 0, true);
        answered();
        reads(880, 0, false);
        answered();
        reads(850, 0, true);
        expected.fell(50, sum(2), true);
        assertLearned();
    }

    @Test
    void whatComesBackBeyondTheLimitIsLost() {
        reads(995, 0, true);
        answered();
        reads(960, 1, true);
        expected.fell(40, sum(1), true); // from 1,000, not from 1,005
        assertLearned();
    }

    @Test
    void whatOthersTookBeforeTheBucketWasFullMayHaveComeBack() {
        reads(900, 0, true);
        answered();
        reads(880, 0, true);
        expected.fell(20, sum(1), true);
        answered();
        answered();
        double others = costs.mean(sum(2)) / 2;
        reads(950, 60, true);
        expected.fell(1_000 + others - 950, sum(2), true);
        assertLearned();
    }

    @Test
    void whatIsKnownExactlyIsTakenOff() {
        reads(900, 0, true);
        answered(30, true);
        answered();
        reads(850, 0, true);
        expected.fell(20, sum(1), true);
        assertLearned();
    }

    @Test
    void acrossTheEndOfAWindowNothingIsLearned() {
        Bucket window = new Bucket(new Ledger(), costs, booking);
        CostSums.tell(window, 900, 1_000, 60, Double.NaN, 0);
        CostSums.tell(window, 600, 1_000, 50, Double.NaN, 10 * SECOND);
        CostSums.read(falls, window, 600, 10 * SECOND, true);
        answered();
        CostSums.read(falls, window, 580, 59 * SECOND, true);
        expected.fell(20, sum(1), true);
        answered();
        CostSums.read(falls, window, 560, 60 * SECOND, true); // others may have been there
        assertLearned();
    }

    @Test
    void whatIsKnownExactlyMayHaveComeBackFromAFullBucket() {
        reads(900, 0, true);
        answered(30, true);
        answered();
        reads(960, 60, true);
        expected.fell(40, sum(1), true); // 30 were there again, or the count had been 1,000 before both
        assertLearned();
    }
}
