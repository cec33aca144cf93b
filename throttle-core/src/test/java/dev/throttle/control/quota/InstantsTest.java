package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InstantsTest {

    @Test
    void theLaterCountsAlsoWhereTheClockOverflows() {
        assertThat(Instants.later(3, 5)).isEqualTo(5);
        assertThat(Instants.later(5, 3)).isEqualTo(5);
        assertThat(Instants.later(Long.MAX_VALUE - 1, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        assertThat(Instants.later(RateController.UNTIL_SIGNAL, Long.MIN_VALUE)).isEqualTo(RateController.UNTIL_SIGNAL);
        assertThat(Instants.later(3, RateController.UNTIL_SIGNAL)).isEqualTo(RateController.UNTIL_SIGNAL);
    }

    @Test
    void durationsAreSeconds() {
        assertThat(Instants.seconds(Duration.ofMillis(1_500))).isEqualTo(1.5);
        assertThat(Instants.seconds(null)).isNaN();
        assertThat(Instants.secondsSince(1_000_000_000, 3_500_000_000L)).isEqualTo(2.5);
        assertThat(Instants.secondsSince(3_500_000_000L, 1_000_000_000)).isZero();
    }
}
