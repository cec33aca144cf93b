package dev.throttle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RoundTripTest {

    private final RoundTrip roundTrip = new RoundTrip();

    @Test
    void nothingIsKnownAtFirst() {
        assertThat(roundTrip.slowNanos()).isZero();
        roundTrip.add(-5);
        assertThat(roundTrip.slowNanos()).isEqualTo(1);
    }

    @Test
    void aSteadyTimeBecomesTheEstimate() {
        for (int i = 0; i < 100; i++) {
            roundTrip.add(1_000_000);
        }
        assertThat(roundTrip.slowNanos()).isBetween(1_000_000L, 1_000_010L);
    }

    @Test
    void fewAnswersExceedIt() {
        SplittableRandom random = new SplittableRandom(1);
        int late = 0;
        for (int i = 0; i < 10_000; i++) {
            long time = random.nextLong(80_000_000, 120_000_000);
            late += i > 100 && time > roundTrip.slowNanos() ? 1 : 0;
            roundTrip.add(time);
        }
        assertThat(late).isLessThan(200);
        assertThat(roundTrip.slowNanos()).isLessThan(180_000_000);
    }

    @Test
    void itFollowsAChangeOfTheWay() {
        for (int i = 0; i < 100; i++) {
            roundTrip.add(1_000_000);
        }
        roundTrip.add(100_000_000);
        assertThat(roundTrip.slowNanos()).isGreaterThan(100_000_000);
        for (int i = 0; i < 60; i++) {
            roundTrip.add(1_000_000);
        }
        assertThat(roundTrip.slowNanos()).isLessThan(2_000_000);
    }
}
