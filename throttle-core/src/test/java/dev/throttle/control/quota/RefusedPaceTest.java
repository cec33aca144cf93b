package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.fixtures.Traffic;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** How refusals lengthen an interval, with the cuts as they are. */
class RefusedPaceTest {

    private static final double SECOND = 1e9;
    private static final Offset<Double> ALMOST = within(1e-9);

    private final Tuning tuning = new Tuning();
    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 60, 5_000_000_000L, 0);
    private final Pace pace = new Pace(() -> 120);
    private final RefusedPace refusals = new RefusedPace(settings, tuning, pace);

    /** A refusal of a request that was let go just before. */
    private boolean refused(boolean accepted, boolean established, long now) {
        return refusals.refused(accepted, established, traffic(now, 1), now);
    }

    private double held(double chance, long now) {
        refusals.hold(chance, now);
        return (pace.dueNanos(0, 0, now) - now) / SECOND;
    }

    @Test
    void whoIsRefusedBeforeAnythingWasAcceptedBeginsWithTheUsualInterval() {
        assertThat(refusals.ever()).isFalse();
        assertThat(refused(false, false, 0)).isFalse();
        assertThat(pace.interval()).isEqualTo(tuning.firstInterval);
        assertThat(refusals.ever()).isTrue();
        assertThat(held(0, 0)).isEqualTo(tuning.firstInterval * tuning.quotaCut, ALMOST);
    }

    @Test
    void whoWasFreeGoesAtHalfTheRateItHad() {
        assertThat(refusals.refused(true, false, traffic(0, 8), 0)).isTrue();
        assertThat(pace.interval()).isEqualTo(0.25);
        assertThat(held(0, 0)).isEqualTo(0.25, ALMOST);
        Pace slow = new Pace(() -> 120);
        new RefusedPace(settings, tuning, slow).refused(true, false, traffic(0, 0.1), 0);
        assertThat(slow.interval()).isEqualTo(2); // one request per second at least
    }

    @Test
    void anEstablishedPaceIsCutALittleEachTime() {
        pace.interval(4);
        assertThat(refused(true, true, 0)).isTrue();
        assertThat(pace.interval()).isEqualTo(4 * tuning.quotaCut, ALMOST);
        assertThat(held(0, 0)).isEqualTo(4, ALMOST);
        assertThat(refused(true, true, 1)).isTrue();
        assertThat(pace.interval()).isEqualTo(4 * tuning.quotaCut * tuning.quotaCut, ALMOST);
        assertThat(refusals.cuts()).isEqualTo(2);
        refusals.startAnew();
        assertThat(refusals.cuts()).isZero();
    }

    @Test
    void aNewcomersPaceIsCutMuchAndThenByWhatItWaits() {
        pace.interval(2);
        assertThat(refused(true, false, 0)).isFalse();
        assertThat(pace.interval()).isEqualTo(2 * tuning.newcomerCut, ALMOST);
        assertThat(refused(true, false, 1)).isFalse();
        assertThat(pace.interval()).isEqualTo(2 * tuning.newcomerCut * tuning.quotaCut, ALMOST);
        assertThat(held(0, 1)).isEqualTo(2 * tuning.newcomerCut * tuning.quotaCut, ALMOST);
    }

    @Test
    void refusalsOfRequestsThatWereOnTheWireTogetherCountAsOne() {
        pace.interval(4);
        refused(true, true, 100);
        assertThat(refusals.refused(true, true, traffic(99, 1), 200)).isTrue();
        assertThat(refusals.refused(true, false, traffic(99, 1), 200)).isFalse();
        assertThat(pace.interval()).isEqualTo(4 * tuning.quotaCut, ALMOST);
        assertThat(refusals.end(traffic(99, 1))).isFalse(); // it left before the refusal
        assertThat(refusals.end(traffic(100, 1))).isTrue();
        assertThat(refusals.end(traffic(101, 1))).isFalse(); // it was not the first
    }

    @Test
    void withoutARefusalNothingEnds() {
        assertThat(refusals.end(traffic(0, 1))).isFalse();
    }

    @Test
    void theIntervalIsNotShorterThanThatOfTheRequestsThatWereSent() {
        pace.interval(0.001);
        refusals.refused(true, true, traffic(0, 20), 0);
        assertThat(pace.interval()).isEqualTo(0.05);
    }

    @Test
    void aRefusedRequestWaitsUpToTwoCutsLongerAtRandom() {
        pace.interval(4);
        refused(true, true, 0);
        assertThat(held(0.5, 0)).isEqualTo(4 * (1 + (tuning.retryTo() - 1) / 2), within(1e-6));
        assertThat(held(1, 0)).isEqualTo(4 * tuning.retryTo(), within(1e-6));
    }

    @Test
    void noWaitIsLongerThanTheLongestInterval() {
        pace.interval(119);
        refused(true, true, 0);
        assertThat(pace.interval()).isEqualTo(120);
        assertThat(held(1, 0)).isEqualTo(120, within(1e-6));
    }

    private static Traffic traffic(long admittedAt, double perSecond) {
        return Traffic.QUIET.admittedAt(admittedAt).admitted(1).perSecond(perSecond);
    }
}
