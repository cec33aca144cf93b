package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Scope;
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
    void ofSeveralHoldsTheLastCountsUntilEachIsLifted() {
        Gate gate = new Gate(0, Duration.ZERO, true);
        Gate.Hold[] holds = {new Gate.Hold(), new Gate.Hold(), new Gate.Hold(), new Gate.Hold()};
        gate.hold(holds[0], signal(Outcome.RATE_LIMITED, 5L, null), 0);
        gate.hold(holds[1], signal(Outcome.BUSY, 7L, null), 0);
        gate.hold(holds[2], signal(Outcome.BUSY, 7L, null), 0);
        gate.hold(holds[3], signal(Outcome.BUSY, null, null), 0);
        gate.onSignal(signal(Outcome.RATE_LIMITED, 2L, null), 0, 0);
        long[] seconds = {7, 7, 5, 2};
        int[] order = {1, 2, 0, 3};
        for (int i = 0; i < 4; i++) {
            assertThat(gate.waitAt(Scope.ALL, 0))
                    .isEqualTo(Wait.of(Duration.ofSeconds(seconds[i]).toNanos(), Gate.RETRY_AFTER));
            gate.lift(holds[order[i]]);
            gate.lift(holds[order[i]]);
        }
        assertThat(gate.waitNanos(0))
                .as("what was learned")
                .isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void aHoldEndsByItself() {
        Gate gate = new Gate(0, Duration.ZERO, true);
        gate.hold(new Gate.Hold(), signal(Outcome.RATE_LIMITED, null, null), 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(1).toNanos());
        gate.hold(new Gate.Hold(), signal(Outcome.RATE_LIMITED, 1L << 31, null), 0);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofDays(1).toNanos());
    }

    @Test
    void aHoldHidesNothingThatIsLearnedMeanwhile() {
        Gate gate = new Gate(0, Duration.ZERO, true);
        Gate.Hold hold = new Gate.Hold();
        gate.hold(hold, signal(Outcome.RATE_LIMITED, 10L, null), 0);
        gate.onSignal(signal(Outcome.RATE_LIMITED, 5L, null), 0, 0);
        gate.lift(hold);
        assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(5).toNanos());
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
    void ofEqualWordsTheOneWithTheLongerSpreadHolds() {
        for (double[] draws : new double[][] {{0, 1}, {1, 0}}) {
            Gate gate = new Gate(0.5, Duration.ofMinutes(1), true);
            for (double draw : draws) {
                gate.onSignal(signal(Outcome.RATE_LIMITED, 4L, null), draw, 0);
            }
            assertThat(gate.waitNanos(0)).isEqualTo(Duration.ofSeconds(6).toNanos());
        }
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
        assertThat(gate.waitAt(Scope.ALL, 0)).isEqualTo(Wait.NONE);
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
