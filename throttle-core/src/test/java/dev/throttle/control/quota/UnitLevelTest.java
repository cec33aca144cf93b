package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.quota.CostLedger.Sum;
import org.junit.jupiter.api.Test;

/** What is left of a bucket of 1,000 that fills by 10 a second; a request takes a second to the server. */
class UnitLevelTest {

    private static final long SECOND = 1_000_000_000;
    private static final double LIMIT = 1_000;

    private final CostLedger ledger = new CostLedger();
    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(costs);
    private final UnitRefill refill = new UnitRefill();
    private final UnitLevel levels = new UnitLevel(ledger, costs, booking, refill);
    private final Sum told = new Sum();

    UnitLevelTest() {
        refill.read(500, LIMIT, 50, Double.NaN, 0);
    }

    private double level(double count, double now) {
        return levels.onArrival(count, 0, SECOND, LIMIT, (long) (now * SECOND));
    }

    private void leaves(double asked, double at) {
        ledger.admit(asked, true, (long) (at * SECOND), (long) (at * SECOND));
    }

    @Test
    void whatComesBackUntilTheRequestArrivesIsAdded() {
        assertThat(level(500, 0)).isEqualTo(510);
        assertThat(level(500, 9)).isEqualTo(600);
        assertThat(level(500, 99)).isEqualTo(LIMIT);
    }

    @Test
    void whatOwnRequestsTakeIsTakenOffWhenTheyArrive() {
        leaves(100, 2);
        leaves(200, 4);
        assertThat(level(500, 5)).isEqualTo(500 - 300 + 60);
    }

    @Test
    void whatComesBackWhileTheBucketIsFullIsLost() {
        leaves(300, 29); // it is full at 10, and 700 are left at 30
        assertThat(level(900, 39)).isEqualTo(700 + 100);
    }

    @Test
    void atArrivalNothingIsBookedLater() {
        leaves(100, 0);
        double level = level(500, 5);
        assertThat(levels.onSettlement(5 * SECOND)).isEqualTo(level);
        assertThat(levels.needed(400, LIMIT)).isZero();
    }

    /** Each asks for 100, and takes 20; its answer ends 10 s after it left. The count tells of all so far. */
    private void streams(boolean held) {
        for (int i = -20; i < 0; i++) {
            long at = i * SECOND;
            ledger.admit(100, false, at, at);
            ledger.end(at, at);
            ledger.tell(at, told);
            if (i >= -10) {
                ledger.settle(at - 10 * SECOND, 20, at);
                costs.settled(100, 20);
            }
            booking.settle(ledger, at, 0, LIMIT);
            booking.fell(held ? i >= -10 ? 20 : 100 : i >= -10 ? 20 : 0, told, true);
            ledger.compact(-600 * SECOND);
        }
        assertThat(held ? booking.isHeld() : booking.isAtEnd()).isTrue();
        assertThat(booking.duration()).isEqualTo(10);
    }

    @Test
    void whatIsBookedAtTheEndIsTakenOffWhenAnswersShouldHaveEnded() {
        streams(false); // those of -10 to -1 s end at 0 to 9 s, which the server books a second before
        double truth = costs.truth(100);
        assertThat(level(500, 0)).isCloseTo(500 - truth + 10, within(1e-9)); // what is booked between 0 and 1 s
        assertThat(levels.onSettlement(0)).isCloseTo(500 - 10 * truth + 90, within(1e-9));
    }

    @Test
    void whatEndedBeforeACountToldOfItIsTakenOff() {
        streams(false);
        ledger.admit(100, false, -3 * SECOND, -3 * SECOND);
        double before = level(500, 0);
        ledger.end(-3 * SECOND, -2 * SECOND);
        ledger.settle(-3 * SECOND, 20, 0); // of another one that left at the same time
        ledger.settle(-3 * SECOND, 20, 0);
        assertThat(level(500, 0)).isEqualTo(before - 2 * 20);
    }

    @Test
    void whatIsHeldIsNotCountedOnUntilItIsGivenBack() {
        streams(true);
        assertThat(level(500, 0)).isEqualTo(510);
        ledger.settle(-10 * SECOND, 20, 0);
        assertThat(level(500, 0)).isEqualTo(590);
        assertThat(levels.needed(300, LIMIT)).isEqualTo(350);
        assertThat(levels.needed(2_000, LIMIT)).isEqualTo(LIMIT);
    }

    /** All but the last have been settled early, and a count was told since; the last one ends at 9 s. */
    private void oneIsOpen() {
        for (int i = 0; i < ledger.size() - 1; i++) {
            CostLedger.Entry entry = ledger.get(i);
            entry.actual = entry.actual == CostLedger.UNKNOWN ? 20 : entry.actual;
            entry.settlementTold = true;
        }
    }

    @Test
    void whatComesBackBeforeAnAnswerEndsIsLostWhileTheBucketIsFull() {
        streams(false);
        oneIsOpen();
        assertThat(level(990, 0)).isEqualTo(LIMIT);
        assertThat(levels.onSettlement(0)).isCloseTo(LIMIT - costs.truth(100) + 10, within(1e-9));
    }

    @Test
    void whatIsHeldIsGivenBackWhenTheAnswerEnds() {
        streams(true);
        oneIsOpen();
        assertThat(level(500, 0)).isEqualTo(510);
        assertThat(levels.onSettlement(0)).isCloseTo(510 + 100 - costs.truth(100) + 80, within(1e-9));
    }

    @Test
    void whatEndedBeforeTheCountIsNotTakenOffAgain() {
        streams(false);
        double truth = costs.truth(100);
        double level = levels.onArrival(500, 2 * SECOND, SECOND, LIMIT, 2 * SECOND);
        assertThat(level).isCloseTo(500 + 10 - truth, within(1e-9)); // the one that ends between 2 and 3 s
    }

    @Test
    void whatTakesThreeTimesAsLongAsOthersIsNotWaitedFor() {
        streams(false);
        oneIsOpen();
        double truth = costs.truth(100);
        ledger.admit(100, false, -25 * SECOND, -25 * SECOND);
        level(500, 5);
        double awaited = levels.onSettlement(5 * SECOND);
        level(500, 5.001);
        double lost = levels.onSettlement(5 * SECOND + 1_000_000);
        assertThat(lost).isCloseTo(awaited + 0.01 + truth, within(1e-9));
    }
}
