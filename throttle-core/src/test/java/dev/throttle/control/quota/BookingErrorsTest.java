package dev.throttle.control.quota;

import static dev.throttle.control.quota.Ledger.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.quota.Ledger.Sum;
import org.junit.jupiter.api.Test;

/** When another way to book explains the falls of a count well enough. */
class BookingErrorsTest {

    private static final long SECOND = 1_000_000_000;
    private static final double LIMIT = 10_000;
    /** So much is asked for that nobody takes it for a server that holds it. */
    private static final double MUCH = 5_000;

    private final Ledger ledger = new Ledger();
    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(ledger, costs);
    private long now = 100 * SECOND;

    /** A stream ends that took so long. */
    private void ends(double asked, double took, long seconds) {
        ends(asked, took, seconds * SECOND, seconds * SECOND);
    }

    private void ends(double asked, double took, long afterStart, long afterHead) {
        now += SECOND;
        ledger.admit(asked, false, now - afterStart, now - afterStart);
        ledger.end(now - afterStart, now - afterHead);
        ledger.settle(now - afterStart, took, now);
    }

    private void settle(long way, long countedAt) {
        booking.settle(countedAt, way, LIMIT);
    }

    /** The count falls where requests should have taken a known amount at arrival, and others were settled. */
    private void falls(double fall, double atArrival, double settled) {
        if (settled > 0) {
            ends(MUCH, settled, 10);
        }
        settle(0, now);
        booking.fell(fall, known(atArrival), true);
    }

    private static Sum known(double amount) {
        Sum sum = new Sum();
        sum.add(amount, amount);
        return sum;
    }

    private static Sum estimated(double amount) {
        Sum sum = new Sum();
        sum.add(amount, UNKNOWN);
        return sum;
    }

    @Test
    void anotherWayHasToExplainTheFallTwiceAsWell() {
        falls(100, 0, 50);
        assertThat(booking.isAtEnd()).isFalse();
        Booking other = new Booking(ledger, costs);
        ends(MUCH, 51, 10);
        other.settle(now, 0, LIMIT);
        other.fell(100, known(0), true);
        assertThat(other.isAtEnd()).isTrue();
    }

    @Test
    void whatExplainsTheFallAlmostIsNotDoubted() {
        falls(100, 98, 100); // 4 is less than 0.0005 of 10,000
        assertThat(booking.isAtEnd()).isFalse();
        falls(100, 97, 100);
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void earlierFallsCountNineTenths() {
        falls(100, 100, 100);
        falls(0, 2.1, 0); // 4.4 of 9,000
        assertThat(booking.isAtEnd()).isFalse();
        falls(0, 2.1, 0); // 8.4 of 8,100
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void laterFallsAddToWhatAnErrorIsMeasuredBy() {
        falls(100, 100, 100);
        falls(10, 10 - 2.1213, 10); // 4.5 of 9,100
        assertThat(booking.isAtEnd()).isFalse();
    }

    @Test
    void earlierErrorsCountNineTenths() {
        falls(100, 0, 49);
        falls(0, 10, 0); // 2,341 is not less than a quarter of 9,100
        assertThat(booking.isAtEnd()).isFalse();
    }

    @Test
    void errorsAddUp() {
        falls(100, 0, 49);
        falls(0, 40, 0); // 2,341 is less than a quarter of 10,600
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void aFallThatIsNotClearIsNotLearnedFrom() {
        ends(MUCH, 100, 10);
        settle(0, now);
        booking.fell(100, known(0), false);
        assertThat(booking.isAtEnd()).isFalse();
        falls(0, 0, 0); // and what was settled is told
        assertThat(booking.expected(new Sum())).isZero();
    }

    @Test
    void whatIsSettledWithinASecondIsNoStream() {
        ends(100, 20, SECOND, SECOND);
        settle(0, now);
        assertThat(booking.duration()).isZero();
        ends(100, 20, SECOND + 1, SECOND + 1);
        settle(0, now);
        assertThat(booking.duration()).isEqualTo(1 + 1e-9);
    }

    @Test
    void whatIsSettledWithinAWayIsNoStream() {
        ends(100, 20, 3 * SECOND, 2 * SECOND);
        settle(2 * SECOND, now);
        assertThat(booking.duration()).isZero();
    }

    @Test
    void theServerKnewItAWayBeforeItWasSettled() {
        ends(100, 20, 10);
        settle(2 * SECOND, now - 2 * SECOND - 1);
        assertThat(booking.duration()).isZero();
        settle(2 * SECOND, now - 2 * SECOND);
        assertThat(booking.duration()).isEqualTo(10);
    }

    @Test
    void theDurationFollowsTheLastStreamsByATenth() {
        ends(100, 20, 10);
        ends(100, 20, 20);
        settle(0, now);
        assertThat(booking.duration()).isEqualTo(11);
    }

    @Test
    void whatIsSettledBetweenTwoCountsIsAddedUp() {
        falls(100, 0, 100);
        assertThat(booking.isAtEnd()).isTrue();
        ends(100, 20, 10);
        ends(100, 30, 10);
        settle(0, now);
        assertThat(booking.expected(new Sum())).isEqualTo(50);
        assertThat(booking.expected(known(70))).isEqualTo(50);
    }

    /** One that asked for 100 took 20. */
    private void holds() {
        ends(100, 20, 10);
        settle(0, now);
        booking.fell(-80, known(0), true);
        assertThat(booking.isHeld()).isTrue();
    }

    @Test
    void aServerThatHoldsIsExpectedToTakeWhatIsAskedForAndToGiveTheRestBack() {
        holds();
        ends(100, 30, 10);
        ends(100, 120, 10);
        settle(0, now);
        assertThat(booking.expected(estimated(100))).isEqualTo(100 - 70 + 20);
        Sum exact = known(40);
        exact.add(estimated(100));
        assertThat(booking.expected(exact)).isEqualTo(40 + 100 - 70 + 20);
    }

    @Test
    void noServerHoldsMoreThanTheLimit() {
        holds();
        ends(20_000, 9_000, 10);
        settle(0, now);
        assertThat(booking.expected(new Sum())).isEqualTo(-1_000);
    }

    @Test
    void whatAServerHoldsThatNobodyEstimatedIsWhatRequestsTake() {
        holds();
        costs.fell(25, estimated(UNKNOWN), true);
        Sum unknown = estimated(UNKNOWN);
        assertThat(booking.expected(unknown)).isEqualTo(costs.mean(unknown));
        ends(UNKNOWN, 20, 10);
        settle(0, now);
        assertThat(booking.expected(estimated(100))).isEqualTo(costs.mean(estimated(100)));
    }

    @Test
    void aRequestTakesAtMostWhatOthersTookBeforeItIsKnownToBeBookedLater() {
        costs.settled(100, 20);
        costs.fell(50, estimated(100), true);
        assertThat(booking.high(100, 2)).isEqualTo(costs.high(100, 2)).isNotEqualTo(costs.truth(100));
        assertThat(booking.mean(100)).isEqualTo(costs.mean(100)).isNotEqualTo(costs.truth(100));
        holds();
        assertThat(booking.high(100, 2)).isEqualTo(costs.truth(100));
        assertThat(booking.mean(100)).isEqualTo(costs.truth(100));
    }

    @Test
    void whatStreamsHaveShownIsNotTakenBackByACountThatFalls() {
        falls(0, 0, 0);
        falls(100, 0, 100);
        assertThat(booking.isAtEnd()).isTrue();
        booking.arrived(false);
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void aBucketThatStaysFullCountByCountBooksAtTheEnd() {
        for (int i = 0; i < 3; i++) {
            assertThat(booking.isAtEnd()).isFalse();
            booking.arrived(true);
            booking.fell(0, known(0), true);
        }
        assertThat(booking.isAtEnd()).isTrue();
        booking.arrived(false);
        assertThat(booking.isAtArrival()).isTrue();
    }

    @Test
    void aBucketThatFallsForWhatWasSettledStillBooksAtTheEnd() {
        for (int i = 0; i < 3; i++) {
            booking.arrived(true);
        }
        ends(100, 20, 10);
        settle(0, now);
        booking.arrived(false);
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void fullCountsOfBeforeDoNotSpeakAgainstWhatFallsHaveShown() {
        falls(100, 0, 100);
        booking.arrived(true);
        booking.arrived(true);
        for (int i = 0; i < 3; i++) {
            falls(1_000, 1_000, 0);
        }
        assertThat(booking.isAtArrival()).isTrue();
        booking.arrived(true);
        assertThat(booking.isAtArrival()).isTrue();
    }
}
