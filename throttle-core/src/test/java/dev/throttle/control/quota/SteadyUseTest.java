package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SteadyUseTest {

    private static final long SECOND = 1_000_000_000L;

    private final SteadyUse others = new SteadyUse();

    @Test
    void isTheMeanOfWhatGoesOn() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 1800; second++) {
            others.read(2 * second, second * SECOND);
        }
        assertThat(others.perSecond(1800 * SECOND)).isCloseTo(2, within(0.01));
    }

    @Test
    void aJobThatHasEndedCountsNoMore() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 900; second++) {
            others.read(Math.min(2000, 100 * second), second * SECOND);
        }
        assertThat(others.perSecond(900 * SECOND)).isZero();
    }

    @Test
    void whatWasUsedInTheWindowBeforeIsRemembered() {
        others.begin(3600, false, 0);
        for (int second = 1; second <= 3600; second++) {
            others.read(second, second * SECOND);
        }
        others.begin(3600, true, 3600 * SECOND);
        others.read(0, 3601 * SECOND);
        assertThat(others.perSecond(3601 * SECOND)).isCloseTo(1, within(0.02));
    }

    @Test
    void aWindowThatDoesNotFollowRemembersNothing() {
        others.begin(3600, false, 0);
        others.read(3600, 3600 * SECOND);
        others.begin(3600, false, 3600 * SECOND);
        assertThat(others.perSecond(3601 * SECOND)).isZero();
    }
}
