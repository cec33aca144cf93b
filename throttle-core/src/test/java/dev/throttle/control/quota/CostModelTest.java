package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostSums.ratio;
import static dev.throttle.control.quota.CostSums.sum;
import static dev.throttle.control.quota.Ledger.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What requests take, learned from falls, settlements and refusals. */
class CostModelTest {

    private final CostModel costs = new CostModel();

    @Test
    void whileNothingIsKnownAnEstimateIsTaken() {
        assertThat(costs.mean(5)).isEqualTo(5);
        assertThat(costs.high(5, 3)).isEqualTo(5);
        assertThat(costs.mean(UNKNOWN)).isZero();
        assertThat(costs.high(UNKNOWN, 3)).isEqualTo(1);
        assertThat(costs.mean(sum())).isZero();
    }

    @Test
    void whatARefusalHasToldIsExact() {
        costs.tell(7);
        assertThat(costs.isExact(7)).isTrue();
        assertThat(costs.isExact(0)).isFalse();
        assertThat(costs.isExact(8)).isFalse();
        costs.settled(7, 70);
        assertThat(costs.mean(7)).isEqualTo(7);
        assertThat(costs.high(7, 3)).isEqualTo(7);
        for (int i = 0; i < 64; i++) {
            costs.tell(100 + i);
        }
        assertThat(costs.isExact(7)).isFalse(); // the last 64
        assertThat(costs.isExact(100)).isTrue();
    }

    @Test
    void whatTheCountFallsByIsSharedAmongTheRequests() {
        costs.fell(60, sum(10, 20), true);
        CostRatio twice = ratio(0.4, 1, 2);
        assertThat(costs.mean(10)).isEqualTo(10 * twice.mean());
        assertThat(costs.high(10, 1)).isEqualTo(10 * twice.high(1));
        CostRatio thirty = ratio(0.8, 1, 30);
        assertThat(costs.mean(UNKNOWN)).isEqualTo(thirty.mean());
        assertThat(costs.ratio(UNKNOWN).spread()).isEqualTo(thirty.spread());
        assertThat(costs.ratio(UNKNOWN).weight()).isEqualTo(1);
        assertThat(costs.mean(sum(10, UNKNOWN))).isEqualTo(10 * twice.mean() + thirty.mean());
    }

    @Test
    void theFirstFallIsTrustedLess() {
        costs.fell(60, sum(10, 20), false);
        assertThat(costs.ratio(UNKNOWN).weight()).isEqualTo(0.3);
        assertThat(costs.ratio(10).weight()).isEqualTo(0.3);
    }

    @Test
    void aFallOfRequestsThatNobodyEstimatedTellsNothingOfEstimates() {
        costs.fell(60, sum(10, UNKNOWN), true);
        assertThat(costs.ratio(10).weight()).isZero();
        assertThat(costs.ratio(UNKNOWN).weight()).isEqualTo(1);
    }

    @Test
    void settlementsAreBelievedMoreThanFallsOnceTheyAreSure() {
        costs.fell(60, sum(10, 20), true);
        for (int i = 0; i < 4; i++) {
            costs.settled(10, 30);
        }
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 1, 2).mean());
        costs.settled(10, 30);
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 5, 3).mean());
        assertThat(costs.mean(UNKNOWN)).isEqualTo(ratio(0.8, 5, 30).mean());
    }

    @Test
    void whereTheServerBooksWhatItIsToldSettlementsDoNotMatter() {
        for (int i = 0; i < 30; i++) {
            costs.fell(10, sum(10), true);
            costs.settled(10, 30);
        }
        assertThat(costs.ratio(10).spread()).isLessThan(0.2);
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 30, 1).mean());
    }

    @Test
    void aRefusalThatTellsWhatARequestTakesCountsLikeAFallAndASettlement() {
        costs.seen(10, 20);
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 1, 2).mean());
        assertThat(costs.mean(UNKNOWN)).isEqualTo(ratio(0.8, 1, 20).mean());
        for (int i = 0; i < 4; i++) {
            costs.settled(10, 20);
        }
        costs.seen(10, 20);
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 5, 2).mean());
        assertThat(costs.mean(UNKNOWN)).isEqualTo(ratio(0.8, 5, 20).mean());
        costs.seen(UNKNOWN, 20);
        assertThat(costs.ratio(UNKNOWN).weight()).isEqualTo(6);
        assertThat(costs.ratio(10).weight()).isEqualTo(5);
    }

    @Test
    void anEstimateThatCameLaterMayHaveBeenLearnedFromTheFirst() {
        costs.asks(UNKNOWN);
        costs.fell(30, sum(UNKNOWN), true);
        costs.asks(10);
        assertThat(costs.mean(10)).isEqualTo(10); // it was given before anything was settled
        CostModel later = new CostModel();
        later.asks(UNKNOWN);
        later.settled(UNKNOWN, 30);
        later.asks(10);
        assertThat(later.mean(10)).isEqualTo(ratio(0.8, 1, 30).mean());
    }
}
