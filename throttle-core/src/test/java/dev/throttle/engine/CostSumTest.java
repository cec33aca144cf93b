package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** What several callers take together. */
class CostSumTest {

    private final CostSum sum = new CostSum();

    @Test
    void eachUnitIsAddedAndTakenAway() {
        sum.add(Cost.of("tokens", 100));
        sum.add(Cost.of("tokens", 20).and("points", 3));
        sum.add(Cost.ONE);
        assertThat(sum.toCost()).isEqualTo(Cost.requests(3).and("tokens", 120).and("points", 3));
        sum.subtract(Cost.of("tokens", 100));
        assertThat(sum.toCost()).isEqualTo(Cost.requests(2).and("tokens", 20).and("points", 3));
        sum.subtract(Cost.ONE);
        assertThat(sum.toCost()).isEqualTo(Cost.of("tokens", 20).and("points", 3));
        sum.subtract(Cost.of("tokens", 20).and("points", 3));
        assertThat(sum.toCost()).isEqualTo(Cost.NONE);
    }

    @Test
    void theSameSumIsTheSameObject() {
        sum.add(Cost.of("tokens", 100));
        assertThat(sum.toCost()).isSameAs(sum.toCost());
        sum.subtract(Cost.of("tokens", 100));
        sum.add(Cost.of("tokens", 90));
        assertThat(sum.toCost()).isEqualTo(Cost.of("tokens", 90));
    }

    @Test
    void aSumThatIsTooLargeForACostIsTheLargest() {
        sum.add(Cost.of("tokens", Cost.MAX_AMOUNT).and("requests", Cost.MAX_AMOUNT));
        sum.add(Cost.of("tokens", 1));
        assertThat(sum.toCost()).isEqualTo(Cost.requests(Cost.MAX_AMOUNT).and("tokens", Cost.MAX_AMOUNT));
        sum.subtract(Cost.of("tokens", 2).and("requests", 2));
        assertThat(sum.toCost()).isEqualTo(Cost.requests(Cost.MAX_AMOUNT - 1).and("tokens", Cost.MAX_AMOUNT - 1));
    }

    @Test
    void ofMoreUnitsThanACostCanNameTheFirstCount() {
        for (int i = 0; i <= Cost.MAX_UNITS; i++) {
            sum.add(Cost.of("unit-" + i, 1));
        }
        assertThat(sum.toCost().units()).hasSize(Cost.MAX_UNITS).doesNotContain("unit-8");
    }
}
