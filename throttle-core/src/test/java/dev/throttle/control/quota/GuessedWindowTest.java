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
        assertThat(window.length(90)).isEqualTo(60); // nine tenths
        assertThat(window.length(89)).isZero();
    }

    @Test
    void whoFindsItRenewedAtTheFirstLookLooksEarlierTheNextTime() {
        window.renewed(100, 60, true, false);
        assertThat(window.length(100)).isEqualTo(60 * 0.97);
    }

    @Test
    void lateLooksDoNotMakeItLonger() {
        window.renewed(100, 60, false, false);
        window.renewed(100, 75, true, false);
        assertThat(window.length(100)).isEqualTo(60 * 0.97);
        window.renewed(100, 50, true, false);
        assertThat(window.length(100)).isEqualTo(50 * 0.97); // sooner is believed
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

    @Test
    void aSizeThatIsATenthOffIsAnotherOne() {
        window.renewed(90, 60, false, true);
        window.renewed(100, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(110, 60, false, true);
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.length(110)).isZero(); // its length is not known
    }

    @Test
    void twiceAsManyAsThoughtAreNoWindow() {
        window.renewed(5, 60, false, false);
        assertThat(window.admitted(9)).isTrue();
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.admitted(1)).isFalse();
        assertThat(window.isGuessed()).isFalse();
    }
}
