package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostSums.ratio;
import static dev.throttle.control.quota.CostSums.sum;
import static dev.throttle.control.quota.Ledger.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What requests really take, by what they were settled with, and when an estimate tells less than their mean. */
class CostTruthTest {

    private final CostModel costs = new CostModel();

    @Test
    void theTruthIsWhatRequestsWereSettledWithFromTheFirstOn() {
        costs.fell(20, sum(10), true);
        assertThat(costs.truth(10)).isEqualTo(costs.mean(10));
        assertThat(costs.truth(UNKNOWN)).isEqualTo(costs.mean(UNKNOWN));
        costs.settled(10, 30);
        assertThat(costs.truth(10)).isEqualTo(10 * ratio(0.4, 1, 3).mean());
        assertThat(costs.truth(UNKNOWN)).isEqualTo(ratio(0.8, 1, 30).mean());
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 1, 2).mean());
    }

    @Test
    void whatIsKnownExactlyIsTheTruth() {
        costs.settled(10, 30);
        costs.tell(10);
        assertThat(costs.truth(10)).isEqualTo(10);
    }

    @Test
    void aRefusalIsNoSettlement() {
        costs.seen(10, 20);
        costs.settled(10, 40);
        assertThat(costs.truth(10)).isEqualTo(10 * ratio(0.4, 1, 4).mean());
        costs.seen(10, 40); // it counts like one where there are some
        assertThat(costs.truth(10)).isEqualTo(10 * ratio(0.4, 2, 4).mean());
    }

    @Test
    void severalThatNobodyEstimatedTakeSoManyTimesAsMuch() {
        costs.fell(20, sum(UNKNOWN), true);
        assertThat(costs.mean(sum(UNKNOWN, UNKNOWN, UNKNOWN))).isEqualTo(3 * costs.mean(UNKNOWN));
        assertThat(costs.mean(sum())).isZero();
    }

    @Test
    void theRatioIsWhatEstimatesTurnedOutToBeWrongBy() {
        assertThat(costs.mean(1)).isEqualTo(1);
        costs.fell(20, sum(10), true);
        assertThat(costs.mean(1)).isEqualTo(ratio(0.4, 1, 2).mean());
    }

    /** All take 30, whatever was asked for. */
    private void settleAlike() {
        for (int i = 0; i < 30; i++) {
            costs.settled(1 + i % 10, 30);
        }
        assertThat(costs.ratio(UNKNOWN).spread()).isLessThan(0.2);
    }

    @Test
    void anEstimateThatTellsLessThanTheMeanIsNotUsed() {
        settleAlike();
        costs.asks(10);
        assertThat(costs.mean(10)).isEqualTo(ratio(0.8, 30, 30).mean());
        assertThat(costs.high(10, 2)).isEqualTo(ratio(0.8, 30, 30).high(2));
        assertThat(costs.mean(1)).isEqualTo(costs.mean(UNKNOWN));
        assertThat(costs.mean(sum(3, 10))).isEqualTo(2 * costs.mean(UNKNOWN));
    }

    @Test
    void anEstimateThatTheCallerGaveIsUsedEvenSo() {
        costs.asks(10);
        settleAlike();
        assertThat(costs.mean(10)).isNotEqualTo(costs.mean(UNKNOWN)).isEqualTo(2 * costs.mean(5));
    }

    @Test
    void anEstimateThatTellsMoreThanTheMeanIsUsed() {
        for (int i = 0; i < 30; i++) {
            costs.settled(1 + i % 10, 3 * (1 + i % 10));
        }
        assertThat(costs.mean(10)).isEqualTo(10 * ratio(0.4, 30, 3).mean());
    }
}
