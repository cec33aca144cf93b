package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FirstHitTest {

    private final FirstHit law = new FirstHit();

    private void read(double untilReset) {
        law.read(untilReset, 0.1, nanos(0.1));
    }

    @Test
    void oneWindowTellsNothing() {
        assertThat(law.length()).isZero();
        read(10.4);
        assertThat(law.length()).isZero();
        assertThat(law.isUntried()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.3, 10.9, 10",
        "10.01, 11.09, 10", // a second and the time on the wire
        "10.01, 11.15, 0", // too far apart
        "11, 11, 10", // each began with a request that waited for the reset
        "9.9, 10, 0", // they begin by the clock
        "23, 57, 0",
        "59.6, 59.8, 0",
        "60.4, 60.2, 60",
        "1.99, 1.5, 1",
        "0.6, 1, 1", // no shorter one is told in whole seconds
        "2, 2, 1", // or two seconds by the clock
        "3600.5, 3600.9, 3600"
    })
    void theLengthIsTheRoundOneThatFits(double first, double second, double length) {
        read(first);
        read(second);
        assertThat(law.length()).isEqualTo(length);
        assertThat(law.isUntried()).isEqualTo(length > 0);
    }

    @Test
    void aWindowEndsThreeQuartersOfARoundTripBeforeItsFirstAnswerIsALengthOld() {
        read(10.4);
        read(10.6);
        assertThat(law.end(nanos(100), nanos(111))).isEqualTo(nanos(110 - 0.075 + 0.002));
        read(10.7);
        assertThat(law.isUntried()).isFalse();
    }

    @Test
    void aRequestThatWasTooEarlyMakesItCareful() {
        read(10.4);
        read(10.6);
        long end = law.end(nanos(100), nanos(111));
        assertThat(law.late(end, nanos(111))).isEqualTo(nanos(110.004));
        assertThat(law.length()).isEqualTo(10);
        read(10.5);
        assertThat(law.end(nanos(200), nanos(211))).isEqualTo(nanos(210.002));
        assertThat(law.late(nanos(210.002), nanos(211))).isEqualTo(nanos(211));
        assertThat(law.length()).isZero(); // a second one shows that it is not the length
        assertThat(law.end(nanos(300), nanos(311))).isEqualTo(nanos(311));
        read(10.4);
        assertThat(law.length()).isZero();
    }
}
