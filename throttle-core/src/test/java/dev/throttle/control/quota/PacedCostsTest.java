package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.NOT_TOLD;
import static dev.throttle.control.quota.CostStory.tokens;
import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Scope;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a request may go that takes from a bucket of 1,000 tokens, of which 10 a second come back. */
class PacedCostsTest {

    private final CostStory story = new CostStory();

    private static PacedQuota law(String unit, @Nullable String policy, @Nullable String partition) {
        Quota quota = quota(unit, policy, partition);
        return new PacedQuota(
                new Surroundings(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0), new SplittableRandom(1)),
                Tuning.USUAL,
                quota);
    }

    private static Quota quota(String unit, @Nullable String policy, @Nullable String partition) {
        return new Quota(policy, 1_000L, 500L, null, null, unit, partition);
    }

    @Test
    void aLawIsThatOfOneUnitOfOnePolicyAndPartition() {
        PacedQuota law = law("tokens", "daily", "me");
        assertThat(law.isOf(quota("tokens", "daily", "me"))).isTrue();
        assertThat(law.isOf(quota("points", "daily", "me"))).isFalse();
        assertThat(law.isOf(quota("tokens", null, "me"))).isFalse();
        assertThat(law.isOf(quota("tokens", "daily", "you"))).isFalse();
        assertThat(law("tokens", null, null).isOf(quota("tokens", null, null))).isTrue();
    }

    @Test
    void whatHeadersToldOfIsForgottenAfterSixteenAnswersThatDoNot() {
        story.tells(0, 500);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 16; i++) {
                assertThat(story.law.missing(Scope.ALL)).isFalse();
            }
            story.tells(1 + round, 500);
        }
        for (int i = 0; i < 16; i++) {
            assertThat(story.law.missing(Scope.ALL)).isFalse();
        }
        assertThat(story.law.missing(Scope.ALL)).isTrue();
    }

    @Test
    void whatOnlyBodiesTellOfIsNotForgotten() {
        story.law.read(
                new Reading().of(quota("tokens", null, null), 500, Outcome.SUCCESS, null, Traffic.QUIET, 0),
                false,
                Traffic.QUIET,
                0);
        for (int i = 0; i < 20; i++) {
            assertThat(story.law.missing(Scope.ALL)).isFalse();
        }
    }

    @Test
    void beforeAnyAnswerNothingHoldsRequestsBack() {
        story.at(7);
        assertThat(story.due(100_000)).isEqualTo(7);
        assertThat(story.law.explains(tokens(100_000), 0)).isFalse();
    }

    @Test
    void aRequestGoesIfAQuarterOfTheLimitIsLeftAfterIt() {
        story.bucket();
        story.tells(10, 350);
        assertThat(story.due(100)).isEqualTo(10);
        story.tells(20, 349);
        assertThat(story.due(100)).isEqualTo(20.1);
        story.at(20.099);
        assertThat(story.due(100)).isEqualTo(20.1);
        story.at(20.2);
        assertThat(story.due(100)).isEqualTo(20.2);
    }

    @Test
    void aLargeRequestNeedsNoMoreThanThreeQuartersOfTheLimitOrWhatItTakes() {
        story.bucket();
        story.tells(10, 700);
        assertThat(story.due(600)).isEqualTo(15);
        assertThat(story.due(800)).isEqualTo(20);
        assertThat(story.due(5_000)).isEqualTo(40);
    }

    @Test
    void ownRequestsThatTheServerHasNotToldOfAreTakenOff() {
        story.bucket();
        story.tells(10, 350);
        story.leaves(11, tokens(100));
        assertThat(story.due(100)).isEqualTo(20);
        story.leaves(12, tokens(30));
        assertThat(story.due(100)).isEqualTo(23);
        story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(11), 0); // the server never counted it
        assertThat(story.due(100)).isEqualTo(13);
        story.answers(12, 12, tokens(30), 240);
        assertThat(story.due(0)).isEqualTo(13); // one that takes nothing waits for the stock
    }

    @Test
    void aRequestTakesWhatItIsSettledWith() {
        story.bucket();
        story.tells(10, 350);
        story.leaves(10, tokens(100));
        story.law.settled(tokens(100), tokens(40), nanos(10), nanos(11));
        story.at(11);
        assertThat(story.due(100)).isEqualTo(14);
        story.law.settled(tokens(100), Cost.ONE, nanos(10), nanos(11)); // says nothing of tokens
        assertThat(story.due(100)).isEqualTo(14);
    }

    @Test
    void thoseThatWaitBeforeItComeFirst() {
        story.bucket();
        story.tells(10, 350);
        story.ahead = tokens(100);
        assertThat(story.due(100)).isEqualTo(20);
        story.ahead = Cost.NONE.and("tokens", 100); // those are not there
        assertThat(story.due(100)).isEqualTo(10);
    }

    @Test
    void thoseBeforeItThatNobodyEstimatedTakeWhatOthersTook() {
        story.bucket();
        story.leaves(4, tokens(1)); // estimates are given, not learned
        story.law.ended(Outcome.RATE_LIMITED, Moment.sentAt(4), 0);
        story.tells(10, 500);
        story.leaves(11, Cost.ONE);
        story.answers(11, 12, Cost.ONE, 480); // at 11.5 s there would be 515
        CostRatio taken = new CostRatio(0, 0.8);
        taken.add(35);
        story.tells(20, 350);
        story.ahead = Cost.requests(3);
        assertThat(nanos(story.due(100))).isEqualTo(nanos(20 + 3 * taken.mean() / 10));
    }

    @Test
    void noWaitIsLongerThanTheLongestInterval() {
        CostStory hasty = new CostStory(30).bucket();
        hasty.tells(10, 0, 100);
        assertThat(hasty.due(900)).isEqualTo(40);
        hasty.at(25);
        assertThat(hasty.due(900)).isEqualTo(40);
        hasty.at(45);
        assertThat(hasty.due(900)).isEqualTo(45);
    }

    @Test
    void aBucketThatIsFullLaterThanAnEmptyOneIsInDebt() {
        story.bucket();
        story.tells(10, 0, 100);
        assertThat(story.due(100)).isEqualTo(45);
        story.tells(20, 0, 130);
        assertThat(story.due(100)).isEqualTo(85);
        story.tells(30, 1, 130); // no debt where something is left
        assertThat(story.due(100)).isBetween(60.0, 70.0);
    }

    @Test
    void withoutATimeNobodyKnowsWhenMoreComesBackAndOneAsksSoon() {
        story.tells(0, 1_000, NOT_TOLD);
        story.tells(10, 500, NOT_TOLD);
        assertThat(story.due(250)).isEqualTo(10);
        assertThat(story.due(251)).isEqualTo(10.25);
        story.wire = 1; // its answer will tell
        assertThat(story.due(251)).isEqualTo(SIGNAL);
        story.wire = 0;
        story.tells(20, 500, NOT_TOLD);
        assertThat(story.due(251)).isEqualTo(20.25);
    }

    @Test
    void whereOnlyTheResetIsKnownOneAsksThen() {
        story.tells(0, 1_000, NOT_TOLD);
        story.tells(10, 0, 50);
        assertThat(story.due(100)).isEqualTo(60);
        story.wire = 1; // its answer will tell
        assertThat(story.due(100)).isEqualTo(SIGNAL);
        story.at(60);
        story.wire = 0;
        assertThat(story.due(100)).isEqualTo(60);
    }

    @Test
    void whereOnlyAFarResetIsKnownOneAsksAfterTwoMinutes() {
        story.tells(0, 1_000, NOT_TOLD);
        story.tells(10, 0, 9_000);
        assertThat(story.due(100)).isEqualTo(130);
        story.at(100);
        assertThat(story.due(100)).isEqualTo(130);
        story.at(130);
        assertThat(story.due(100)).isEqualTo(130);
        story.leaves(130, tokens(100));
        story.wire = 1;
        assertThat(story.due(100)).isEqualTo(SIGNAL);
    }

    @Test
    void theLengthOfAWindowTellsHowFastItComesBackOnAverage() {
        story.length = 200;
        story.tells(0, 1_000, NOT_TOLD);
        story.tells(10, 300, NOT_TOLD);
        assertThat(story.due(100)).isEqualTo(20);
    }

    @Test
    void theLimitIsTheMostThatWasLeftWhereItIsNotTold() {
        story.limit = null;
        story.length = 100;
        story.tells(0, 400, NOT_TOLD);
        story.tells(1, 800, NOT_TOLD);
        story.tells(2, 200, NOT_TOLD);
        assertThat(story.due(100)).isEqualTo(2 + 100 / 8.0); // 100 and a quarter of 800, at 8 a second
    }

    @Test
    void aLimitOfNothingIsNotBelieved() {
        story.bucket();
        story.limit = 0L;
        story.tells(10, 0, 100);
        assertThat(story.due(100)).isEqualTo(45);
    }

    @Test
    void anEstimateThatComesLaterMayHaveBeenLearnedFromWhatOthersTook() {
        story.bucket();
        story.leaves(10, Cost.ONE);
        story.answers(10, 10, Cost.ONE, 315);
        story.tells(20, 350);
        double most = 35 * Math.exp(3.5 * 0.8);
        assertThat(nanos(story.due(100))).isEqualTo(nanos(20 + (most - 350) / 10));
    }

    @Test
    void whatTheFirstAnswerWasToTellsWhetherEstimatesAreGiven() {
        story.answer(0, 0, Cost.ONE, 500, 50);
        double mean = 500 * Math.exp(0.8 * 0.8); // of one that took 500, with the spread that is assumed
        assertThat(nanos(story.due(100))).isEqualTo(nanos((mean - 500) / 10));
        CostStory given = new CostStory();
        given.answer(0, 0, tokens(100), 900, 10);
        given.leaves(1, Cost.ONE);
        given.tells(2, 350);
        assertThat(given.due(0)).isEqualTo(2);
    }
}
