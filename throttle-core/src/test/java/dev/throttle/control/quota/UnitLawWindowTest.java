package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.UnitStory.NOT_TOLD;
import static dev.throttle.control.quota.UnitStory.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a request may go that takes from a window of 1,000 tokens that ends at 60 s; 500 are left at 12 s. */
class UnitLawWindowTest {

    private final UnitStory story = new UnitStory().window();

    @Test
    void aRequestGoesIfItFits() {
        assertThat(story.due(500)).isEqualTo(12);
        assertThat(story.due(501)).isEqualTo(60);
        story.at(59);
        assertThat(story.due(501)).isEqualTo(60);
    }

    @Test
    void ownRequestsThatTheServerHasNotToldOfAreTakenOff() {
        story.leaves(12, tokens(200));
        assertThat(story.due(300)).isEqualTo(12);
        assertThat(story.due(301)).isEqualTo(60);
    }

    @Test
    void atItsEndAllIsThereAgainButWhatIsOnTheWire() {
        story.leaves(12, tokens(200));
        story.wire = 1;
        story.at(60);
        assertThat(story.due(800)).isEqualTo(60);
        assertThat(story.due(801)).isEqualTo(SIGNAL); // an answer tells what the new one holds
        story.wire = 0;
        assertThat(story.due(801)).isEqualTo(60);
    }

    @Test
    void aNewWindowHoldsWhatAnAnswerTells() {
        story.tells(61, 700, 59);
        assertThat(story.due(700)).isEqualTo(61);
        assertThat(story.due(750)).isEqualTo(120);
    }

    @Test
    void whoWaitsForAFarEndAsksAfterAnHour() {
        UnitStory day = new UnitStory();
        day.tells(0, 1_000, 20_000);
        day.tells(10, 600, 19_990);
        day.tells(11, 500, 19_989);
        assertThat(day.due(600)).isEqualTo(3_611);
        day.at(1_000);
        assertThat(day.due(600)).isEqualTo(3_611);
        day.at(3_611);
        assertThat(day.due(600)).isEqualTo(3_611);
        day.wire = 1;
        assertThat(day.due(600)).isEqualTo(SIGNAL);
    }

    @Test
    void oneThatProbablyFitsIsTriedRatherThanWaitLong() {
        story.tells(20, 999, 40);
        assertThat(story.due(1_000)).isEqualTo(20); // but for what is rounded
        story.leaves(20, tokens(0));
        assertThat(story.due(1_000)).isEqualTo(60); // another one is on its way
        story.tells(21, 998, 39);
        assertThat(story.due(1_000)).isEqualTo(60);
    }

    @Test
    void oneThatWasRefusedIsNotTriedAgainUntilMoreIsLeft() {
        story.read(20, 20, tokens(1_000), 999, 40, true, NOT_TOLD);
        assertThat(story.due(1_000)).isEqualTo(60);
        story.tells(21, 999, 39);
        assertThat(story.due(1_000)).isEqualTo(60);
        story.tells(22, 1_000, 38);
        story.tells(23, 999, 37);
        assertThat(story.due(1_000)).isEqualTo(23);
    }

    @Test
    void nobodyIsMadeToWaitForTheFirstToBeKnown() {
        for (int i = 0; i < 10; i++) {
            story.leaves(12 + i, tokens(10));
        }
        story.wire = 10;
        assertThat(story.due(400)).isEqualTo(21);
    }

    @Test
    void aWindowMayEndAFifthOfAWayBeforeItWasTold() {
        UnitStory slow = new UnitStory();
        slow.roundTrip = 2;
        slow.window(); // an answer is told a second before it comes, so the window ends at 59 s
        slow.tells(59.85, 100, 0.15);
        slow.tells(59.95, 990, 60);
        assertThat(slow.due(900)).isEqualTo(59.95);
    }

    @Test
    void ofTwoAnswersAlmostAtTheSameTimeTheLowerOneIsTheLaterOne() {
        UnitStory slow = new UnitStory();
        slow.roundTrip = 2;
        slow.window();
        slow.tells(20, 100, 40);
        slow.tells(20.1, 200, 39.9);
        assertThat(slow.due(100)).isEqualTo(20.1);
        assertThat(slow.due(101)).isEqualTo(59);
    }

    @Test
    void whereRequestsDifferOneIsTriedThatFitsAsSureAsOneDeviation() {
        story.leaves(13, tokens(100));
        story.law.ended(Moment.nanos(13), Moment.nanos(13));
        story.answer(13, 13, tokens(100), 400, 47);
        assertThat(story.due(268)).isEqualTo(13); // 400 with a spread of 0.4
        assertThat(story.due(269)).isEqualTo(60);
    }

    @Test
    void whereRequestsAreSimilarOneIsTriedThatJustFits() {
        for (int i = 1; i <= 12; i++) {
            double at = 13 + i;
            story.leaves(at, tokens(10));
            story.law.ended(Moment.nanos(at), Moment.nanos(at));
            story.answer(at, at, tokens(10), 500 - 10 * i, 60 - at);
        }
        assertThat(story.due(380)).isEqualTo(25);
        assertThat(story.due(381)).isEqualTo(60);
    }
}
