package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static dev.throttle.control.quota.UnitStory.NOT_TOLD;
import static dev.throttle.control.quota.UnitStory.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * When requests go to a bucket of 1,000 that others use too. It gets 10 a second, a request is taken for 250, and all
 * take twice as much as this client, so a slot is 50 s.
 */
class UnitLawCrowdTest {

    private static final Offset<Double> ALMOST = within(1e-8);
    /** What a request takes that asks for 100, by the one fall of 500 that was seen. */
    private static final double TAKES = 500 * Math.exp(0.16);

    private final UnitStory story = new UnitStory(1_000).bucket(850);

    /** One own request takes 100, and others take 400 at the same time. */
    private void othersCome() {
        story.leaves(11, tokens(100));
        story.answers(11, 11, tokens(100), 460);
        story.law.settled(tokens(100), tokens(100), nanos(11), nanos(11));
    }

    /** {@return when the next one goes, 11 s being the time of the last one and 460 what is left} */
    private static double next(double target) {
        double rise = (target - 460 + 250) / 10;
        return 11 + 50 + 0.8 * (rise - 50);
    }

    @Test
    void theNextOneGoesInItsSlotSoThatTheBucketComesToItsTarget() {
        othersCome();
        assertThat(story.due(100)).isEqualTo(next(870), ALMOST);
        story.at(80);
        assertThat(story.due(100)).isEqualTo(80);
    }

    @Test
    void whatIsOnTheWireIsTakenForThatOfAll() {
        othersCome();
        story.leaves(12, tokens(100));
        double rise = (870 - 460 + 2 * TAKES + 250) / 10 - 1; // it left a second later
        assertThat(story.due(100)).isEqualTo(12 + 50 + 0.8 * (rise - 50), ALMOST);
        story.law.forget(nanos(12)); // the server never counted it
        assertThat(story.due(100)).isEqualTo(next(870), ALMOST);
    }

    @Test
    void whatIsOnTheWireAndKnownExactlyIsTakenForThatOfAll() {
        story.refuses(4, 4, tokens(100), 890, 1.1);
        story.law.costAfterRefusal(tokens(100), false);
        othersCome();
        assertThat(story.due(911)).isEqualTo(next(911), ALMOST); // 901 and a hundredth
        story.leaves(11, tokens(911));
        assertThat(story.due(100)).as("four slots at most").isEqualTo(11 + 200, ALMOST);
    }

    @Test
    void eachCountMovesTheSlot() {
        othersCome();
        story.due(100);
        story.tells(12, 470);
        double slot = 25 * 2 * Math.exp(0.1 * 0.15 + 0.03 * Math.log(2));
        double rise = (870 - 470 + (slot / 25 - 1) * 250) / 10 + 1;
        assertThat(story.due(100)).isEqualTo(11 + slot + 0.8 * (rise - slot), ALMOST);
    }

    @Test
    void noIntervalIsLongerThanTheLongest() {
        UnitStory hasty = new UnitStory(30).bucket(850);
        hasty.leaves(11, tokens(100));
        hasty.answers(11, 11, tokens(100), 460);
        hasty.law.settled(tokens(100), tokens(100), nanos(11), nanos(11));
        assertThat(hasty.due(100)).isEqualTo(41);
    }

    @Test
    void whereNothingIsSettledNobodyIsSeen() {
        story.leaves(11, tokens(100));
        story.answers(11, 11, tokens(100), 460);
        assertThat(story.due(0)).isEqualTo(11);
    }

    @Test
    void othersAreNotLookedForWhereItIsNotSureThatItIsABucket() {
        UnitStory few = new UnitStory(1_000);
        few.read(0, 0, tokens(100), 940, 6, true, NOT_TOLD);
        few.tells(1, 950);
        few.leaves(2, tokens(100));
        few.answers(2, 2, tokens(100), 460);
        few.law.settled(tokens(100), tokens(100), nanos(2), nanos(2));
        assertThat(few.due(100)).isEqualTo(2 + 29); // 750
        few.tells(3, 470);
        assertThat(few.due(100)).isGreaterThan(50);
    }

    @Test
    void whatARefusedRequestMissesIsLeftToIt() {
        othersCome();
        story.due(100);
        story.refuses(12, 12, tokens(100), 470, 40);
        assertThat(aside(1)).isEqualTo(40 * random(), ALMOST);
        assertThat(aside(1)).as("once").isZero();
    }

    @Test
    void aSilentRefusalMissesWhatSuchRequestsTake() {
        othersCome();
        story.due(100);
        story.refuses(12, 12, tokens(100), 470, NOT_TOLD);
        assertThat(aside(1)).isEqualTo(TAKES / 10 * random(), ALMOST);
    }

    @Test
    void noRequestMissesMoreThanTheLimit() {
        othersCome();
        story.due(100);
        story.refuses(12, 12, tokens(100), 470, 500);
        assertThat(aside(1)).isEqualTo(100 * random(), ALMOST);
    }

    @Test
    void nobodyStandsAsideForLongerThanTheLongestInterval() {
        UnitStory hasty = new UnitStory(30).bucket(850);
        hasty.leaves(11, tokens(100));
        hasty.answers(11, 11, tokens(100), 460);
        hasty.law.settled(tokens(100), tokens(100), nanos(11), nanos(11));
        hasty.due(100);
        hasty.refuses(12, 12, tokens(100), 470, 40);
        assertThat(hasty.law.standAsideNanos(1)).isEqualTo(nanos(30));
    }

    @Test
    void oneOfManyLetsTheOthersGoFirst() {
        othersCome();
        story.due(100);
        story.waiting = 3;
        story.refuses(12, 12, tokens(100), 470, 40);
        double times = 2 * Math.exp(0.1 * 0.15 + 0.03 * Math.log(2));
        assertThat(aside(2)).isEqualTo(1.5 * times * 40 * random(), ALMOST);
    }

    @Test
    void whoHasLeftDoesNotWaitBehindIt() {
        othersCome();
        story.due(100);
        story.waiting = 3;
        story.refuses(12, 12, tokens(100), 470, 40);
        story.leaves(12, tokens(100));
        assertThat(aside(2)).isEqualTo(40 * random(), ALMOST);
    }

    private double aside(int refusals) {
        return story.law.standAsideNanos(refusals) / 1e9;
    }

    /** {@return by how much the first wait is longer at random} */
    private static double random() {
        return 1 + 0.8 * new SplittableRandom(1).nextDouble();
    }
}
