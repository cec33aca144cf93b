package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What every request costs, by what the count falls by. */
class UnitCostTest {

    private final UnitCost cost = new UnitCost();

    private void fell(double... falls) {
        for (double fall : falls) {
            cost.fell(fall);
        }
    }

    @Test
    void itIsOneUntilTheThirdFall() {
        fell(10, 20);
        assertThat(cost.isKnown()).isFalse();
        assertThat(cost.units()).isEqualTo(1);
        fell(30);
        assertThat(cost.isKnown()).isTrue();
        assertThat(cost.units()).isEqualTo(10);
    }

    @Test
    void itIsWhatDividesAllFalls() {
        fell(12, 18, 30);
        assertThat(cost.units()).isEqualTo(6);
        fell(8);
        assertThat(cost.units()).isEqualTo(2);
        fell(7);
        assertThat(cost.units()).isEqualTo(1);
    }

    @Test
    void fallsOfNothingTellNothing() {
        fell(0, 0, 0);
        assertThat(cost.isKnown()).isTrue();
        assertThat(cost.units()).isEqualTo(1);
        fell(5);
        assertThat(cost.units()).isEqualTo(5);
    }

    @Test
    void whatIsForgottenIsLearnedAnew() {
        fell(6, 6, 6);
        cost.forget();
        assertThat(cost.isKnown()).isFalse();
        fell(10, 10, 10);
        assertThat(cost.units()).isEqualTo(10);
    }
}
