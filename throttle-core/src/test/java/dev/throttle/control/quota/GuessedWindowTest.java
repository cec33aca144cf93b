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
    void itsLengthIsThatOfTheLastCycleAndItIsUsedUpByNineTenthsOfItsSize() {
        window.renewed(100, 40, false, false);
        assertThat(window.length()).isEqualTo(40);
        window.renewed(100, 60, false, false);
        assertThat(window.length()).isEqualTo(60);
        assertThat(window.isUsedUp(90)).isTrue(); // nine tenths
        assertThat(window.isUsedUp(89)).isFalse();
    }

    @Test
    void whoFindsItRenewedAtTheFirstLookLooksEarlierTheNextTime() {
        window.renewed(100, 60, true, false);
        assertThat(window.length()).isEqualTo(60 * 0.97);
    }

    @Test
    void lateLooksDoNotMakeItLonger() {
        window.renewed(100, 60, false, false);
        window.renewed(100, 75, true, false);
        assertThat(window.length()).isEqualTo(60 * 0.97);
        window.renewed(100, 50, true, false);
        assertThat(window.length()).isEqualTo(50 * 0.97); // sooner is believed
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
        assertThat(window.length()).isZero();
        assertThat(window.admitted(10)).isFalse();
    }

    @Test
    void aSizeThatIsATenthOffIsAnotherOne() {
        window.renewed(90, 60, false, true);
        window.renewed(100, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(110, 60, false, true);
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.length()).isZero(); // its length is not known
    }

    @Test
    void twiceAsManyAsThoughtAreNoWindow() {
        window.renewed(5, 60, false, false);
        assertThat(window.admitted(9)).isTrue();
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.admitted(1)).isFalse();
        assertThat(window.isGuessed()).isFalse();
    }

    @Test
    void twoThatAreAlikeMakeItSureAndInOneOfFourItIsTriedWhetherMoreFits() {
        window.renewed(20, 1, false, false);
        assertThat(window.isSure()).isFalse();
        for (int alike = 1; alike <= 8; alike++) {
            window.renewed(21, 1.4, false, false);
            assertThat(window.isSure()).as("after %d", alike).isEqualTo(alike % 4 != 0);
        }
    }

    @Test
    void anotherLengthOrSizeIsNotAlike() {
        window.renewed(20, 1, false, false);
        window.renewed(20, 1.6, false, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, false, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(25, 1, false, false);
        assertThat(window.isSure()).isFalse();
    }

    @Test
    void oneThatDiffersFromSeveralAlikeIsAnExceptionOnce() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, false, false);
        }
        window.renewed(20, 40, false, false); // a longer limit
        assertThat(window.length()).isEqualTo(1);
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 40, false, false);
        assertThat(window.length()).isEqualTo(40);
    }

    @Test
    void whatIsBriefHasNoLengthUntilSeveralWereAlike() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, false, true);
        }
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, false, true);
        assertThat(window.isSure()).isTrue();
    }
}
