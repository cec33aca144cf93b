package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.tokens;
import static dev.throttle.control.quota.Moment.SIGNAL;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a request may go that takes from a window of 1,000 tokens that ends at 60 s; 500 are left at 12 s. */
class PacedCostsWindowTest {

    private final CostStory story = new CostStory().window();

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
        assertThat(story.due(800)).isEqualTo(65); // its answer tells what the new one holds, if it comes soon
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
    void whoWaitsForAFarEndAsksAfterTwoMinutes() {
        CostStory day = new CostStory();
        day.tells(0, 1_000, 20_000);
        day.tells(10, 600, 19_990);
        day.tells(11, 500, 19_989);
        assertThat(day.due(600)).isEqualTo(131);
        day.at(100);
        assertThat(day.due(600)).isEqualTo(131);
        day.at(131);
        assertThat(day.due(600)).isEqualTo(131);
        day.wire = 1;
        assertThat(day.due(600)).isEqualTo(SIGNAL);
    }

    @Test
    void nobodyIsMadeToWaitForTheFirstToBeKnown() {
        for (int i = 0; i < 10; i++) {
            story.leaves(12 + i, tokens(10));
        }
        story.wire = 10;
        assertThat(story.due(300)).isEqualTo(21);
    }

    @Test
    void aWindowMayEndAFifthOfAWayBeforeItWasTold() {
        CostStory slow = new CostStory();
        slow.roundTrip = 2;
        slow.window(); // an answer is told a second before it comes, so the window ends at 59 s
        slow.tells(59.85, 100, 0.15);
        slow.tells(59.95, 990, 60);
        assertThat(slow.due(900)).isEqualTo(59.95);
    }

    @Test
    void ofTwoAnswersAlmostAtTheSameTimeTheLowerOneIsTheLaterOne() {
        CostStory slow = new CostStory();
        slow.roundTrip = 2;
        slow.window();
        slow.tells(20, 100, 40);
        slow.tells(20.1, 200, 39.9);
        assertThat(slow.due(100)).isEqualTo(20.1);
        assertThat(slow.due(101)).isEqualTo(60);
    }
}
