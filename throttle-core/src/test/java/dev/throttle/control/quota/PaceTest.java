package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {

    private static final long SECOND = 1_000_000_000L;

    private final Pace pace = new Pace(() -> 5);

    @Test
    void noFactorMakesAWaitLongerThanTheLongestInterval() {
        pace.interval(2);
        pace.admitted(1, 1, 0);
        assertThat(pace.dueNanos(0, 2, 0)).isEqualTo(4 * SECOND);
        assertThat(pace.dueNanos(0, 16, 0)).isEqualTo(5 * SECOND);
        assertThat(pace.dueNanos(1, 16, 0)).isEqualTo(10 * SECOND);
        assertThat(pace.dueNanos(0, 0.5, 0)).isEqualTo(SECOND);
    }
}
