package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GuessedWindowTest {

    private final GuessedWindow window = new GuessedWindow();

    @Test
    void itIsUsedUpWhenAsManyHaveLeftAsWereAcceptedInTheOneBefore() {
        window.renewed(5, 60, 60, false, false);
        assertThat(window.isGuessed()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(window.admitted(1)).isFalse();
        }
        assertThat(window.admitted(1)).isTrue();
        assertThat(window.admitted(1)).isFalse();
    }

    @Test
    void itsLengthIsThatOfTheLastCycleAndItIsUsedUpByNineTenthsOfItsSize() {
        window.renewed(100, 40, 40, false, false);
        assertThat(window.length()).isEqualTo(40);
        window.renewed(100, 60, 60, false, false);
        assertThat(window.length()).isEqualTo(60);
        assertThat(window.isUsedUp(90)).isTrue(); // nine tenths
        assertThat(window.isUsedUp(89)).isFalse();
    }

    @Test
    void itsLengthIsTheUsualOneThatFits() {
        window.renewed(100, 4, 13, false, false);
        assertThat(window.length()).isEqualTo(10 * 1.01);
        window.renewed(100, 55, 61, false, false);
        assertThat(window.length()).isEqualTo(60 * 1.01);
    }

    @Test
    void itsLengthIsThatOfTheCycleIfNoUsualOneFits() {
        window.renewed(100, 38, 42, false, false);
        assertThat(window.length()).isEqualTo(42);
        window.renewed(100, 57, 60.1, false, false); // a minute and what is added to it are not over
        assertThat(window.length()).isEqualTo(60.1);
    }

    @Test
    void aLengthThatWasTooShortOnceIsNotTriedAgain() {
        window.renewed(100, 10.5, 13, false, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0.1, 13, false, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0.1, 26, false, false); // another window
        assertThat(window.length()).isEqualTo(20 * 1.01);
    }

    @Test
    void lateLooksDoNotMakeItLonger() {
        window.renewed(100, 10.5, 13, false, false);
        window.renewed(100, 0.1, 14, true, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0.1, 12.5, true, false);
        assertThat(window.length()).isEqualTo(12.5); // sooner is believed
    }

    @Test
    void whileItsLengthIsNotKnownWellTheMiddleOfWhatIsPossibleTellsMost() {
        window.renewed(100, 10.5, 13, false, false);
        assertThat(window.telling()).isEqualTo((10.5 + 13) / 2);
        window.renewed(100, 11.8, 13, false, false); // it is known: only a much shorter one would be news
        assertThat(window.telling()).isEqualTo(13 / 2.0);
    }

    @Test
    void halvingWhatIsPossibleFindsItsLength() {
        double truth = 12;
        window.renewed(100, 0.3, 40, false, false);
        for (int i = 0; i < 8; i++) {
            double asked = window.telling();
            boolean isOver = asked >= truth;
            window.renewed(100, isOver ? 0.3 : asked, isOver ? asked : window.length(), false, false);
        }
        assertThat(window.length()).isBetween(truth, 1.1 * truth);
    }

    @Test
    void aBriefRefusalMakesAWindowOnlyIfTheSizeComesTwice() {
        window.renewed(100, 60, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(50, 60, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(51, 60, 60, false, true);
        assertThat(window.isGuessed()).isTrue();
    }

    @Test
    void forgottenItBoundsNothing() {
        window.renewed(5, 60, 60, false, false);
        window.forget();
        assertThat(window.isGuessed()).isFalse();
        assertThat(window.length()).isZero();
        assertThat(window.admitted(10)).isFalse();
    }

    @Test
    void aSizeThatIsATenthOffIsAnotherOne() {
        window.renewed(90, 60, 60, false, true);
        window.renewed(100, 60, 60, false, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(110, 60, 60, false, true);
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.length()).isZero(); // its length is not known
    }

    @Test
    void twiceAsManyAsThoughtAreNoWindow() {
        window.renewed(5, 60, 60, false, false);
        assertThat(window.admitted(9)).isTrue();
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.admitted(1)).isFalse();
        assertThat(window.isGuessed()).isFalse();
    }

    @Test
    void twoThatAreAlikeMakeItSureAndInOneOfEightItIsTriedWhetherMoreFits() {
        window.renewed(20, 1, 1, false, false);
        assertThat(window.isSure()).isFalse();
        for (int alike = 1; alike <= 16; alike++) {
            window.renewed(21, 1.4, 1.4, false, false);
            assertThat(window.isSure()).as("after %d", alike).isEqualTo(alike % 8 != 0);
        }
    }

    @Test
    void anotherLengthOrSizeIsNotAlike() {
        window.renewed(20, 1, 1, false, false);
        window.renewed(20, 1.6, 1.6, false, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, 1, false, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(25, 1, 1, false, false);
        assertThat(window.isSure()).isFalse();
    }

    @Test
    void oneThatDiffersFromSeveralAlikeIsAnExceptionOnce() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, 1, false, false);
        }
        window.renewed(20, 40, 40, false, false); // a longer limit
        assertThat(window.length()).isEqualTo(1);
        window.renewed(20, 40, 40, false, false);
        assertThat(window.length()).isEqualTo(40);
    }

    @Test
    void theMoreWereAlikeTheMoreExceptionsAreLeftOut() {
        for (int i = 0; i < 9; i++) {
            window.renewed(20, 40, 40, false, false);
        }
        for (int i = 0; i < 3; i++) {
            window.renewed(10, 40, 40, false, false);
            assertThat(window.isUsedUp(10)).isFalse();
        }
        window.renewed(10, 40, 40, false, false);
        assertThat(window.isUsedUp(10)).isTrue();
    }

    @Test
    void whatIsBriefHasNoLengthUntilSeveralWereAlike() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, 1, false, true);
        }
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, 1, false, true);
        assertThat(window.isSure()).isTrue();
    }
}
