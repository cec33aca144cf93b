package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DampingTest {

    private static final long SECOND = 1_000_000_000L;

    private final Tuning tuning = new Tuning();
    private final Damping damping = new Damping(tuning);

    /** The count swings from far above its target to far below, and back, each time after so many seconds. */
    private long swing(int times, int seconds) {
        long now = 0;
        for (int i = 0; i < times; i++) {
            damping.read(i % 2 == 0 ? 1.5 : -1.5, now);
            now += seconds * SECOND;
        }
        return now - seconds * SECOND;
    }

    @Test
    void aCountThatStaysOnOneSideIsFollowedAsFastAsUsual() {
        for (int second = 0; second < 100; second++) {
            damping.read(second % 2 == 0 ? 2.5 : 0.5, second * SECOND);
        }
        assertThat(damping.factor()).isEqualTo(1);
        assertThat(damping.now()).isEqualTo(1);
    }

    @Test
    void smallErrorsAreNoSwing() {
        for (int second = 0; second < 100; second++) {
            damping.read(second % 2 == 0 ? 0.99 : -0.99, second * SECOND);
        }
        assertThat(damping.factor()).isEqualTo(1);
    }

    @Test
    void eachSwingDampsMore() {
        swing(3, 30);
        double twice = damping.factor();
        assertThat(twice).isCloseTo(tuning.damping * tuning.damping, within(0.02));
        damping.forget();
        swing(6, 30);
        assertThat(damping.factor()).isLessThan(0.5 * twice);
    }

    @Test
    void whatIsNotAddedUpIsAnsweredAtOnce() {
        swing(6, 30);
        double rest = 1 - damping.factor();
        damping.read(-0.5, 151 * SECOND);
        assertThat(damping.now()).isCloseTo(Math.exp(0.5 * rest), within(0.02)); // little is left: slower
        damping.read(0.5, 152 * SECOND);
        assertThat(damping.now()).isCloseTo(Math.exp(-0.5 * rest), within(0.02)); // much is left: faster
    }

    @Test
    void aFastSwingIsForgottenSoonerThanASlowOne() {
        long end = swing(8, 1);
        damping.read(0, end + 100 * SECOND);
        assertThat(damping.factor()).isCloseTo(1, within(0.05));
        damping.forget();
        end = swing(8, 60);
        damping.read(0, end + 100 * SECOND);
        assertThat(damping.factor()).isLessThan(0.3);
    }

    @Test
    void noErrorIsSoLargeThatItStopsAll() {
        swing(40, 60);
        damping.read(Double.POSITIVE_INFINITY, 2400 * SECOND);
        assertThat(damping.now()).isGreaterThan(0.04);
        damping.read(Double.NEGATIVE_INFINITY, 2400 * SECOND);
        assertThat(damping.now()).isLessThan(21);
    }

    @Test
    void fromAnErrorOfOneOnItIsLarge() {
        damping.read(1, 0);
        damping.read(-1, 10 * SECOND);
        assertThat(damping.factor()).isEqualTo(tuning.damping);
        damping.read(0.99, 10 * SECOND);
        assertThat(damping.factor()).isEqualTo(tuning.damping);
        damping.read(1, 10 * SECOND);
        assertThat(damping.factor()).isEqualTo(tuning.damping * tuning.damping);
    }

    /** A swing of ten seconds: in 300 s all is forgotten, and in 30 s a tenth of it. */
    @Test
    void theFactorComesBackInThirtySwings() {
        double missing = 1 - tuning.damping;
        damping.read(1, SECOND);
        damping.read(-1, 11 * SECOND);
        damping.read(-0.5, 41 * SECOND);
        assertThat(damping.factor()).isCloseTo(1 - 0.9 * missing, within(1e-12));
        assertThat(damping.now()).isCloseTo(Math.exp(0.5 * 0.9 * missing), within(1e-12));
        damping.read(0, 71 * SECOND);
        assertThat(damping.factor()).isCloseTo(1 - 0.81 * missing, within(1e-12));
        damping.read(0, 371 * SECOND);
        assertThat(damping.factor()).isEqualTo(1);
        assertThat(damping.now()).isEqualTo(1);
    }

    /** The time from one large error to the first on the other side, and a millisecond at least. */
    @Test
    void aSwingLastsFromItsFirstLargeError() {
        damping.read(1, 0);
        damping.read(1.5, 4 * SECOND);
        damping.read(-1, 10 * SECOND);
        damping.read(0, 40 * SECOND);
        assertThat(damping.factor()).isCloseTo(1 - 0.9 * (1 - tuning.damping), within(1e-12));
        damping.forget();
        damping.read(1, 50 * SECOND);
        damping.read(-1, 50 * SECOND);
        damping.read(0, 50 * SECOND + 3_000_000);
        assertThat(damping.factor()).isCloseTo(1 - 0.9 * (1 - tuning.damping), within(1e-12));
    }

    @Test
    void whatIsForgottenWasNoSwing() {
        damping.read(-2, 0);
        damping.forget();
        assertThat(damping.now()).isEqualTo(1);
        damping.read(2, SECOND);
        assertThat(damping.factor()).isEqualTo(1);
    }

    @Test
    void anErrorIsThreeAtMost() {
        damping.read(1, 0);
        damping.read(-9, SECOND);
        assertThat(damping.now()).isCloseTo(Math.exp(3 * (1 - tuning.damping)), within(1e-12));
        damping.read(9, SECOND);
        double rest = 1 - tuning.damping * tuning.damping;
        assertThat(damping.now()).isCloseTo(Math.exp(-3 * rest), within(1e-12));
    }
}
