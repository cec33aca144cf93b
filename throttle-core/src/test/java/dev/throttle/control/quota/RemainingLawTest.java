package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** By how much an answer makes the interval longer, with the gains as they are. */
class RemainingLawTest {

    private static final Offset<Double> ALMOST = within(1e-12);

    private final Tuning tuning = new Tuning();

    private double step(double interval, double error, double remaining, double change) {
        return RemainingLaw.step(tuning, interval, error, remaining, change);
    }

    private double atReference(double error, double remaining, double change) {
        return step(tuning.reference, error, remaining, change);
    }

    @Test
    void belowTheTargetWhoSeesTheCountRiseDoesNotBrake() {
        assertThat(atReference(-1, 5, 1)).isZero();
    }

    @Test
    void belowTheTargetWhoSeesItStandBrakesALittleAndFullyWhenNothingIsLeft() {
        assertThat(atReference(-1, 5, 0)).isEqualTo(tuning.flatWeight * tuning.slowGain, ALMOST);
        assertThat(atReference(-2, 0, 0)).isEqualTo(2 * tuning.slowGain, ALMOST);
    }

    @Test
    void belowTheTargetWhoSeesItFallBrakesByTheFallToo() {
        assertThat(atReference(-1, 4, -5)).isEqualTo(tuning.slowGain + tuning.news * Math.log(2), ALMOST);
    }

    @Test
    void aboveTheTargetEverybodySpeedsUp() {
        assertThat(atReference(1, 50, 0)).isEqualTo(-tuning.speedGain, ALMOST);
        assertThat(atReference(1, 50, 3)).isEqualTo(-tuning.speedGain, ALMOST);
        assertThat(atReference(0, 50, 0)).isZero();
    }

    @Test
    void whoSeesItFallSpeedsUpOnlyAsFarAsItWillStayAbove() {
        double lasting = 1 + Math.log(70.5 / 100.5); // in three answers 70 of 100 are left
        assertThat(atReference(1, 100, -10)).isEqualTo(-tuning.speedGain * lasting, ALMOST);
        assertThat(atReference(1, 10, -10)).isZero();
    }

    @Test
    void whoWasHeldBackLongerCatchesUp() {
        assertThat(step(2 * tuning.reference, 1, 50, 0)).isEqualTo(-2 * tuning.speedGain, ALMOST);
        assertThat(step(100 * tuning.reference, 1, 50, 0)).isEqualTo(-tuning.catchUp * tuning.speedGain, ALMOST);
        assertThat(step(1.1 * tuning.reference, 3, 50, 0)).isEqualTo(-3 * tuning.speedGain, ALMOST);
        assertThat(step(1.2 * tuning.reference, 2.9, 50, 0)).isEqualTo(-Math.log(1.2), ALMOST); // not beyond
        assertThat(step(0.1 * tuning.reference, 1, 50, 0)).isEqualTo(-tuning.speedGain, ALMOST);
    }

    @Test
    void everyIntervalIsDrawnToTheReference() {
        assertThat(RemainingLaw.lean(tuning, tuning.reference)).isZero();
        assertThat(RemainingLaw.lean(tuning, tuning.reference * Math.E)).isEqualTo(tuning.lean, ALMOST);
    }
}
