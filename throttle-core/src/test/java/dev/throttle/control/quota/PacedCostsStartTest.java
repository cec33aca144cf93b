package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.NOT_TOLD;
import static dev.throttle.control.quota.CostStory.tokens;
import static dev.throttle.control.quota.Moment.SIGNAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import org.junit.jupiter.api.Test;

/** Until it is known what requests take, few are on the wire. The bucket fills in 100 s. */
class PacedCostsStartTest {

    private final CostStory story = new CostStory().bucket();

    private void leave(int requests) {
        for (int i = 0; i < requests; i++) {
            story.leaves(10 + story.wire * 0.001, tokens(1));
            story.wire++;
        }
    }

    @Test
    void sevenGoAtFirstAndSevenMoreEachTimeInWhichTheBucketFills() {
        story.tells(10, 900);
        leave(6);
        assertThat(story.due(1)).isEqualTo(10.005);
        leave(1);
        assertThat(story.due(1)).isEqualTo(100);
        story.at(100);
        assertThat(story.due(1)).isEqualTo(100);
        story.at(150);
        assertThat(story.due(1)).isEqualTo(150);
        leave(6);
        story.at(100);
        assertThat(story.due(1)).isEqualTo(100);
        leave(1);
        assertThat(story.due(1)).isEqualTo(200);
    }

    @Test
    void whereNothingIsOnTheWireNoAnswerIsWaitedFor() {
        story.tells(10, 900);
        leave(7);
        story.wire = 0; // all have failed
        assertThat(story.due(1)).isEqualTo(10.006);
    }

    @Test
    void whereItIsNotKnownHowFastItFillsAnAnswerHasToCome() {
        CostStory unknown = new CostStory();
        unknown.tells(0, 1_000, NOT_TOLD);
        for (int i = 1; i <= 7; i++) {
            unknown.leaves(i, tokens(1));
        }
        unknown.wire = 7;
        assertThat(unknown.due(1)).isEqualTo(SIGNAL);
    }

    @Test
    void onceItIsKnownOfEightWhatTheyTakeTheStartIsOver() {
        long left = 900;
        story.tells(10, left);
        for (int i = 1; i <= 8; i++) {
            double at = 10 + i * 0.001;
            story.leaves(at, tokens(10));
            left -= 10;
            story.answers(at, at, tokens(10), left);
            if (i == 7) {
                assertThat(whenSevenAreOnTheWire(20)).isEqualTo(100);
            }
        }
        assertThat(whenSevenAreOnTheWire(30)).isEqualTo(36);
    }

    /** The seven take nothing, so they hold nobody back but by their number. */
    private double whenSevenAreOnTheWire(double from) {
        for (int i = 0; i < 7; i++) {
            story.leaves(from + i, tokens(0));
        }
        story.wire = 7;
        double due = story.due(10);
        for (int i = 0; i < 7; i++) {
            story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(from + i), 0);
        }
        return due;
    }

    @Test
    void afterSixtyFourAnswersTheStartIsOverEvenIfNothingWasLearned() {
        for (int i = 1; i <= 64; i++) {
            double at = 10 + i;
            story.leaves(at, Cost.ONE);
            story.answers(at, at, Cost.ONE, 1_000); // it is always full
            if (i == 63) {
                assertThat(sevenOfNothing(at)).isEqualTo(100);
            }
        }
        assertThat(sevenOfNothing(80)).isEqualTo(80.006);
    }

    private double sevenOfNothing(double from) {
        for (int i = 0; i < 7; i++) {
            story.leaves(from + i * 0.001, Cost.ONE);
        }
        story.wire = 7;
        double due = story.due(Cost.ONE);
        for (int i = 0; i < 7; i++) {
            story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(from + i * 0.001), 0);
        }
        return due;
    }
}
