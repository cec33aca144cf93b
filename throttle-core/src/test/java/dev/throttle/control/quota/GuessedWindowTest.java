package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuessedWindowTest {

    private final GuessedWindow window = new GuessedWindow();

    @Test
    void itIsUsedUpWhenAsManyHaveLeftAsWereAcceptedInTheOneBefore() {
        window.renewed(5, 60, 60, false);
        assertThat(window.isGuessed()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(window.admitted(1)).isFalse();
        }
        assertThat(window.admitted(1)).isTrue();
        assertThat(window.admitted(1)).isFalse();
    }

    @Test
    void itsLengthIsThatOfTheLastCycleAndItIsUsedUpByNineTenthsOfItsSize() {
        window.renewed(100, 40, 40, false);
        assertThat(window.length()).isEqualTo(40);
        window.renewed(100, 60, 60, false);
        assertThat(window.length()).isEqualTo(60);
        assertThat(window.isUsedUp(90)).isTrue(); // nine tenths
        assertThat(window.isUsedUp(89)).isFalse();
    }

    @Test
    void itsLengthIsTheUsualOneThatFits() {
        window.renewed(100, 4, 13, false);
        assertThat(window.length()).isEqualTo(10 * 1.01);
        window.renewed(100, 55, 61, false);
        assertThat(window.length()).isEqualTo(60 * 1.01);
    }

    @Test
    void itsLengthIsThatOfTheCycleIfNoUsualOneFits() {
        window.renewed(100, 38, 42, false);
        assertThat(window.length()).isEqualTo(42);
        window.renewed(100, 57, 60.1, false); // a minute and what is added to it are not over
        assertThat(window.length()).isEqualTo(60.1);
    }

    @Test
    void aLengthThatWasTooShortIsNotBelievedUntilTheWindowWasShorter() {
        window.renewed(100, 10.5, 13, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0.1, 13, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0.1, 10.4, false);
        assertThat(window.length()).isEqualTo(10 * 1.01);
    }

    @Test
    void ofAnotherWindowNothingIsKnown() {
        window.renewed(100, 21, 26, false);
        assertThat(window.length()).isEqualTo(26);
        window.renewed(100, 0.1, 13, false);
        assertThat(window.length()).isEqualTo(10 * 1.01);
    }

    @Test
    void lateQuestionsDoNotMakeItLonger() {
        window.renewed(100, 10.5, 13, false);
        window.renewed(100, 12.9, 14, false);
        assertThat(window.length()).isEqualTo(13);
        window.renewed(100, 0, 12.95, false); // sooner is believed
        assertThat(window.length()).isEqualTo(12.95);
        window.renewed(100, 13, 14, false); // it was refused when it should have ended
        assertThat(window.length()).isEqualTo(14);
    }

    @Test
    void aQuestionBeforeTheEndMayTellThatItIsShorter() {
        window.renewed(100, 10.5, 13, false);
        assertThat(window.doubtful(0.4)).isEqualTo((10.5 + 13) / 2);
        window.renewed(100, 11.8, 13, false); // it is known: only a much shorter one would be news
        assertThat(window.doubtful(0)).isEqualTo(13 / 2.0);
        assertThat(window.doubtful(1)).isEqualTo(13);
    }

    @Test
    void halvingWhatIsPossibleFindsItsLength() {
        double truth = 12;
        window.renewed(100, 0.3, 40, false);
        for (int i = 0; i < 8; i++) {
            double asked = window.doubtful(0.4);
            boolean isOver = asked >= truth;
            window.renewed(100, isOver ? 0.3 : asked, isOver ? asked : window.length(), false);
        }
        assertThat(window.length()).isBetween(truth, 1.1 * truth);
    }

    @Test
    void aBriefRefusalMakesAWindowOnlyIfTheSizeComesTwice() {
        window.renewed(100, 60, 60, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(50, 60, 60, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(51, 60, 60, true);
        assertThat(window.isGuessed()).isTrue();
    }

    @Test
    void forgottenItBoundsNothing() {
        window.renewed(5, 60, 60, false);
        window.forget();
        assertThat(window.isGuessed()).isFalse();
        assertThat(window.length()).isZero();
        assertThat(window.admitted(10)).isFalse();
    }

    @Test
    void aSizeThatIsATenthOffIsAnotherOne() {
        window.renewed(90, 60, 60, true);
        window.renewed(100, 60, 60, true);
        assertThat(window.isGuessed()).isFalse();
        window.renewed(110, 60, 60, true);
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.length()).isZero(); // its length is not known
    }

    @Test
    void twiceAsManyAsThoughtAreNoWindow() {
        window.renewed(5, 60, 60, false);
        assertThat(window.admitted(9)).isTrue();
        assertThat(window.isGuessed()).isTrue();
        assertThat(window.admitted(1)).isFalse();
        assertThat(window.isGuessed()).isFalse();
    }

    @Test
    void twoThatAreAlikeMakeItSureAndAfterSevenWithoutARefusalItIsTriedWhetherMoreFits() {
        window.renewed(20, 1, 1, false);
        assertThat(window.isSure()).isFalse();
        for (int round = 0; round < 2; round++) {
            window.renewed(21, 1, 1.4, false);
            for (int unrefused = 0; unrefused < 7; unrefused++) {
                assertThat(window.isSure()).as("after %d", unrefused).isTrue();
                window.renewed(21, 0, 1.4, false);
            }
            assertThat(window.isSure()).isFalse();
        }
    }

    @Test
    void whereNothingWasRefusedInItsSecondHalfItMayBeMuchShorter() {
        window.renewed(20, 0.1, 5.1, false);
        assertThat(window.mayBeMuchShorter()).isTrue();
        window.renewed(20, 2.6, 5.1, false);
        assertThat(window.mayBeMuchShorter()).isFalse();
    }

    @Test
    void aLockOutIsFoundByQuestionsInTheMiddle() {
        window.renewed(20, 0.1, 5.1, false);
        window.renewed(20, 0.1, 5.1, false);
        assertThat(window.isSure()).isTrue();
        assertThat(window.length()).isEqualTo(5 * 1.01);
        window.renewed(20, 0, window.doubtful(0), false);
        assertThat(window.isSure()).isTrue();
        assertThat(window.length()).isEqualTo(2 * 1.01);
        window.renewed(20, 0, window.doubtful(0), false);
        assertThat(window.isSure()).isTrue();
        assertThat(window.length()).isEqualTo(1.01);
        window.renewed(20, window.doubtful(0), 5.5, false); // too early: it locks out again
        assertThat(window.isSure()).isTrue();
        assertThat(window.length()).isEqualTo(1.01);
        assertThat(window.mayBeMuchShorter()).isFalse();
    }

    /** After a night without requests a day does not pass until it is tried again. */
    @ParameterizedTest
    @CsvSource({"5, 5", "16, 16", "36000, 16"})
    void theLongerARefusalLocksOutTheLaterItIsTriedWhetherMoreFits(double cycle, int windows) {
        window.renewed(20, 0.1, 1, false);
        window.renewed(20, 0.6, cycle, false);
        for (int unrefused = 0; unrefused < 7 * windows; unrefused++) {
            assertThat(window.isSure()).as("after %d", unrefused).isTrue();
            window.renewed(20, 0, 1, false);
        }
        assertThat(window.isSure()).isFalse();
    }

    @Test
    void anotherLengthOrSizeIsNotAlike() {
        window.renewed(20, 1, 1, false);
        window.renewed(20, 1.6, 1.6, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, 1, false);
        assertThat(window.isSure()).isFalse();
        window.renewed(25, 1, 1, false);
        assertThat(window.isSure()).isFalse();
    }

    @Test
    void oneThatDiffersFromSeveralAlikeIsAnExceptionOnce() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, 1, false);
        }
        window.renewed(20, 40, 40, false); // a longer limit
        assertThat(window.length()).isEqualTo(1);
        window.renewed(20, 40, 40, false);
        assertThat(window.length()).isEqualTo(40);
    }

    @Test
    void whatIsBriefHasNoLengthUntilSeveralWereAlike() {
        for (int i = 0; i < 3; i++) {
            window.renewed(20, 1, 1, true);
        }
        assertThat(window.isSure()).isFalse();
        window.renewed(20, 1, 1, true);
        assertThat(window.isSure()).isTrue();
    }
}
