package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What a refused request turns out to take of a bucket of 1,000 tokens that fills by 10 a second. */
class RefusedCostTest {

    private final Surroundings surroundings = new Surroundings(new PacingSettings(0, 0, 5, 120, 0, 0), () -> 0);
    private final CostModel costs = new CostModel();
    private final Ledger ledger = new Ledger();
    private final Booking booking = new Booking(ledger, costs);
    private final Bucket refill = new Bucket(ledger, costs, booking);
    private final RefusedCost refused = new RefusedCost(surroundings, "tokens", costs, refill, booking);

    private void fills() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 50, Double.NaN, i);
        }
    }

    /** A request that asked for 200 is refused while 100 are left, and may come back in so many seconds. */
    private void readRefusal(double retryAfter) {
        Reading reading = Moment.reading(100, 1_000, Double.NaN, Double.NaN, false, 0, 0);
        reading.retryAfter = retryAfter;
        refused.read(200, reading);
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    @Test
    void theTimeUntilItFitsTellsItToAPartInAHundred() {
        fills();
        readRefusal(20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(303)); // 100 and 200 that come back, and 1 %
        assertThat(costs.isExact(303)).isTrue();
        assertThat(costs.ratio(200).weight()).isEqualTo(1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200)); // told once
    }

    @Test
    void whatIsKnownExactlyIsNotLearnedFrom() {
        fills();
        costs.tell(200);
        readRefusal(20);
        assertThat(costs.ratio(Ledger.UNKNOWN).weight()).isZero();
    }

    @Test
    void itTellsNothingWithoutATimeOrARate() {
        readRefusal(20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        fills();
        readRefusal(0);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        readRefusal(Double.NaN);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
    }

    @Test
    void aRequestTakesNoMoreThanTheLimit() {
        fills();
        readRefusal(95);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(1_000));
    }

    @Test
    void aLongTimeIsNotBelievedWhileABucketMayBeAWindow() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
        readRefusal(80);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        readRefusal(70);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(808));
    }

    @Test
    void wholeSecondsTellTooLittleOfABucketThatFillsFast() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 2.5, Double.NaN, i); // 200 a second
        }
        readRefusal(1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        readRefusal(1.5);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(404));
    }

    @Test
    void wholeSecondsAreBelievedWhereATenthOfTheLimitComesBackInOne() {
        for (int i = 0; i < 4; i++) {
            CostSums.tell(refill, 500, 1_000, 5, Double.NaN, i); // 100 a second
        }
        readRefusal(1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(202));
    }

    @Test
    void upToNineTenthsOfTheLimitAreBelievedOfWhatMayBeAWindow() {
        CostSums.tell(refill, 500, 1_000, 50, Double.NaN, 0);
        readRefusal(79.1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(900));
    }
}
