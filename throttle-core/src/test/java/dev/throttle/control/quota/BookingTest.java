package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.quota.Ledger.Sum;
import org.junit.jupiter.api.Test;

/**
 * When a server books what requests take. Each asks for 100 and takes 20; its answer ends ten seconds after its head.
 */
class BookingTest {

    private static final long SECOND = 1_000_000_000;
    private static final double LIMIT = 1_000;

    private final Ledger ledger = new Ledger();
    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(ledger, costs);
    private final Sum told = new Sum();
    private long now;

    /** A request is answered, and so many before it are settled; the count has fallen so far. */
    private void answered(double asked, int settled, double fall) {
        now += SECOND;
        ledger.admit(asked, false, now, now);
        ledger.end(now, now);
        ledger.tell(-1, now, 0, told);
        for (int i = 0; i < settled; i++) {
            ledger.settle(now - 10 * SECOND - i, 20, now);
        }
        booking.settle(now, 0, LIMIT);
        booking.fell(fall, told, true);
    }

    private void start(double asked, double fall) {
        for (int i = 0; i < 10; i++) {
            answered(asked, 0, fall);
        }
        assertThat(booking.isAtArrival()).isTrue();
    }

    @Test
    void aServerThatHoldsWhatIsAskedForGivesTheRestBackAtTheEnd() {
        start(100, 100);
        for (int i = 0; i < 3; i++) {
            answered(100, 1, 100 - 80);
        }
        assertThat(booking.isHeld()).isTrue();
        assertThat(booking.duration()).isEqualTo(10);
        assertThat(booking.expected(sumOf(100))).isEqualTo(100);
        assertThat(booking.mean(100)).isEqualTo(costs.truth(100));
        assertThat(booking.high(100, 3)).isEqualTo(costs.truth(100));
    }

    @Test
    void aServerThatBooksAtTheEndShowsNothingBefore() {
        start(100, 0);
        for (int i = 0; i < 3; i++) {
            answered(100, 1, 20);
        }
        assertThat(booking.isAtEnd()).isTrue();
        assertThat(booking.expected(sumOf(100))).isZero();
    }

    @Test
    void aServerThatBooksTheTruthAtArrivalIsBelievedToDoSo() {
        for (int i = 0; i < 20; i++) {
            costs.settled(100, 20);
        }
        start(100, 20);
        for (int i = 0; i < 20; i++) {
            answered(100, 1, 20);
        }
        assertThat(booking.isAtArrival()).isTrue();
        assertThat(booking.expected(sumOf(100))).isEqualTo(costs.mean(100));
    }

    @Test
    void whatNobodyHasEstimatedCanNotBeHeld() {
        start(Ledger.UNKNOWN, 100);
        for (int i = 0; i < 5; i++) {
            answered(Ledger.UNKNOWN, 1, 20);
        }
        assertThat(booking.isHeld()).isFalse();
    }

    @Test
    void anAnswerThatIsSettledWithItsHeadIsNoStream() {
        for (int i = 0; i < 20; i++) {
            answered(100, 0, 100);
            ledger.settle(now, 20, now);
        }
        assertThat(booking.isAtArrival()).isTrue();
        assertThat(booking.duration()).isZero();
    }

    @Test
    void aSettlementIsTakenOffTheNextCountOnce() {
        start(100, 100);
        answered(100, 1, 20);
        assertThat(booking.expected(new Sum())).isZero();
        ledger.settle(2 * SECOND, 20, now);
        booking.settle(now - 1, 0, LIMIT); // it was told before
        assertThat(booking.expected(new Sum())).isZero();
        booking.settle(now, 0, LIMIT);
        booking.settle(now, 0, LIMIT);
        assertThat(booking.isHeld()).isTrue();
        assertThat(booking.expected(new Sum())).isEqualTo(-80);
    }

    @Test
    void aBucketThatStaysFullBooksAtTheEndUntilItFallsForNoReason() {
        booking.arrived(true);
        booking.arrived(true);
        booking.arrived(false);
        booking.arrived(true);
        booking.arrived(true);
        assertThat(booking.isAtEnd()).isFalse();
        booking.arrived(true);
        assertThat(booking.isAtEnd()).isTrue();
        booking.arrived(true);
        assertThat(booking.isAtEnd()).isTrue();
        booking.arrived(false);
        assertThat(booking.isAtArrival()).isTrue();
    }

    private static Sum sumOf(double asked) {
        Sum sum = new Sum();
        sum.add(asked, Ledger.UNKNOWN);
        return sum;
    }
}
