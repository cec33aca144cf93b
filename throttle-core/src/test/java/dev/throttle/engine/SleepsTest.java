package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.SleepController;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Signal;
import org.junit.jupiter.api.Test;

/** Sleeps with their jitter. */
class SleepsTest {

    private record Sleep(double sleepSeconds, double firstSleepSeconds, double jitter) implements SleepController {

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            return 0;
        }
    }

    @Test
    void theJitterIsAddedInPart() {
        Sleep sleep = new Sleep(1, 1, 0.5);
        assertThat(Sleeps.withJitter(1_000, sleep, 0)).isEqualTo(1_000);
        assertThat(Sleeps.withJitter(1_000, sleep, 0.5)).isEqualTo(1_250);
        assertThat(Sleeps.withJitter(1_000, sleep, 1)).isEqualTo(1_500);
    }

    @Test
    void theLongestIsThatOfACallerWithoutLuck() {
        assertThat(Sleeps.longestNanos(new Sleep(2, 4, 0.5))).isEqualTo(6_000_000_000L);
        assertThat(Sleeps.longestNanos(new Sleep(4, 2, 0.5))).isEqualTo(6_000_000_000L);
        assertThat(Sleeps.longestNanos(new Sleep(Double.MAX_VALUE, 0, 1))).isBetween(Nanos.MAX - 1, Nanos.MAX);
    }
}
