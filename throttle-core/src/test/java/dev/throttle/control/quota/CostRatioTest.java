package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Mean and spread of the logarithm of a ratio. */
class CostRatioTest {

    private static final Offset<Double> ALMOST = within(1e-9);

    private final CostRatio ratio = new CostRatio(1, 0.4);

    private void adds(double... logarithms) {
        for (double logarithm : logarithms) {
            ratio.add(Math.exp(logarithm));
        }
    }

    @Test
    void theFirstIsTheMeanAndTheSpreadIsWhatWasThoughtBefore() {
        assertThat(ratio.isKnown()).isFalse();
        assertThat(ratio.spread()).isEqualTo(0.4);
        adds(1);
        assertThat(ratio.isKnown()).isTrue();
        assertThat(ratio.weight()).isEqualTo(1);
        assertThat(ratio.spread()).isEqualTo(0.4);
        assertThat(ratio.mean()).isEqualTo(Math.exp(1 + 0.08 + 0.08), ALMOST);
        assertThat(ratio.high(2)).isEqualTo(Math.exp(1 + 0.8), ALMOST);
    }

    @Test
    void theMeanMovesByTheShareOfEach() {
        adds(1, 3);
        assertThat(ratio.spread()).isEqualTo(Math.sqrt(1.08), ALMOST); // half of 0.16 and half of 2
        assertThat(ratio.mean()).isEqualTo(Math.exp(2 + 0.54 + 0.27), ALMOST);
        assertThat(ratio.high(0)).isEqualTo(Math.exp(2), ALMOST);
    }

    @Test
    void whatIsTrustedLessCountsLess() {
        ratio.add(Math.E, 0.3);
        assertThat(ratio.weight()).isEqualTo(0.3);
        assertThat(ratio.mean()).isEqualTo(Math.exp(1 + 0.08 + 0.08), ALMOST);
        ratio.add(Math.exp(2), 0.3);
        assertThat(ratio.high(0)).isEqualTo(Math.exp(1.5), ALMOST);
        ratio.add(Math.exp(3), 0.9);
        assertThat(ratio.high(0)).isEqualTo(Math.exp(1.5 + 0.6 * 1.5), ALMOST);
    }

    @Test
    void whatIsNoRatioIsPassedOver() {
        for (double value : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            ratio.add(value);
        }
        assertThat(ratio.isKnown()).isFalse();
    }

    @Test
    void fiveAreEnoughToBeSureAndTheLastAlwaysCount() {
        adds(0, 0, 0, 0);
        assertThat(ratio.isSure()).isFalse();
        adds(0);
        assertThat(ratio.isSure()).isTrue();
        for (int i = 0; i < 1_000; i++) {
            adds(0);
        }
        assertThat(ratio.weight()).isEqualTo(1 / 0.015);
        adds(1);
        assertThat(ratio.high(0)).isEqualTo(Math.exp(0.015), ALMOST);
    }
}
