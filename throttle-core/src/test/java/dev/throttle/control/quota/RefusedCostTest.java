package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What a refused request turns out to take of a bucket of 1,000 tokens that fills by 10 a second. */
class RefusedCostTest {

    private final CostModel costs = new CostModel();
    private final Ledger ledger = new Ledger();
    private final Booking booking = new Booking(ledger, costs);
    private final Bucket refill = new Bucket(ledger, costs, booking);
    private final RefusedCost refused = new RefusedCost("tokens", costs, refill, booking);

    private void fills() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 50, Double.NaN, i);
        }
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    @Test
    void theTimeUntilItFitsTellsItToAPartInAHundred() {
        fills();
        refused.read(200, 100, 20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(303)); // 100 and 200 that come back, and 1 %
        assertThat(costs.isExact(303)).isTrue();
        assertThat(costs.ratio(200).weight()).isEqualTo(1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200)); // told once
    }

    @Test
    void whatIsKnownExactlyIsNotLearnedFrom() {
        fills();
        costs.tell(200);
        refused.read(200, 100, 20);
        assertThat(costs.ratio(Ledger.UNKNOWN).weight()).isZero();
    }

    @Test
    void itTellsNothingWithoutATimeOrARate() {
        refused.read(200, 100, 20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        fills();
        refused.read(200, 100, 0);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, Double.NaN);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
    }

    @Test
    void aRequestTakesNoMoreThanTheLimit() {
        fills();
        refused.read(200, 100, 95);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(1_000));
    }

    @Test
    void aLongTimeIsNotBelievedWhileABucketMayBeAWindow() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
        refused.read(200, 100, 80);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, 70);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(808));
    }

    @Test
    void wholeSecondsTellTooLittleOfABucketThatFillsFast() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 2.5, Double.NaN, i); // 200 a second
        }
        refused.read(200, 100, 1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, 1.5);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(404));
    }

    @Test
    void wholeSecondsAreBelievedWhereATenthOfTheLimitComesBackInOne() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 5, Double.NaN, i); // 100 a second
        }
        refused.read(200, 100, 1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(202));
    }

    @Test
    void upToNineTenthsOfTheLimitAreBelievedOfWhatMayBeAWindow() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
        refused.read(200, 100, 79.1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(900));
    }
}
