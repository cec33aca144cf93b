package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SteadyUseTest {

    private static final long SECOND = 1_000_000_000L;

    private final SteadyUse others = new SteadyUse();

    @Test
    void isTheMeanOfWhatGoesOn() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 1800; second++) {
            others.read(2 * second, 2 * second, second * SECOND);
        }
        assertThat(others.perSecond(1800 * SECOND)).isCloseTo(2, within(0.01));
    }

    @Test
    void aJobThatHasEndedCountsNoMore() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 900; second++) {
            others.read(Math.min(2000, 100 * second), Math.min(2000, 100 * second), second * SECOND);
        }
        assertThat(others.perSecond(900 * SECOND)).isZero();
    }

    @Test
    void whatWasUsedInTheWindowBeforeIsRemembered() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 3600; second++) {
            others.read(second, second, second * SECOND);
        }
        others.begin(3600, true, 3600 * SECOND);
        others.read(0, 0, 3601 * SECOND);
        assertThat(others.perSecond(3601 * SECOND)).isCloseTo(1, within(0.02));
    }

    @Test
    void aWindowThatDoesNotFollowRemembersNothing() {
        others.begin(3600, false, 0);
        others.read(3600, 3600, 3600 * SECOND);
        others.begin(3600, false, 3600 * SECOND);
        assertThat(others.perSecond(3601 * SECOND)).isZero();
    }

    /** What is only likely may turn out to have been the own requests. */
    @Test
    void whatIsLikelyMayFallToWhatIsCertain() {
        others.begin(100, false, 0);
        others.read(2, 8, nanos(10));
        assertThat(perSecond(10)).isEqualTo(0.8);
        others.read(1, 1, nanos(10));
        assertThat(perSecond(10)).isEqualTo(0.2);
    }

    private double perSecond(double second) {
        return others.perSecond(nanos(second));
    }

    /** Of late is what was used since five seconds of a window of a hundred, at least. */
    @Test
    void ofLateCountsIfItIsLessThanHalf() {
        others.begin(100, false, 0);
        others.read(10, 10, nanos(10));
        assertThat(perSecond(20)).isEqualTo(0.5);
        others.read(9, 9, nanos(14.9)); // overtaken, and too soon
        assertThat(perSecond(14.9)).isEqualTo(10 / 14.9);
        others.read(12, 12, nanos(15));
        assertThat(perSecond(15)).isEqualTo(0.8); // 12 in 15 s; a half of that in the last five
        others.read(12.5, 12.5, nanos(20));
        assertThat(perSecond(20)).isEqualTo(0.1); // a half in five
        assertThat(perSecond(22.5)).isEqualTo(0.5 / 7.5);
        others.read(17.5, 17.5, nanos(25));
        assertThat(perSecond(25)).isEqualTo(0.7);
    }

    @Test
    void theMeanOfTheWindowBeforeCountsAsATwentiethOfAWindow() {
        others.begin(100, false, 0);
        others.read(80, 80, nanos(100));
        others.begin(200, true, nanos(100));
        assertThat(perSecond(100)).isEqualTo(0.8);
        assertThat(perSecond(110)).isEqualTo(0.4);
        others.read(4, 4, nanos(110));
        assertThat(perSecond(110)).isEqualTo(0.6); // 8 + 4 in 10 s + 10 s
    }

    @Test
    void inNoTimeAThousandthOfASecondHasPassed() {
        others.begin(100, false, 0);
        others.read(2, 2, 0);
        assertThat(perSecond(0)).isEqualTo(2000);
    }

    @ParameterizedTest
    @CsvSource({
        "41, 1000, 1.75", // 16 in 16 s, and three standard deviations of so many: 12
        "41, 250, 1.25", // no more than half of the window
        "40, 1000, 0" // this client has used only half as much again as they
    })
    void whatIsKeptIsWhatTheyUseAndMoreTheLessIsKnown(double all, double limit, double kept) {
        others.begin(100, false, 0);
        others.read(16, 16, nanos(16));
        assertThat(others.kept(all, limit, nanos(16))).isEqualTo(kept);
    }
}
