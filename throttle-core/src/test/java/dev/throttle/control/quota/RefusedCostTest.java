package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What a refused request turns out to take of a bucket of 1,000 tokens that fills by 10 a second. */
class RefusedCostTest {

    private final CostModel costs = new CostModel();
    private final UnitRefill refill = new UnitRefill();
    private final RefusedCost refused = new RefusedCost("tokens", costs, refill, new Booking(costs));

    private void fills() {
        for (int i = 0; i < 4; i++) {
            refill.read(500, 1_000, 50, Double.NaN, i);
        }
    }

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    @Test
    void theTimeUntilItFitsTellsItToAPartInAHundred() {
        fills();
        refused.read(200, 100, 1_000, 20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(303)); // 100 and 200 that come back, and 1 %
        assertThat(costs.isExact(303)).isTrue();
        assertThat(costs.weight(200)).isEqualTo(1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200)); // told once
    }

    @Test
    void whatIsKnownExactlyIsNotLearnedFrom() {
        fills();
        costs.tell(200);
        refused.read(200, 100, 1_000, 20);
        assertThat(costs.weight(CostLedger.UNKNOWN)).isZero();
    }

    @Test
    void itTellsNothingWithoutATimeOrARate() {
        refused.read(200, 100, 1_000, 20);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        fills();
        refused.read(200, 100, 1_000, 0);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, 1_000, Double.NaN);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
    }

    @Test
    void aRequestTakesNoMoreThanTheLimit() {
        fills();
        refused.read(200, 100, 1_000, 95);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(1_000));
    }

    @Test
    void aLongTimeIsNotBelievedWhileABucketMayBeAWindow() {
        refill.read(500, 1_000, 50, Double.NaN, 0);
        refused.read(200, 100, 1_000, 80);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, 1_000, 70);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(808));
    }

    @Test
    void wholeSecondsTellTooLittleOfABucketThatFillsFast() {
        for (int i = 0; i < 4; i++) {
            refill.read(500, 1_000, 2.5, Double.NaN, i); // 200 a second
        }
        refused.read(200, 100, 1_000, 1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(200));
        refused.read(200, 100, 1_000, 1.5);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(404));
    }

    @Test
    void aSilentRefusalTellsThatItIsMoreThanIsLeft() {
        refused.readSilent(50, 100, 1_000);
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(130));
        refused.readSilent(50, 900, 1_000);
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(1_000));
    }

    @Test
    void anAnswerInBetweenMakesItForgotten() {
        refused.readSilent(50, 100, 1_000);
        refused.forget();
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(50));
    }

    @Test
    void wholeSecondsAreBelievedWhereATenthOfTheLimitComesBackInOne() {
        for (int i = 0; i < 4; i++) {
            refill.read(500, 1_000, 5, Double.NaN, i); // 100 a second
        }
        refused.read(200, 100, 1_000, 1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(202));
    }

    @Test
    void upToNineTenthsOfTheLimitAreBelievedOfWhatMayBeAWindow() {
        refill.read(500, 1_000, 50, Double.NaN, 0);
        refused.read(200, 100, 1_000, 79.1);
        assertThat(refused.of(tokens(200))).isEqualTo(tokens(900));
    }

    @Test
    void aSilentRefusalIsLearnedFrom() {
        refused.readSilent(50, 100, 1_000);
        assertThat(costs.weight(50)).isEqualTo(1);
    }

    @Test
    void aSilentRefusalWhereNothingIsLeftTellsNothing() {
        refused.readSilent(50, 0, 1_000);
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(50));
    }

    @Test
    void noRequestTakesMoreThanACostCanSay() {
        refused.readSilent(50, 9e11, 1e12);
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(Cost.MAX_AMOUNT));
        refused.readSilent(50, 9e11, 2e12);
        assertThat(refused.of(tokens(50))).isEqualTo(tokens(50));
    }
}
