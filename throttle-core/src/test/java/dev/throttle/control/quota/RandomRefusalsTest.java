package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RandomRefusalsTest {

    private final RandomRefusals refusals = new RandomRefusals();

    /** Of twenty requests one is refused each time, and no pace helps. */
    private boolean early(int events) {
        boolean rules = false;
        for (int i = 0; i < events; i++) {
            assertThat(rules).isFalse();
            rules = refusals.event(false, 19, 1, 7, false);
        }
        return rules;
    }

    private void accepted(int count) {
        for (int i = 0; i < count; i++) {
            refusals.accepted(0);
        }
    }

    /** {@return how many refusals in a row it takes until it no longer rules} */
    private int untilRefuted() {
        int count = 1;
        while (refusals.refused()) {
            count++;
        }
        return count;
    }

    @Test
    void itRulesAfterFifteenEarlyEvents() {
        assertThat(early(14)).isFalse();
        assertThat(refusals.rules()).isFalse();
        assertThat(early(1)).isTrue();
        assertThat(refusals.rules()).isTrue();
        assertThat(refusals.share()).isEqualTo(0.05);
    }

    @Test
    void eachEventOfAPaceThatMayHaveHelpedCountsAgainstIt() {
        early(14);
        assertThat(refusals.event(true, 80, 1, 7, false)).isFalse();
        assertThat(early(1)).isFalse();
        assertThat(early(1)).isTrue();
        assertThat(refusals.share()).isEqualTo(17 / (16 * 20 + 81.0));
    }

    @Test
    void whatCameBeforeAPaceHelpedIsForgotten() {
        refusals.event(false, 1, 1, 7, false);
        refusals.event(true, 1, 1, 7, false);
        early(15);
        assertThat(refusals.share()).isEqualTo(0.05);
    }

    @Test
    void anEventOfAClientWithOneRequestAtATimeCountsForThree() {
        for (int i = 0; i < 4; i++) {
            assertThat(refusals.event(false, 19, 1, 7, true)).isFalse();
        }
        assertThat(refusals.event(true, 80, 1, 7, true)).isFalse();
        assertThat(refusals.event(false, 19, 1, 7, true)).isFalse();
        assertThat(refusals.event(false, 19, 1, 7, true)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"33, 67, false", "34, 66, true", "70, 30, true"})
    void itDoesNotRuleWhereTwoThirdsAreRefused(int accepted, int refused, boolean rules) {
        for (int i = 0; i < 15; i++) {
            refusals.event(false, accepted, refused, 7, false);
        }
        assertThat(refusals.rules()).isEqualTo(rules);
    }

    @Test
    void threeRefusalsInARowRefuteItAtOnceAndTenLater() {
        early(15);
        assertThat(untilRefuted()).isEqualTo(3);
        early(22);
        accepted(1000);
        assertThat(untilRefuted()).isEqualTo(10);
    }

    /** Three in a row are nothing out of the way if four of ten are refused. */
    @ParameterizedTest
    @CsvSource({"0.15, 3", "0.16, 4", "0.3, 5", "0.4, 6"})
    void theLargerTheShareTheMoreRefusalsInARowItTakes(double share, int refusalsInARow) {
        for (int i = 0; i < 15; i++) {
            refusals.event(false, 100 - 100 * share, (int) Math.round(100 * share), 7, false);
        }
        assertThat(untilRefuted()).isEqualTo(refusalsInARow);
    }

    /** What was refused before a trial and in it says nothing of the next one. */
    @Test
    void eachTrialExpectsTheShareSinceTheOneBefore() {
        early(15);
        untilRefuted();
        for (int i = 0; i < 22; i++) {
            refusals.event(false, 9, 1, 7, false);
        }
        assertThat(refusals.share()).isEqualTo(0.1);
    }

    @ParameterizedTest
    @CsvSource({"0.05, 10", "0.1, 11", "0.4, 21"})
    void afterSomeTimeItTakesMoreRefusalsInARow(double share, int refusalsInARow) {
        for (int i = 0; i < 15; i++) {
            refusals.event(false, 100 - 100 * share, (int) Math.round(100 * share), 7, false);
        }
        accepted(1000);
        assertThat(untilRefuted()).isEqualTo(refusalsInARow);
    }

    @Test
    void aTrialThatFailedMakesTheNextOneLater() {
        early(15);
        untilRefuted();
        assertThat(early(21)).isFalse();
        assertThat(early(1)).isTrue();
        accepted(1000);
        untilRefuted();
        assertThat(early(14)).as("it has held").isFalse();
        assertThat(early(1)).isTrue();
    }

    @Test
    void thePaceAfterwardsIsWhatWasAcceptedSinceMoreAreRefused() {
        early(15);
        refusals.accepted(0);
        assertThat(refusals.paceAfter(1)).as("as before: it has not held").isEqualTo(7);
        accepted(1000);
        for (int i = 1; i <= 10; i++) {
            assertThat(refusals.paceAfter(100 * i))
                    .as("none: too few were accepted")
                    .isZero();
            refusals.refused();
            refusals.accepted(100 * i);
        }
        assertThat(refusals.paceAfter(2_000_000_000)).isEqualTo(0.2);
        assertThat(refusals.paceAfter(80_000_000_000L))
                .as("never slower than before")
                .isEqualTo(7);
    }

    /** {@return how many of so many answers it takes until it no longer rules} A share of them is refused. */
    private int answers(double share, int most) {
        SplittableRandom random = new SplittableRandom(1);
        int answers = 0;
        while (refusals.rules() && answers < most) {
            answers++;
            if (random.nextDouble() < share) {
                refusals.refused();
            } else {
                refusals.accepted(0);
            }
        }
        return answers;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.02, 0.04, 0.055})
    void chanceDoesNotRefuteIt(double share) {
        early(15);
        accepted(100);
        answers(share, 100_000);
        assertThat(refusals.rules()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.2, 0.3, 0.5})
    void aLimitRefutesItWithinAHundredAnswers(double share) {
        early(15);
        accepted(1000);
        assertThat(answers(share, 1000)).isLessThan(100);
    }
}
