package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What is expected of the next call by what the last ones cost. */
class CostHistoryTest {

    private final CostHistory history = new CostHistory();

    private static Cost tokens(long amount) {
        return Cost.of("tokens", amount);
    }

    @Test
    void nineOfTenCallsTakeNoMoreThanIsExpected() {
        assertThat(history.typical()).isEqualTo(Cost.ONE);
        history.add(tokens(100), null);
        assertThat(history.typical()).isEqualTo(tokens(100));
        for (int i = 1; i <= 9; i++) {
            history.add(tokens(i), null);
        }
        assertThat(history.typical()).isEqualTo(tokens(9));
        history.add(tokens(50), null);
        assertThat(history.typical()).isEqualTo(tokens(50)); // of eleven, two may exceed nothing
    }

    @Test
    void theLast64CallsAreRemembered() {
        for (int i = 0; i < 64; i++) {
            history.add(tokens(1_000), null);
        }
        for (int i = 0; i < 57; i++) {
            history.add(tokens(1), null);
        }
        assertThat(history.typical()).isEqualTo(tokens(1_000));
        history.add(tokens(1), null);
        assertThat(history.typical()).isEqualTo(tokens(1)); // six of 64 are left
    }

    private Cost corrected(Cost estimate) {
        return history.corrected(estimate, unit -> true);
    }

    @Test
    void unitsThatNoLimitCountsAreLeftToTheStrategy() {
        history.add(tokens(200), tokens(100));
        assertThat(history.corrected(tokens(300), unit -> !unit.equals("tokens")))
                .isEqualTo(tokens(300));
    }

    @Test
    void anEstimateIsPutRightByHowWrongSuchEstimatesWere() {
        assertThat(corrected(tokens(300))).isEqualTo(tokens(300));
        history.add(tokens(200), tokens(100));
        assertThat(corrected(tokens(300))).isEqualTo(tokens(400)); // (200 + 200) / (100 + 200)
        history.add(tokens(200), tokens(100));
        assertThat(corrected(tokens(1_000))).isEqualTo(tokens(1_498)); // 596.875 / 398.4375
    }

    @Test
    void whatWasNotComparedIsLeftAlone() {
        history.add(tokens(200), null);
        history.add(tokens(200), Cost.of("points", 1));
        assertThat(corrected(tokens(300))).isEqualTo(tokens(300));
        history.add(tokens(200), tokens(0));
        assertThat(corrected(tokens(300))).isEqualTo(tokens(300));
        assertThat(corrected(Cost.of("points", 3))).isEqualTo(Cost.of("points", 3));
    }

    @Test
    void aCorrectedEstimateIsNotMoreThanACostCanBe() {
        history.add(tokens(Cost.MAX_AMOUNT), tokens(1));
        assertThat(corrected(tokens(Cost.MAX_AMOUNT))).isEqualTo(tokens(Cost.MAX_AMOUNT));
    }

    @Test
    void noMoreUnitsAreRememberedThanACostCanName() {
        for (int i = 0; i <= Cost.MAX_UNITS; i++) {
            history.add(Cost.of("unit-" + i, 5), Cost.of("unit-" + i, 5));
        }
        assertThat(history.typical().units()).hasSize(Cost.MAX_UNITS).doesNotContain("unit-8");
    }
}
