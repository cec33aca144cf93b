package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.SIGNAL;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several quotas of 1,000 that get 10 a second. */
class UnitPacerLawsTest {

    private final UnitPacer pacer =
            new UnitPacer(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0), new SplittableRandom(1));

    private static Quota quota(@Nullable String policy, String unit, @Nullable Long remaining) {
        Duration reset = remaining == null ? null : Duration.ofMillis((1_000 - remaining) * 100);
        return new Quota(policy, 1_000L, remaining, reset, null, unit, null);
    }

    private static Quota tokens(long remaining) {
        return quota(null, Quota.TOKENS, remaining);
    }

    private static Quota points(long remaining) {
        return quota(null, Quota.POINTS, remaining);
    }

    private void read(double at, boolean refused, boolean answered, @Nullable Duration wait, Quota... quotas) {
        Traffic load = Traffic.QUIET.cost(Cost.of(Quota.TOKENS, 100)).admittedAt(nanos(at));
        pacer.read(new RateHints(wait, Arrays.asList(quotas)), refused, false, answered, load, nanos(at));
    }

    private void tells(double at, Quota... quotas) {
        read(at, false, true, null, quotas);
    }

    /** A refusal is not learned from. */
    private void begins(Quota... quotas) {
        for (int i = 0; i < 4; i++) {
            read(i, true, true, null, quotas);
        }
    }

    private static Cost costs(long tokens) {
        return Cost.of(Quota.TOKENS, tokens);
    }

    private double due(double now, Cost cost) {
        return Moment.seconds(pacer.dueNanos(Cost.NONE, cost, 0, nanos(now)));
    }

    @Test
    void onlyWhatIsLeftOfOtherUnitsThanRequestsIsPaced() {
        tells(0, quota(null, Quota.REQUESTS, 0L), quota(null, Quota.CONCURRENT_REQUESTS, 0L));
        tells(0, quota(null, Quota.TOKENS, null));
        assertThat(pacer.isEmpty()).isTrue();
        assertThat(due(7, costs(5_000))).isEqualTo(7);
        tells(0, tokens(5));
        assertThat(pacer.isEmpty()).isFalse();
        assertThat(due(0, costs(0))).isEqualTo(24.5);
    }

    @Test
    void theSlowestDecides() {
        begins(tokens(240), points(230));
        assertThat(due(3, costs(0).and(Quota.POINTS, 0))).isEqualTo(5);
        tells(4, tokens(200), points(230));
        assertThat(due(4, costs(0).and(Quota.POINTS, 0))).isEqualTo(9);
        assertThat(due(4, costs(100).and(Quota.POINTS, 0))).isEqualTo(19);
    }

    @Test
    void aSignalIsLaterThanAnyTime() {
        Quota silent = new Quota(null, 1_000L, 10L, null, null, Quota.TOKENS, null);
        read(0, true, true, null, silent, points(500));
        tells(1, silent, points(100));
        assertThat(Moment.seconds(pacer.dueNanos(Cost.NONE, costs(900), 1, nanos(1))))
                .isEqualTo(SIGNAL);
    }

    @Test
    void noMoreThanEightArePaced() {
        List<Quota> quotas = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            quotas.add(quota("p" + i, Quota.TOKENS, 1_000L));
        }
        quotas.add(quota("p8", Quota.TOKENS, 0L));
        begins(quotas.toArray(Quota[]::new));
        assertThat(due(3, costs(100))).isEqualTo(3);
        quotas.set(7, quota("p7", Quota.TOKENS, 100L));
        tells(4, quotas.toArray(Quota[]::new));
        assertThat(due(4, costs(0))).isEqualTo(19);
    }

    @ParameterizedTest
    @EnumSource
    void whatTheServerMayHaveCountedIsTakenOff(Outcome outcome) {
        begins(tokens(200));
        pacer.admitted(costs(100), nanos(3), nanos(3));
        assertThat(due(3, costs(0))).isEqualTo(18);
        pacer.ended(outcome, nanos(3), nanos(4));
        boolean counted = outcome == Outcome.SUCCESS || outcome == Outcome.CANCELLED || outcome.isFault();
        assertThat(due(3, costs(0))).isEqualTo(counted ? 18 : 8);
    }

    @Test
    void whatEndedIsToldOfByItsAnswer() {
        begins(tokens(200));
        pacer.admitted(costs(100), nanos(4), nanos(4));
        pacer.ended(Outcome.SUCCESS, nanos(4), nanos(4));
        tells(4, tokens(110));
        assertThat(due(4, costs(0))).isEqualTo(18);
    }

    @Test
    void whatIsSettledIsTakenOff() {
        begins(tokens(200));
        pacer.admitted(costs(100), nanos(3), nanos(3));
        pacer.settled(costs(100), costs(40), nanos(3), nanos(4));
        assertThat(due(3, costs(0))).isEqualTo(12);
    }

    @Test
    void aQuotaThatSixteenAnswersDidNotTellOfIsForgotten() {
        begins(tokens(10), points(1_000));
        for (int i = 0; i < 17; i++) {
            assertThat(due(3, costs(0).and(Quota.POINTS, 0))).isEqualTo(27);
            tells(4 + i, points(1_000));
        }
        tells(30, points(500));
        assertThat(due(30, costs(0))).isEqualTo(30);
        for (int i = 0; i < 20; i++) {
            read(31 + i, false, false, null); // bodies
        }
        assertThat(pacer.isEmpty()).isFalse();
        for (int i = 0; i < 17; i++) {
            tells(51 + i, quota(null, Quota.POINTS, null));
        }
        assertThat(pacer.isEmpty()).isTrue();
    }

    @Test
    void aBodyThatSaysWhenToComeBackRefuses() {
        begins(tokens(200));
        read(10, false, false, Duration.ofMillis(3_900), tokens(20));
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(60));
        read(11, false, true, Duration.ofMillis(3_900), tokens(20)); // an answer that accepts
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(50));
    }

    @Test
    void aSilentRefusalTellsThatItTakesMoreThanIsLeft() {
        begins(tokens(200));
        read(10, true, true, null, tokens(40));
        assertThat(pacer.explains(costs(50))).isTrue();
        assertThat(pacer.explains(costs(40))).isFalse();
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(52));
        read(11, false, true, null, tokens(40));
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(50));
    }

    @Test
    void ofTwoQuotasNobodyKnowsWhichHasRefused() {
        begins(tokens(200), points(200));
        read(10, true, true, Duration.ofMillis(3_900), tokens(20), points(900));
        assertThat(pacer.explains(costs(50).and(Quota.POINTS, 50))).isTrue();
        assertThat(pacer.explains(costs(1).and(Quota.POINTS, 50))).isFalse();
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(50));
        assertThat(pacer.standAsideNanos(1)).isZero();
    }

    @Test
    void whereSomethingElseIsUsedUpARefusalTellsNothing() {
        begins(tokens(200));
        read(10, true, true, Duration.ofMillis(3_900), tokens(20), quota(null, Quota.REQUESTS, 0L));
        assertThat(pacer.costAfterRefusal(costs(50))).isEqualTo(costs(50));
    }

    @Test
    void aQuotaThatComesBackAfterSixteenAnswersIsStillKnown() {
        begins(tokens(200));
        for (int i = 0; i < 16; i++) {
            tells(4 + i);
        }
        tells(20, tokens(0)); // an empty one does not tell how fast it fills
        assertThat(due(20, costs(0))).isEqualTo(45);
    }

    private void othersCome() {
        begins(tokens(850));
        pacer.admitted(costs(100), nanos(11), nanos(11));
        pacer.ended(Outcome.SUCCESS, nanos(11), nanos(11));
        tells(11, tokens(300));
        pacer.settled(costs(100), costs(100), nanos(11), nanos(11));
        due(11, costs(100));
    }

    @Test
    void aRefusedRequestStandsAsideForOthersAndForTheRest() {
        othersCome();
        read(12, true, true, Duration.ofSeconds(40), tokens(310));
        double longer = 1 + 0.8 * new SplittableRandom(1).nextDouble();
        assertThat(pacer.standAsideNanos(1)).isEqualTo(Math.round(40e9 * longer));
    }

    @Test
    void whereSomethingElseIsUsedUpNobodyStandsAside() {
        othersCome();
        read(12, true, true, Duration.ofSeconds(40), tokens(310), quota(null, Quota.REQUESTS, 0L));
        assertThat(pacer.standAsideNanos(1)).isZero();
    }
}
