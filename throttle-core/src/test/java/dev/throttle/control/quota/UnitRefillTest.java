package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** How a limit of 100 units comes back, by what is told. */
class UnitRefillTest {

    private static final long SECOND = 1_000_000_000;

    private final UnitRefill refill = new UnitRefill();

    private void reads(double remaining, double reset, double atSeconds) {
        refill.read(remaining, 100, reset, Double.NaN, (long) (atSeconds * SECOND));
    }

    @Test
    void withoutAResetTheLengthOfTheWindowTellsTheRate() {
        refill.read(50, 100, Double.NaN, Double.NaN, 0);
        assertThat(refill.rate()).isZero();
        assertThat(refill.isBucket()).isFalse();
        refill.read(50, 100, Double.NaN, 20, 0);
        assertThat(refill.rate()).isEqualTo(5);
        refill.read(50, 100, Double.NaN, 0, 0);
        assertThat(refill.rate()).isEqualTo(5);
        assertThat(refill.isResetTold()).isFalse();
    }

    @Test
    void whatIsMissingAndWhenItIsThereTellsTheRateByAndBy() {
        reads(50, 5, 0);
        assertThat(refill.rate()).isEqualTo(10);
        reads(80, 2.5, 0);
        assertThat(refill.rate()).isEqualTo(9.6); // a fifth of the way to 8
        reads(90, 2, 0);
        assertThat(refill.rate()).isEqualTo(9.6 - 0.02 * 4.6, within(1e-12)); // whole seconds are rounded
        assertThat(refill.isResetTold()).isTrue();
    }

    @Test
    void whatIsFullOrEmptyOrThereAtOnceTellsNoRate() {
        reads(100, 5, 0);
        reads(0, 5, 0);
        reads(50, 0, 0);
        assertThat(refill.rate()).isZero();
        assertThat(refill.resetAt()).isZero();
    }

    @Test
    void aTimeThatDoesNotMoveOnAsUnitsAreSpentIsThatOfAWindow() {
        reads(90, 60, 0);
        reads(60, 50, 10);
        assertThat(refill.isWindow()).isTrue();
        assertThat(refill.isBucket()).isFalse();
        assertThat(refill.after(60, 7)).isEqualTo(60);
        assertThat(refill.resetAt()).isEqualTo(60 * SECOND);
    }

    @Test
    void aTimeThatGrowsWithWhatIsMissingIsThatOfABucket() {
        reads(90, 1, 0);
        reads(60, 4, 0.5);
        assertThat(refill.isWindow()).isFalse();
        assertThat(refill.isBucket()).isTrue();
        assertThat(refill.after(60, 2)).isEqualTo(60 + 2 * refill.rate());
        assertThat(refill.resetAt()).isEqualTo(4_500_000_000L);
    }

    @Test
    void aResetThatHasPassedDoesNotSpeakForAWindow() {
        reads(90, 1, 0);
        reads(60, 4, 2);
        reads(60, 4, 9);
        assertThat(refill.isWindow()).isFalse();
    }

    @Test
    void itIsSureFromTheFourthWordOn() {
        for (int i = 0; i < 3; i++) {
            reads(50, 5, i);
            assertThat(refill.isSure()).isFalse();
        }
        reads(50, 5, 3);
        assertThat(refill.isSure()).isTrue();
    }
}
