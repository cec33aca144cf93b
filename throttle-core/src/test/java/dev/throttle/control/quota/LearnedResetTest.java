package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LearnedResetTest {

    private static final long SECOND = 1_000_000_000L;

    private final LearnedReset learned = new LearnedReset(new Tuning());

    /** An answer at a time in seconds to a request that left a tenth of a second before. */
    private boolean read(double at, double count) {
        return learned.read(count, false, Double.NaN, nanos(at - 0.1), nanos(at));
    }

    private static long nanos(double seconds) {
        return (long) (seconds * SECOND);
    }

    /** A request each fiftieth of a window. */
    private void use(double window, double begin, double until) {
        double step = window / 50;
        for (double at = begin; at < until; at += step) {
            double inWindow = at - 0.05 - Math.floor((at - 0.05) / window) * window;
            read(at, 100 - Math.floor(inWindow / step));
        }
    }

    @ParameterizedTest
    @CsvSource({"10", "60", "300", "3600"})
    void findsTheLengthOfAWindowAfterTwoRenewals(double window) {
        use(window, 0.1, 2.5 * window);
        assertThat(learned.isSure()).isTrue();
        assertThat(learned.length()).isEqualTo(window);
        assertThat(learned.reset(nanos(2.5 * window))).isCloseTo(window / 2, within(window / 25 + 0.2));
    }

    @ParameterizedTest
    @CsvSource({"10", "60", "3600"})
    void findsTheLengthAlsoWhenItCameInTheMiddleOfAWindow(double window) {
        use(window, 0.7 * window, 5.5 * window);
        assertThat(learned.length()).isEqualTo(window);
        assertThat(learned.reset(nanos(5.5 * window))).isCloseTo(window / 2, within(window / 25 + 0.2));
    }

    /** A window that begins while an answer is on its way shows a few counts only before the next one begins. */
    @Test
    void aWindowThatWasSeenForAMomentIsFoundRenewedByItsFullCount() {
        use(10, 0.1, 12); // one renewal: the length is known, but not when the window begins
        read(19.8, 60);
        read(20.05, 100);
        assertThat(learned.reset(nanos(20.1))).isBetween(9.7, 10.0);
        read(20.2, 99);
        read(30.05, 100);
        assertThat(learned.reset(nanos(30.1))).isBetween(9.7, 10.0);
    }

    /** No window is longer than a day, so that it is about something else. */
    @Test
    void aRefusalOfMoreThanADayTellsNothingAboutAWindow() {
        use(60, 0.1, 150);
        double before = learned.reset(nanos(155));
        learned.read(0, true, 90_000, nanos(154.9), nanos(155));
        learned.read(0, false, Double.NaN, nanos(155), nanos(155.1));
        assertThat(learned.length()).isEqualTo(60);
        assertThat(learned.reset(nanos(155))).isEqualTo(before);
    }

    /** Half of the length would fit as well. */
    @Test
    void isNotSureAsLongAsNobodyLooksInTheSecondHalfOfAnyWindow() {
        for (int window = 0; window < 20; window++) {
            use(60, 60 * window + 0.1, 60 * window + 30);
            assertThat(learned.isSure()).isFalse();
        }
        use(60, 60 * 20 + 0.1, 60 * 24);
        assertThat(learned.isSure()).isTrue();
        assertThat(learned.length()).isEqualTo(60);
    }

    @Test
    void aCountThatRisesLittleByLittleIsNoWindow() {
        for (int i = 0; i < 40; i++) {
            read(1 + i, 100 - i);
        }
        read(42, 65);
        assertThat(learned.reset(nanos(42))).isNaN();
        read(43, 20);
        read(100, 100);
        assertThat(learned.reset(nanos(100))).isNaN();
    }

    @Test
    void aJumpAfterFewRequestsTellsNothing() {
        for (int i = 0; i < 50; i++) {
            read(10 * i, 5);
            read(10 * i + 1, 4);
            read(10 * i + 2, 3);
        }
        assertThat(learned.reset(nanos(500))).isNaN();
    }

    @Test
    void answersThatOvertakeEachOtherAreNoRenewal() {
        for (int i = 0; i < 20; i++) {
            learned.read(99 - 2 * i, false, Double.NaN, nanos(i), nanos(i + 1.5));
            learned.read(100 - 2 * i, false, Double.NaN, nanos(i), nanos(i + 1.6));
        }
        assertThat(learned.reset(nanos(30))).isNaN();
        read(60, 100);
        assertThat(learned.reset(nanos(60))).isPositive();
    }

    @Test
    void aRetryAfterTellsTheRenewalMoreExactly() {
        for (int i = 0; i <= 10; i++) {
            read(1 + i, 10 - i);
        }
        learned.read(0, true, 48, nanos(12), nanos(12.1));
        assertThat(read(75, 9)).isTrue();
        assertThat(learned.reset(nanos(75))).isCloseTo(45.1, within(0.01));
    }
}
