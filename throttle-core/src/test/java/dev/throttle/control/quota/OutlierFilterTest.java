package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which readings of a count that moves by one are believed. */
class OutlierFilterTest {

    private final OutlierFilter filter = new OutlierFilter();

    private boolean accepts(double remaining) {
        return filter.accept(remaining, 1, 0);
    }

    private void settle() {
        for (int i = 0; i < 6; i++) {
            assertThat(accepts(100)).isTrue();
        }
    }

    @Test
    void theFirstSixAreBelievedWhateverTheyAre() {
        for (double remaining : new double[] {100, 5_000, 3, 800, 10, 9_000}) {
            assertThat(accepts(remaining)).isTrue();
        }
        assertThat(accepts(10)).isFalse();
    }

    @Test
    void whatIsEightSwingsOffIsBelievedAndWhatIsFartherWaitsForAnother() {
        settle();
        assertThat(accepts(108)).isTrue();
        assertThat(accepts(99.9)).isFalse();
        assertThat(filter.last()).isEqualTo(108);
        assertThat(filter.accept(99, 1, 1)).isTrue(); // that much slack
        assertThat(filter.last()).isEqualTo(99);
    }

    @Test
    void aSecondReadingNearTheFirstConfirmsIt() {
        settle();
        assertThat(accepts(500)).isFalse();
        assertThat(accepts(700)).isFalse(); // 200 off, while 8 and a quarter of 700 would do
        assertThat(accepts(1_000)).isFalse();
        assertThat(accepts(1_257)).isTrue();
        assertThat(filter.last()).isEqualTo(1_257);
    }

    @Test
    void aCountThatJumpsAgainAndAgainIsNotUsedUntilItBehaves() {
        settle();
        for (double remaining : new double[] {1_000, 3_000, 9_000, 27_000}) {
            assertThat(accepts(remaining)).isFalse();
            assertThat(filter.isLost()).isFalse();
        }
        assertThat(accepts(81_000)).isFalse();
        assertThat(filter.isLost()).isTrue();
        for (int i = 0; i < 7; i++) {
            assertThat(accepts(100)).isTrue();
            assertThat(filter.isLost()).isTrue();
        }
        accepts(100);
        assertThat(filter.isLost()).isFalse();
    }

    @Test
    void fiveEqualAnswersAtThreeTimesTheIntervalStandStill() {
        settle();
        for (int i = 0; i < 4; i++) {
            assertThat(filter.checkStuck(100, i == 0 ? 2 : 7)).isZero();
        }
        assertThat(filter.checkStuck(100, 6)).isZero(); // not more than three times
        assertThat(filter.checkStuck(100, 6.1)).isEqualTo(2);
        assertThat(filter.isLost()).isTrue();
        assertThat(filter.checkStuck(100, 6.1)).isZero(); // told once
        assertThat(filter.checkStuck(99, 6.1)).isZero();
        assertThat(filter.isLost()).isFalse();
    }

    @Test
    void afterARefusalItTakesTwelve() {
        settle();
        filter.refused();
        for (int i = 0; i < 11; i++) {
            assertThat(filter.checkStuck(100, i == 0 ? 1 : 4)).isZero();
        }
        assertThat(filter.checkStuck(100, 4)).isEqualTo(1);
    }

    @Test
    void anIntervalThatGrewForAnotherReasonDoesNotCount() {
        settle();
        for (int i = 0; i < 5; i++) {
            filter.checkStuck(100, 1);
        }
        filter.paceChanged(2);
        assertThat(filter.checkStuck(100, 6)).isZero();
        assertThat(filter.checkStuck(100, 6.5)).isEqualTo(2);
    }

    @Test
    void whatIsForgottenIsNotComparedWith() {
        settle();
        filter.forget();
        assertThat(filter.last()).isNaN();
        assertThat(accepts(5_000)).isTrue();
    }
}
