package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a server's word keeps a key closed. */
class GateTest {

    private static final Quota EMPTY = new Quota("a", 10L, 0L, Duration.ofSeconds(50), null);
    private static final Quota EMPTY_FOR_LONGER = new Quota("b", 10L, 0L, Duration.ofHours(1), null);
    private static final Quota FULL = new Quota("c", 10L, 10L, Duration.ofHours(2), null);

    @Test
    void retryAfterOfARefusalBeatsEveryReset() {
        assertThat(seconds(Outcome.RATE_LIMITED, 5L, null, EMPTY, EMPTY_FOR_LONGER))
                .isEqualTo(5);
        assertThat(seconds(Outcome.BUSY, 0L, null, EMPTY)).isZero();
    }

    @Test
    void withoutItTheLastResetOfTheExhaustedQuotasCounts() {
        assertThat(seconds(Outcome.RATE_LIMITED, null, 60L, EMPTY, FULL)).isEqualTo(50);
        assertThat(seconds(Outcome.RATE_LIMITED, null, null, EMPTY, EMPTY_FOR_LONGER, FULL))
                .isEqualTo(3600);
    }

    @Test
    void withoutAnyTimeTheFloorCounts() {
        assertThat(seconds(Outcome.RATE_LIMITED, null, 60L, FULL)).isEqualTo(60);
        assertThat(seconds(Outcome.RATE_LIMITED, null, null, FULL)).isZero();
    }

    @Test
    void anAnswerClosesOnlyForExhaustedQuotas() {
        assertThat(seconds(Outcome.SUCCESS, 5L, 60L, FULL)).isZero();
        assertThat(seconds(Outcome.SUCCESS, 5L, 60L, EMPTY)).isEqualTo(50);
    }

    @Test
    void anAnswerClosesForTenMinutesAtMostAndARefusalForADay() {
        assertThat(seconds(Outcome.SUCCESS, null, null, EMPTY_FOR_LONGER)).isEqualTo(600);
        assertThat(seconds(Outcome.RATE_LIMITED, 259_200L, null)).isEqualTo(86_400);
        assertThat(seconds(Outcome.RATE_LIMITED, 1L << 31, null)).isEqualTo(86_400);
    }

    @Test
    void jitterOnlyAdds() {
        Gate gate = new Gate(0.5, Duration.ofSeconds(3), true);
        gate.onSignal(signal(Outcome.RATE_LIMITED, 4L, null), 0.5, 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(5).toNanos());
        gate.onSignal(signal(Outcome.RATE_LIMITED, 100L, null), 1, 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(103).toNanos());
    }

    @Test
    void aShorterWordDoesNotOpenWhatALongerOneClosed() {
        Gate gate = new Gate(0, Duration.ZERO, true);
        gate.onSignal(signal(Outcome.RATE_LIMITED, 9L, null), 0, 0);
        gate.onSignal(signal(Outcome.RATE_LIMITED, 5L, null), 0, 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(9).toNanos());
    }

    @Test
    void whereAStrategyPlansResetsOnlyRetryAfterAndTheFloorCount() {
        Gate gate = new Gate(0, Duration.ZERO, false);
        gate.onSignal(signal(Outcome.SUCCESS, null, null, EMPTY), 0, 0);
        gate.onSignal(signal(Outcome.RATE_LIMITED, null, null, EMPTY), 0, 0);
        assertThat(gate.waitAt(0)).isEqualTo(Wait.NONE);
        gate.onSignal(signal(Outcome.RATE_LIMITED, null, 3L, EMPTY), 0, 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(3).toNanos());
        gate.onSignal(signal(Outcome.RATE_LIMITED, 5L, 60L, EMPTY), 0, 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(5).toNanos());
    }

    private static long seconds(Outcome outcome, @Nullable Long retryAfter, @Nullable Long floor, Quota... quotas) {
        Gate gate = new Gate(0, Duration.ZERO, true);
        gate.onSignal(signal(outcome, retryAfter, floor, quotas), 0, 0);
        return Duration.ofNanos(gate.waitNanos(0)).toSeconds();
    }

    private static Signal signal(Outcome outcome, @Nullable Long retryAfter, @Nullable Long floor, Quota... quotas) {
        return new Signal(outcome, new RateHints(duration(retryAfter), List.of(quotas), duration(floor)));
    }

    private static @Nullable Duration duration(@Nullable Long seconds) {
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }
}
