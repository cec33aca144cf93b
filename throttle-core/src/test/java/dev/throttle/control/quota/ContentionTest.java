package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentionTest {

    private static final double USUAL = 0.2;

    private final Contention contention = new Contention();

    private void scarce(int windows, double part) {
        for (int i = 0; i < windows; i++) {
            contention.held(2.6);
            contention.begin(10, part);
        }
    }

    private double reserve(double part) {
        return contention.reserve(USUAL, 0.5, part);
    }

    @Test
    void theFirstWindowHasTheUsualReserve() {
        assertThat(reserve(1)).isEqualTo(USUAL);
        assertThat(contention.isSettled()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 0.6", "2, 0.8", "3, 0.9", "5, 0.975", "50, 0.975"})
    void eachScarceWindowBringsItNearerToTheWholeWindow(int windows, double reserve) {
        scarce(windows, 0.5);
        assertThat(reserve(0.5)).isCloseTo(reserve, within(1e-9));
        assertThat(contention.isSettled()).isEqualTo(windows > 1);
    }

    @Test
    void aWindowInWhichItHardlyHadToWaitTakesAStepBack() {
        scarce(3, 0.5);
        contention.held(2.5);
        contention.begin(10, 0.5);
        assertThat(reserve(0.5)).isCloseTo(0.8, within(1e-9));
    }

    @Test
    void onlyTheLongestTimeCounts() {
        for (int i = 0; i < 10; i++) {
            contention.held(2);
        }
        contention.begin(10, 0.5);
        assertThat(reserve(0.5)).isEqualTo(USUAL);
    }

    /** So it gets more in the rest of the window, and in the next one. */
    @ParameterizedTest
    @CsvSource({"0.5, 0.5, 0.975", "0.25, 0.25, 0.5875", "0.4, 0.1, 0.5875", "0.07, 0.05, 0.2", "1, 1, 0.975"})
    void whoGetsLittleHasALowerOne(double before, double now, double reserve) {
        scarce(5, before);
        assertThat(reserve(now)).isCloseTo(reserve, within(1e-9));
    }

    @Test
    void besideThoseWhoKeepToNoLineItIsTheUsualOneForSixteenWindows() {
        scarce(3, 0.5);
        contention.ignored();
        for (int i = 0; i < 16; i++) {
            contention.begin(10, 0.5);
            assertThat(reserve(0.5)).as("window %s", i).isEqualTo(USUAL);
        }
        scarce(1, 0.5);
        assertThat(reserve(0.5)).isCloseTo(0.6, within(1e-9));
    }

    @Test
    void withoutOthersAllIsForgotten() {
        scarce(3, 0.5);
        contention.held(9);
        contention.clear();
        contention.begin(10, 0.5);
        assertThat(reserve(0.5)).isEqualTo(USUAL);
    }
}
