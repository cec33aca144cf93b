package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CostTest {

    @Test
    void anAmountOfAnotherUnitIsThatOfOneRequest() {
        Cost cost = Cost.of("tokens", 1200);
        assertThat(cost.requests()).isEqualTo(1);
        assertThat(cost.amount("requests")).isEqualTo(1);
        assertThat(cost.amount("tokens")).isEqualTo(1200);
        assertThat(cost.amount("points")).isZero();
        assertThat(cost.has("tokens")).isTrue();
        assertThat(cost.has("requests")).isTrue();
        assertThat(cost.has("points")).isFalse();
        assertThat(cost.isRequestsOnly()).isFalse();
        assertThat(cost).hasToString("requests=1, tokens=1200");
    }

    @Test
    void unitsAreInAlphabeticalOrderHoweverTheyWereNamed() {
        Cost one = Cost.of("output-tokens", 3).and("input-tokens", 9).and("points", 1);
        Cost other = Cost.of("points", 5)
                .and("input-tokens", 9)
                .and("output-tokens", 3)
                .and("points", 1);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(one.units()).containsExactly("input-tokens", "output-tokens", "points");
        assertThat(one).isNotEqualTo(one.and("points", 2)).isNotEqualTo(one.and("requests", 2));
    }

    @Test
    void requestsAreCountedApart() {
        assertThat(Cost.requests(1)).isSameAs(Cost.ONE);
        assertThat(Cost.requests(5)).isEqualTo(Cost.of("requests", 5));
        assertThat(Cost.requests(5).and("tokens", 1).requests()).isEqualTo(5);
        assertThat(Cost.NONE.amount("requests")).isZero();
        assertThat(Cost.requests(5).isRequestsOnly()).isTrue();
    }

    @Test
    void whatItDoesNotNameIsTakenFromAnother() {
        Cost cost = Cost.requests(5).and("tokens", 9);
        assertThat(cost.orElse(Cost.of("tokens", 1).and("points", 2))).isEqualTo(cost.and("points", 2));
        assertThat(cost.orElse(Cost.requests(7))).isSameAs(cost);
        assertThat(cost.without(Cost.of("tokens", 0))).isEqualTo(Cost.requests(5));
        assertThat(cost.without(Cost.of("points", 0))).isEqualTo(cost);
        Cost full = Cost.ONE;
        for (int i = 0; i < Cost.MAX_UNITS; i++) {
            full = full.and("unit-" + i, i);
        }
        assertThat(full.orElse(cost)).isEqualTo(full);
    }

    @Test
    void whatItDoesNotAcceptIsNamed() {
        assertThatThrownBy(() -> Cost.requests(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("requests");
        assertThatThrownBy(() -> Cost.of("tokens", Cost.MAX_AMOUNT + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tokens");
        assertThatThrownBy(() -> Cost.of(" ", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unit");
        assertThatThrownBy(() -> Cost.of("x".repeat(65), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64");
        Cost full = Cost.ONE;
        for (int i = 0; i < Cost.MAX_UNITS; i++) {
            full = full.and("unit-" + i, i);
        }
        Cost eight = full;
        assertThat(eight.and("unit-3", 7).amount("unit-3")).isEqualTo(7);
        assertThatThrownBy(() -> eight.and("more", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("units");
    }

    @Test
    void aNumberOfRequestsMayBeAnythingUpToTheMost() {
        for (long amount : new long[] {0, 1, 255, 256, 257, Cost.MAX_AMOUNT}) {
            assertThat(Cost.requests(amount).requests()).isEqualTo(amount);
            assertThat(Cost.requests(amount).isRequestsOnly()).isTrue();
        }
        assertThatThrownBy(() -> Cost.requests(Cost.MAX_AMOUNT + 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aUnitMayBeNamedWithUpTo64Characters() {
        String longest = "x".repeat(Cost.MAX_UNIT_LENGTH);
        assertThat(Cost.of(longest, Cost.MAX_AMOUNT).amount(longest)).isEqualTo(Cost.MAX_AMOUNT);
        assertThat(Cost.of("b", 2).and("a", 1).and("c", 3)).hasToString("requests=1, a=1, b=2, c=3");
    }

    @Test
    void costsThatDifferAreSpreadOverAHashTable() {
        assertThat(Cost.of("tokens", 1).hashCode())
                .isNotEqualTo(Cost.of("tokens", 2).hashCode());
    }

    @Test
    void unitsMayCountInAnother() {
        Map<String, Double> weights = Map.of("input-tokens", 1.0, "output-tokens", 5.0);
        Cost cost = Cost.of("input-tokens", 100).and("output-tokens", 20).and("tokens", 120);
        assertThat(cost.weighted("tokens", weights).amount("tokens")).isEqualTo(200);
        assertThat(Cost.of("output-tokens", 3).weighted("tokens", weights))
                .isEqualTo(Cost.of("output-tokens", 3).and("tokens", 15));
        assertThat(Cost.of("points", 3).weighted("tokens", weights)).isEqualTo(Cost.of("points", 3));
        assertThat(Cost.of("a", 3).weighted("b", Map.of("a", 0.5)).amount("b")).isEqualTo(2);
        assertThat(Cost.of("a", Cost.MAX_AMOUNT).weighted("b", Map.of("a", 9.0)).amount("b"))
                .isEqualTo(Cost.MAX_AMOUNT);
    }
}
