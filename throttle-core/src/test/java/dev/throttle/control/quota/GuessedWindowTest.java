package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GuessedWindowTest {

    private final GuessedWindow window = new GuessedWindow();

    @Test
    void itIsUsedUpWhenAsManyHaveLeftAsWereAcceptedInTheOneBefore() {
        window.renewed(5, 60, false, false);
        assertThat(window.isGuessed()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(window.admitted(1)).isFalse();
        }
        assertThat(window.admitted(1)).isTrue();
        assertThat(window.admitted(1)).isFalse();
    }

    @Test
    void itsLengthIsThatOfTheLastCycleAndHoldsOnlyForAUsedUpWindow() {
        window.renewed(100, 40, false, false);
        assertThat(window.length(100)).isEqualTo(40);
        window.renewed(100, 60, false, false);
        assertThat(window.length(100)).isEqualTo(60);
        assertThat(window.length(50)).isZero();
    }

    @Test
    void whoFindsItRenewedAtTheFirstLookLooksEarlierTheNextTime() {
        window.renewed(100, 60, true, false);
        assertThat(window.length(100)).isBetween(57.0, 59.9);
    }

    @Test
    void lateLooksDoNotMakeItLonger() {
        window.renewed(100, 60, false, false);
        window.renewed(100, 75, true, false);
        assertThat(window.length(100)).isBetween(57.0, 60.0);
    }

    @Test
    void aBriefRefusalMakesAWindowOnlyIfTheSizeComesTwice() {
        window.renewed(100, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(50, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(51, 60, false, true);
        assertThat(window.isGuessed()).isTrue();
    }

    @Test
    void forgottenItBoundsNothing() {
        window.renewed(5, 60, false, false);
        window.forget();
        assertThat(window.isGuessed()).isFalse();
        assertThat(window.length(5)).isZero();
        assertThat(window.admitted(10)).isFalse();
    }
}
