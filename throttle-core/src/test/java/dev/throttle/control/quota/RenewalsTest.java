package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RenewalsTest {

    private static final long SECOND = 1_000_000_000L;

    private final Renewals learned = new Renewals(Tuning.USUAL);

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

    /** Each request that finds nothing would be followed by the next one at once. */
    @Test
    void aWindowThatHasNotEndedWhenItShouldLastsATwentiethLonger() {
        use(10, 0.1, 25);
        for (double at = 25; at < 28.6; at += 0.1) {
            read(at, Math.max(0, 100 - 25 * (at - 20)));
        }
        double end = 29 + learned.reset(nanos(29));
        read(end + 0.2, 0);
        double more = learned.reset(nanos(end + 0.2));
        assertThat(more).isBetween(0.4, 0.6);
        read(end + 0.5 + more, 0);
        assertThat(learned.reset(nanos(end + 0.5 + more))).isBetween(0.4, 0.6);
    }

    /** Twenty requests of a window; {@return when it should end} */
    private double useFrom(double begin) {
        for (int left = 19; left >= 0; left--) {
            read(begin + 0.02 * (19 - left), left);
        }
        return begin + 0.38 + learned.reset(nanos(begin + 0.38));
    }

    /** Each refusal asked to wait for a whole second, and came just before the end of the window: half was lost. */
    @Test
    void aWindowThatHasNotQuiteEndedWhenItShouldBeginsWithItsFirstAnswer() {
        useFrom(0);
        learned.read(0, true, 0.2, nanos(0.9), nanos(1));
        double tooEarly = useFrom(1.3);
        assertThat(tooEarly).isLessThan(2.3);
        learned.read(0, true, 1, nanos(tooEarly), nanos(tooEarly + 0.1));
        assertThat(learned.reset(nanos(tooEarly))).isCloseTo(2.3 - tooEarly, within(1e-6));
        assertThat(useFrom(2.6)).isCloseTo(3.6, within(1e-6));
    }

    /** An answer from the old window came late, after a request had left that the new one answers. */
    @Test
    void answersThatOvertakeEachOtherDoNotMakeAWindowBeginWithARequest() {
        useFrom(0);
        learned.read(0, true, 0.2, nanos(0.9), nanos(1));
        for (int left = 19; left >= 1; left--) {
            read(1.3 + 0.02 * (19 - left), left);
        }
        double before = learned.reset(nanos(2));
        learned.read(0, false, Double.NaN, nanos(2), nanos(2.5));
        learned.read(12, false, Double.NaN, nanos(2.4), nanos(2.6));
        assertThat(learned.reset(nanos(2))).isEqualTo(before);
    }

    /** Requests came so seldom that each found a new window. */
    @Test
    void aCountThatStaysAtTheTopIsThatOfSeveralWindows() {
        for (double at : new double[] {1, 3.4, 8.2, 12.5}) {
            assertThat(read(at, 9)).isFalse();
        }
        for (int left = 8; left >= 0; left--) {
            read(12.8 - 0.02 * left, left);
        }
        assertThat(read(13.3, 9)).isTrue();
        assertThat(learned.length()).isEqualTo(1);
    }

    /** Such as answers from a cache. */
    @Test
    void answersThatTheServerDoesNotCountDoNotMoveTheEndOfAKnownWindow() {
        use(10, 0.1, 25);
        double length = learned.length();
        for (double at = 30.1; at < 37; at += 0.5) {
            read(at, 100);
        }
        assertThat(learned.length()).isEqualTo(length);
        assertThat(learned.reset(nanos(37))).isLessThan(4);
    }

    /** Where answers overtake each other, few of them show that the count falls. */
    @Test
    void windowsInWhichTheCountFellTooSeldomAreOverAllTheSame() {
        for (int window = 0; window < 10; window++) {
            for (int left : new int[] {9, 5, 1}) {
                read(window + 0.2 + (9 - left) * 0.01, left);
            }
        }
        for (int left = 9; left >= 0; left--) {
            read(10.4 - 0.02 * left, left);
        }
        assertThat(read(11.2, 9)).isTrue();
        assertThat(learned.length()).isEqualTo(1);
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
    void isFoundOnlyOnceSomebodyLooksInTheSecondHalfOfAWindow() {
        for (int window = 0; window < 20; window++) {
            use(60, 60 * window + 0.1, 60 * window + 30);
            assertThat(learned.length()).isNotEqualTo(60);
        }
        use(60, 60 * 20 + 0.1, 60 * 24);
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

    private double reset(double at) {
        return learned.reset(nanos(at));
    }

    /** A count that falls by one each second. */
    private void fall(double from, double count, int falls) {
        for (int i = 0; i <= falls; i++) {
            read(from + i, count - i);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, 100, 10", // eight falls, and all came back
        "8, 96, 10", // a half is enough
        "8, 95, NaN",
        "7, 100, NaN" // too few
    })
    void aRenewalIsSeenByAJumpAfterEightFalls(int falls, double count, double length) {
        fall(1, 100, falls);
        assertThat(reset(9)).isNaN();
        assertThat(read(20, count)).isEqualTo(length > 0);
        assertThat(reset(20)).isEqualTo(Double.valueOf(length)); // the next round time after the 7.9 s that were seen
        if (length > 0) {
            assertThat(reset(24)).isEqualTo(6);
            assertThat(reset(31)).isZero();
        }
    }

    @Test
    void whoSawTheOldWindowBeforeIsNoRenewal() {
        fall(1, 100, 8);
        assertThat(learned.read(100, false, Double.NaN, nanos(8.9), nanos(20))).isFalse();
        assertThat(learned.read(100, false, Double.NaN, nanos(9), nanos(20))).isTrue();
    }

    /** A window of 60 s, of which first only ten seconds are seen. */
    @Test
    void eachRenewalTellsTheLengthAndTheEndMoreExactly() {
        fall(1, 100, 9);
        assertThat(read(75, 100)).isTrue();
        assertThat(reset(75)).isEqualTo(10); // at least 8.9 s
        fall(76, 99, 8);
        assertThat(reset(84)).isEqualTo(1);
        read(120, 90); // not renewed for 44.9 s
        assertThat(learned.length()).isEqualTo(60);
        assertThat(reset(120)).isEqualTo(15);
        assertThat(read(134.5, 100)).isTrue(); // half a second early
        assertThat(reset(134.5)).isEqualTo(60);
        fall(135.5, 99, 8);
        read(190, 90);
        assertThat(read(196, 100)).isTrue(); // the window began at 194.5 s
        assertThat(reset(196)).isEqualTo(58.5);
        fall(197, 99, 8);
        assertThat(read(320, 100)).isTrue(); // two windows later
        assertThat(reset(320)).isEqualTo(54.5);
        assertThat(learned.length()).isEqualTo(60);
    }

    /** Nobody looked when the window should have ended, and few have been used: so it has ended. */
    @Test
    void aWindowOfWhichLittleIsSeenIsTakenForRenewed() {
        fall(1, 100, 9);
        read(75, 100);
        read(84.9, 99);
        assertThat(reset(85)).isZero();
        read(85.2, 98);
        assertThat(reset(85.2)).isCloseTo(9.8, within(1e-9));
        read(106, 97); // three windows after 75 s
        assertThat(reset(106)).isCloseTo(9, within(1e-9));
    }

    @Test
    void aLengthThatIsNotRoundIsTheLongestThatFits() {
        for (int window = 0; window < 6; window++) {
            fall(1 + 12.5 * window, 100, 11);
        }
        assertThat(learned.length()).isCloseTo(14.1, within(1e-9)); // 12.5 s, and 1.6 s in which nobody asked
    }

    /** Refused at 12 s; without what is told then, the window lasts for 15 s from the moment of the renewal on. */
    @ParameterizedTest
    @CsvSource({
        "0, 48, 75, 45", // renewed at 60 s, after two seconds less than 60 s
        "1, 48, 75, 15", // something was left
        "0, 0, 75, 15",
        "0, 64, 75, 120", // it has come sooner, but lasted for more than a minute
        "0, 86400, 100000, 72821", // a day at most: from 86,412 s on another 86,409 s
        "0, 86401, 100000, 15"
    })
    void aRetryAfterIsAboutTheWindowIfNothingIsLeft(double left, double retryAfter, double at, double reset) {
        fall(1, 10, (int) (10 - left));
        learned.read(left, true, retryAfter, nanos(12), nanos(12));
        assertThat(read(at, 9)).isTrue();
        assertThat(reset(at)).isEqualTo(reset);
    }

    @Test
    void aRetryAfterThatHasPassedWithoutARenewalTellsNothing() {
        fall(1, 10, 10);
        learned.read(0, true, 48, nanos(12), nanos(12));
        learned.read(0, true, Double.NaN, nanos(61), nanos(61));
        assertThat(read(75, 9)).isTrue();
        assertThat(reset(75)).isEqualTo(60);
    }
}
