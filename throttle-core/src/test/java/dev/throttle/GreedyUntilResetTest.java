package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Full speed, and then a wait for the time that the server named. */
class GreedyUntilResetTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(
                    Strategies.greedyUntilReset().build())
            .maxWait(Duration.ofDays(1))
            .build();

    @Test
    void allOfAWindowIsSpentAtOnceAndNobodyLeavesBeforeTheReset() {
        Callers callers =
                new Callers(line.time, throttle, Duration.ofMillis(100), new Window(line.time, 300, 300)).untiring(10);
        line.time.advance(Duration.ofSeconds(310));
        assertThat(callers.accepted(0, 4)).isEqualTo(300);
        assertThat(callers.refused()).isLessThanOrEqualTo(20);
        assertThat(callers.between(4, 299)).isEmpty();
        assertThat(callers.accepted(299, 310)).isPositive();
    }

    @Test
    void aRefusalWithoutATimeDelaysOnlyTheRefusedCall() {
        int[] answers = {0};
        Callers callers = new Callers(
                        line.time, throttle, Duration.ofMillis(100), () -> Heads.status(++answers[0] == 5 ? 429 : 200))
                .untiring(2);
        line.time.advance(Duration.ofSeconds(10));
        assertThat(callers.sent).hasSizeGreaterThan(150);
        assertThat(callers.longestWait()).isBetween(1.0, 2.0);
    }
}
