package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.NOT_TOLD;
import static dev.throttle.control.quota.CostStory.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import org.junit.jupiter.api.Test;

/** What a refusal tells of a bucket of 1,000 tokens that gets 10 a second. */
class PacedCostsRefusalTest {

    private final CostStory story = new CostStory().bucket();

    @Test
    void theTimeUntilItFitsTellsWhatItTakes() {
        story.refuses(10, 10, tokens(50), 20, 3.9);
        assertThat(story.law.costAfterRefusal(tokens(50), false)).isEqualTo(tokens(60)); // 59 and a hundredth
        assertThat(story.law.costAfterRefusal(tokens(50), false)).isEqualTo(tokens(50)); // told once
    }

    @Test
    void anAnswerInBetweenMakesItForgotten() {
        story.refuses(10, 10, tokens(50), 20, 3.9);
        story.tells(11, 30);
        assertThat(story.law.costAfterRefusal(tokens(50), false)).isEqualTo(tokens(50));
    }

    @Test
    void whatIsKnownExactlyLeavesAStockForOthersThatAreLarger() {
        story.refuses(10, 10, tokens(50), 20, 3.9);
        story.law.costAfterRefusal(tokens(50), false);
        assertThat(story.due(60)).isEqualTo(10 + 73); // nobody knows what others ask for: three quarters
        story.leaves(10, tokens(90));
        story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(10), 0);
        double large = 90 * 60 / 50.0 * Math.exp(3.5 * 0.4);
        assertThat(story.due(60)).isCloseTo(10 + (large - 20) / 10, within(1e-8));
        story.leaves(11, tokens(60));
        story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(11), 0);
        assertThat(story.due(60)).as("it is not usual").isCloseTo(10 + (large - 20) / 10, within(1e-8));
    }

    @Test
    void whatIsKnownExactlyAndOnItsWayIsTakenOff() {
        story.refuses(10, 10, tokens(50), 20, 3.9);
        story.law.costAfterRefusal(tokens(50), false);
        story.tells(20, 120);
        assertThat(story.due(0)).isEqualTo(33);
        story.leaves(20, tokens(60));
        assertThat(story.due(0)).isEqualTo(39);
    }

    /** Those that another quota counts were forgotten, so its calls waited for answers that tell nothing of it. */
    @Test
    void aSilentRefusalLeavesItKnownWhichRequestsOnTheWireItDoesNotCount() {
        CostStory patient = new CostStory(50).bucket();
        patient.law.passed(2);
        patient.wire = 2;
        patient.refuses(10, 10, tokens(50), 0, NOT_TOLD);
        patient.law.costAfterRefusal(tokens(50), true);
        assertThat(patient.due(900)).isEqualTo(10 + 50);
    }

    @Test
    void aSilentRefusalOfAWindowOrOfWhatIsHardlyKnownTellsNothing() {
        CostStory few = new CostStory();
        few.tells(0, 500);
        few.tells(1, 510);
        few.refuses(10, 10, tokens(100), 50, NOT_TOLD);
        assertThat(few.law.costAfterRefusal(tokens(100), false)).isEqualTo(tokens(100));
        CostStory window = new CostStory().window();
        window.read(20, 20, tokens(100), 50, 40, true, NOT_TOLD);
        assertThat(window.law.costAfterRefusal(tokens(100), false)).isEqualTo(tokens(100));
    }

    @Test
    void whatRefusesIsWhatWasToldLastEvenIfItWasOvertaken() {
        story.answer(20, 20, tokens(0), 200, 80);
        story.answer(15, 21, tokens(0), 70, 93);
        assertThat(story.law.explains(tokens(71), 0)).isTrue();
        assertThat(story.law.explains(tokens(70), 0)).isFalse();
    }

    @Test
    void whereNobodyElseIsThereNobodyStandsAside() {
        story.refuses(10, 10, tokens(100), 50, 5);
        assertThat(story.law.standAsideNanos(1)).isZero();
    }

    @Test
    void aFirstAnswerThatRefusesTellsNothingOfWhatRequestsTake() {
        CostStory first = new CostStory();
        first.read(0, 0, tokens(100), 500, 50, true, NOT_TOLD);
        first.tells(1, 50);
        assertThat(first.law.explains(tokens(51), 0)).isTrue();
        assertThat(first.law.explains(tokens(50), 0)).isFalse();
    }

    @Test
    void aFirstAnswerThatAcceptsTellsWhatItsRequestTookALittle() {
        CostStory first = new CostStory();
        first.tells(0, 500); // one that asked for 100
        first.tells(1, 50);
        double most = 5 * Math.exp(1.4);
        assertThat(first.law.explains(tokens((long) (50 / most)), 0)).isFalse();
        assertThat(first.law.explains(tokens((long) (50 / most) + 1), 0)).isTrue();
    }

    @Test
    void aRequestOfAnotherUnitHasNoEstimate() {
        story.leaves(10, Cost.of("points", 900));
        assertThat(story.due(0)).isEqualTo(10);
    }
}
