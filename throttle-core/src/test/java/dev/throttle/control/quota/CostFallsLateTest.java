package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.quota.Ledger.Sum;
import org.junit.jupiter.api.Test;

/**
 * What the falls of a count of 1,000 tell of a server that books later than at arrival. Ten a second come back. A
 * request asks for 50 each second; its answer ends ten seconds later, and then it turns out to have taken 10.
 */
class CostFallsLateTest {

    private static final long SECOND = 1_000_000_000;

    private final Ledger ledger = new Ledger();
    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(ledger, costs);
    private final CostFalls falls = new CostFalls(costs, booking);
    private final Bucket refill = new Bucket(new Ledger(), costs, booking);
    private double left;
    private int now;

    CostFallsLateTest() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
    }

    private void leavesAndIsAnswered() {
        long at = now * SECOND;
        ledger.admit(50, false, at, at);
        ledger.end(at, at);
        Sum told = new Sum();
        ledger.tell(-1, at, 0, told);
        falls.tell(told);
    }

    private double reads() {
        return CostSums.read(falls, refill, left, now * SECOND, true);
    }

    /** {@return how much further the count fell in a second than it should have} */
    private double second(boolean held) {
        now++;
        left += 10;
        leavesAndIsAnswered();
        left -= held ? 50 : 0;
        if (now > 10) {
            left += held ? 40 : -10;
            ledger.settle((now - 10) * SECOND, 10, now * SECOND);
        }
        return reads();
    }

    private void seconds(boolean held) {
        left = held ? 900 : 300;
        for (int i = 0; i < 20; i++) {
            second(held);
        }
        assertThat(booking.isHeld()).isEqualTo(held);
        assertThat(booking.isAtEnd()).isEqualTo(!held);
        assertThat(left).isEqualTo(held ? 500 : 400);
    }

    @Test
    void whatAServerHoldsIsLearnedFromItsFalls() {
        seconds(true);
        for (int i = 0; i < 200; i++) {
            second(true);
        }
        assertThat(costs.mean(1)).isCloseTo(1, within(0.01)); // what is given back is no part of it
    }

    @Test
    void whatIsBookedAtTheEndIsNotLearnedFromFalls() {
        seconds(false);
        double weight = costs.ratio(Ledger.UNKNOWN).weight();
        for (int i = 0; i < 15; i++) {
            second(false);
        }
        assertThat(costs.ratio(Ledger.UNKNOWN).weight()).isEqualTo(weight);
    }

    @Test
    void whatNeitherArrivalsNorEndsExplainIsTakenByOthers() {
        seconds(true);
        assertThat(second(true)).isZero();
        left -= 70;
        assertThat(second(true)).isEqualTo(70);
        assertThat(second(true)).isZero();
    }

    @Test
    void theFirstCountDoesNotTellOfOthers() {
        left = 100;
        assertThat(reads()).isZero();
    }

    @Test
    void theCountOfABucketThatWasFullDoesNotTellOfOthers() {
        seconds(true);
        left = 985;
        reads();
        left -= 70;
        assertThat(second(true)).as("it was full when the rest was given back").isZero();
        left = 950;
        reads();
        left -= 70;
        assertThat(second(true)).as("with what is given back it is just full").isEqualTo(70);
    }

    @Test
    void aBucketThatStaysFullThreeTimesThoughRequestsArriveBooksAtTheEnd() {
        left = 1_000;
        reads();
        for (int i = 0; i < 5; i++) {
            now++;
            reads(); // nothing has arrived
        }
        for (int i = 0; i < 3; i++) {
            assertThat(booking.isAtEnd()).isFalse();
            now++;
            leavesAndIsAnswered();
            reads();
        }
        assertThat(booking.isAtEnd()).isTrue();
    }

    @Test
    void aBucketThatIsNearlyFullBooksAtArrival() {
        for (int i = 0; i < 5; i++) {
            left = 999;
            now++;
            leavesAndIsAnswered();
            reads();
        }
        assertThat(booking.isAtArrival()).isTrue();
    }

    @Test
    void aWindowThatStaysFullIsANewOne() {
        Bucket window = new Bucket(new Ledger(), costs, booking);
        CostSums.tell(window, 900, 1_000, 60, Double.NaN, 0);
        CostSums.tell(window, 600, 1_000, 50, Double.NaN, 10 * SECOND);
        for (int i = 0; i < 5; i++) {
            now++;
            leavesAndIsAnswered();
            CostSums.read(falls, window, 1_000, now * SECOND, true);
        }
        assertThat(booking.isAtArrival()).isTrue();
    }

    @Test
    void whatIsNotClearWaitsForACountThatIs() {
        seconds(true);
        left += 10;
        now++;
        leavesAndIsAnswered();
        assertThat(CostSums.read(falls, refill, left - 500, now * SECOND, false))
                .isZero();
        Sum none = new Sum();
        assertThat(booking.expected(none)).isZero();
    }
}
