package dev.throttle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import org.junit.jupiter.api.Test;

class NanosTest {

    @Test
    void theLaterCountsAlsoWhereTheClockOverflows() {
        assertThat(Nanos.later(3, 5)).isEqualTo(5);
        assertThat(Nanos.later(5, 3)).isEqualTo(5);
        assertThat(Nanos.later(Long.MAX_VALUE - 1, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void whatIsNotKnownYetIsLaterThanAll() {
        assertThat(Nanos.later(RateController.UNTIL_SIGNAL, Long.MIN_VALUE)).isEqualTo(RateController.UNTIL_SIGNAL);
        assertThat(Nanos.later(3, RateController.UNTIL_SIGNAL)).isEqualTo(RateController.UNTIL_SIGNAL);
    }
}
