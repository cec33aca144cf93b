package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/**
 * Which of several answers tells what is left of a bucket that gets 10 a second. Requests are on their way for a second
 * and so are answers, so those that are told within 0.2 s may have been counted in another order.
 */
class PacedCostsOrderTest {

    private final CostStory story = new CostStory();
    private double way = 1;

    PacedCostsOrderTest() {
        story.roundTrip = 2;
        story.bucket();
        tells(10, 12, 100);
        assertLevel(100, 11);
    }

    private void tells(double sentAt, double at, long remaining) {
        double half = (at - sentAt) / 2;
        way = Math.min(half, way + (half - way) / 64);
        story.answer(sentAt, at, tokens(0), remaining, (1_000 - remaining) / 10.0);
    }

    /** One that takes nothing waits for a stock of 250, and is on its way for a while. */
    private void assertLevel(double level, double toldAt) {
        assertThat(story.due(0)).isCloseTo(toldAt + (250 - level) / 10 - way, within(1e-9));
    }

    @Test
    void theLastAnswerTellsWhatIsLeft() {
        tells(11, 13, 150);
        assertLevel(150, 12);
    }

    @Test
    void ofTwoThatLeftTogetherTheLastAnswerTellsWhatIsLeft() {
        tells(10, 14, 150);
        assertLevel(150, 12);
    }

    @Test
    void anAnswerThatWasOvertakenTellsNothing() {
        tells(9, 14, 50);
        assertLevel(100, 11);
        tells(9.5, 12.92, 50); // told 0.21 s later
        assertLevel(100, 11);
    }

    @Test
    void ofTwoAlmostAtTheSameTimeTheLowerOneIsTheLaterOne() {
        assertTheLowerOneIsTheLaterOne(10.1, 12.1);
    }

    @Test
    void anOvertakenOneMayBeTheLaterOneToo() {
        assertTheLowerOneIsTheLaterOne(9.9, 12.3);
    }

    private void assertTheLowerOneIsTheLaterOne(double sentAt, double at) {
        tells(sentAt, at, 150);
        assertLevel(100, 11);
        tells(sentAt, at, 50);
        assertLevel(50, (sentAt + at) / 2);
    }

    @Test
    void equalCountsAlmostAtTheSameTimeTellThatWhatCameBackWasUsed() {
        tells(10.1, 12.1, 101);
        assertLevel(101, 11.1); // that is what was expected
        tells(10.2, 12.2, 101);
        assertLevel(101, 11.2);
    }

    @Test
    void aFifthOfAWayIsAlmostTheSameTime() {
        tells(10.2, 12.2, 150);
        assertLevel(100, 11);
        tells(10.201, 12.201, 150);
        assertLevel(150, 11.201);
    }

    @Test
    void noMoreThanAFifthOfASecondIsAlmostTheSameTime() {
        CostStory far = new CostStory();
        far.roundTrip = 20;
        far.bucket();
        far.answer(0, 20, tokens(0), 100, 90);
        far.answer(0.21, 20.21, tokens(0), 150, 85);
        assertThat(far.due(0)).isCloseTo(20.21, within(1e-9)); // 250 when it arrives
        far.answer(0.3, 20.3, tokens(0), 220, 78);
        far.answer(0.4, 20.4, tokens(0), 30, 97);
        assertThat(far.due(0)).isCloseTo(10.4 + 22 - 10, within(1e-9));
    }

    @Test
    void theWayIsThatOfTheFastestAnswersOfLate() {
        tells(20, 21, 100); // half as long
        assertThat(story.due(0)).isCloseTo(20.5 + 15 - 0.5, within(1e-9));
        tells(30, 34.2, 100);
        double way = 0.5 + 1.6 / 64;
        assertThat(story.due(0)).isCloseTo(32.1 + 15 - way, within(1e-9));
    }

    @Test
    void nothingIsLearnedWhileItIsNotKnownWhichRequestsACountTellsOf() {
        story.leaves(20, tokens(100));
        story.leaves(20.1, tokens(100));
        answers(20, 22, 140);
        assertThat(story.law.explains(tokens(141), 0)).isTrue();
        assertThat(story.law.explains(tokens(140), 0)).isFalse();
        answers(20.1, 22.5, 53); // 103 came back in 10.3 s, so both took 150
        assertThat(story.law.explains(tokens(17), 0)).isFalse();
        assertThat(story.law.explains(tokens(18), 0)).isTrue(); // 18 x 0.75 x exp(3.5 x 0.4)
    }

    private void answers(double sentAt, double at, long remaining) {
        story.answers(sentAt, at, tokens(100), remaining);
    }
}
