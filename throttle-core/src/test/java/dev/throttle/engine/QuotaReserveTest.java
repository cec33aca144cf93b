package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Priority;
import dev.throttle.PriorityPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is kept back of a quota of 100 requests a minute for a class that half of it is reserved from. */
class QuotaReserveTest {

    private static final long MILLI = 1_000_000;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Far from zero, as any clock may be. */
    private static final long START = 7_000_000_000L;

    private final QuotaReserve reserve = new QuotaReserve();

    private static Quota requests(long remaining, Duration reset, @Nullable Duration window) {
        return new Quota("minute", 100L, remaining, reset, window);
    }

    private void hears(long now, int inFlight, Quota... quotas) {
        ends(Outcome.SUCCESS, Cost.ONE, now, inFlight, quotas);
    }

    private void ends(Outcome outcome, Cost cost, long now, int inFlight, Quota... quotas) {
        Signal signal = new Signal(outcome, new RateHints(null, List.of(quotas)));
        reserve.onSignal(signal, new TrafficLoad(0, cost, now, inFlight, 1, 0, 0), now);
    }

    /** The wait of a request in milliseconds. */
    private double waitMillis(Cost cost, double share, long now) {
        return (reserve.dueNanos(Cost.NONE, cost, share, now) - now) / (double) MILLI;
    }

    private double waitMillis(long now) {
        return waitMillis(Cost.ONE, 0.5, now);
    }

    @Test
    void aRequestWaitsUntilAnEvenUseWouldLeaveMoreThanTheReserve() {
        hears(START, 0, requests(50, MINUTE, MINUTE));
        assertThat(waitMillis(START)).isEqualTo(1_200); // 49 of 50 that are reserved at first
        assertThat(waitMillis(START + 1_000 * MILLI)).isEqualTo(200);
        assertThat(waitMillis(START + 1_200 * MILLI)).isZero();
        assertThat(waitMillis(Cost.requests(10), 0.5, START)).isEqualTo(12_000);
        assertThat(waitMillis(Cost.ONE, 0.98, START)).isEqualTo(30_000);
    }

    @Test
    void whoNothingIsReservedFromGoesAtOnce() {
        hears(START, 0, requests(1, MINUTE, MINUTE));
        assertThat(waitMillis(Cost.ONE, 0, START)).isZero();
        assertThat(waitMillis(Cost.NONE, 0.5, START)).isZero();
        assertThat(reserve.dueNanos(Cost.NONE, Cost.ONE, START)).isEqualTo(START);
        assertThat(reserve.limitPerSecond()).isInfinite();
        assertThat(reserve.isAdaptive()).isFalse();
    }

    @Test
    void nothingIsKeptFromTheResetOn() {
        hears(START, 0, requests(0, MINUTE, MINUTE));
        assertThat(waitMillis(START)).isEqualTo(60_000);
        assertThat(waitMillis(START + 59_999 * MILLI)).isEqualTo(1);
        assertThat(waitMillis(START + 60_000 * MILLI)).isZero();
    }

    @Test
    void whatIsAdmittedIsTakenAndWhatWasNotCountedComesBack() {
        hears(START, 0, requests(50, MINUTE, MINUTE));
        reserve.onAdmitted(Cost.requests(3), 0, START);
        assertThat(waitMillis(START)).isEqualTo(1_200 * 4);
        ends(Outcome.IGNORED, Cost.requests(2), START, 0);
        assertThat(waitMillis(START)).isEqualTo(1_200 * 2);
        ends(Outcome.SUCCESS, Cost.ONE, START, 0);
        assertThat(waitMillis(START)).isEqualTo(1_200 * 2);
    }

    @Test
    void whatIsOnTheWireMayNotHaveBeenCountedYet() {
        hears(START, 4, requests(50, MINUTE, MINUTE));
        assertThat(waitMillis(START)).isEqualTo(1_200 * 5);
        Quota tokens = new Quota("tokens", 100L, 50L, MINUTE, MINUTE, Quota.TOKENS, null);
        QuotaReserve other = new QuotaReserve();
        Signal signal = new Signal(Outcome.SUCCESS, new RateHints(null, List.of(tokens)));
        other.onHeard(signal, new TrafficLoad(0, Cost.ONE, START, 4, 1, 0, 0), START);
        assertThat(other.dueNanos(Cost.NONE, Cost.of(Quota.TOKENS, 1), 0.5, START) - START)
                .isEqualTo(1_200 * MILLI);
    }

    @Test
    void ofSeveralQuotasTheLongestWaitCounts() {
        Quota hour = new Quota("hour", 1_000L, 499L, Duration.ofHours(1), Duration.ofHours(1));
        hears(START, 0, requests(50, MINUTE, MINUTE), hour);
        assertThat(waitMillis(START)).isEqualTo(2 * 7_200);
        hears(START, 0, hour, requests(0, MINUTE, MINUTE));
        assertThat(waitMillis(START)).isEqualTo(60_000);
    }

    @Test
    void aResetRoundedUpToSecondsIsTheEarliestOfThoseTold() {
        hears(START, 0, requests(0, MINUTE, MINUTE));
        hears(START, 0, requests(0, Duration.ofMillis(61_999), MINUTE));
        assertThat(waitMillis(START)).isEqualTo(60_000);
        hears(START, 0, requests(0, Duration.ofMillis(59_000), MINUTE));
        assertThat(waitMillis(START)).isEqualTo(59_000);
        hears(START, 0, requests(0, Duration.ofMillis(61_000), MINUTE));
        assertThat(waitMillis(START)).isEqualTo(61_000); // two seconds are no rounding
    }

    @Test
    void aResetThatHasPassedSaysNothingOfTheNext() {
        hears(START, 0, requests(0, Duration.ofSeconds(10), MINUTE));
        long passed = START + 10_000 * MILLI;
        hears(passed, 0, requests(0, Duration.ofSeconds(1), MINUTE));
        assertThat(waitMillis(passed)).isEqualTo(1_000);
    }

    @Test
    void aWindowThatIsNotToldIsTheLongestTimeUntilAReset() {
        hears(START, 0, requests(50, MINUTE, null));
        hears(START, 0, requests(50, Duration.ofSeconds(50), null));
        assertThat(waitMillis(START)).isZero(); // 58.8 s of 60 are spared, and 50 are left
        assertThat(waitMillis(Cost.requests(30), 0.5, START)).isEqualTo(50_000 - 24_000);
        hears(START, 0, requests(50, Duration.ofSeconds(50), Duration.ofSeconds(100)));
        assertThat(waitMillis(Cost.requests(30), 0.5, START)).isEqualTo(50_000 - 40_000);
    }

    @Test
    void aQuotaThatTellsTooLittleIsLeftAlone() {
        assertThat(reserve.isIdle()).isTrue();
        hears(START, 0, new Quota("a", null, 0L, MINUTE, MINUTE));
        hears(START, 0, new Quota("a", 0L, 0L, MINUTE, MINUTE));
        hears(START, 0, new Quota("a", 9L, null, MINUTE, MINUTE));
        hears(START, 0, new Quota("a", 9L, 0L, null, MINUTE));
        hears(START, 0, new Quota("a", 9L, 0L, MINUTE, MINUTE, Quota.CONCURRENT_REQUESTS, null));
        assertThat(reserve.isIdle()).isTrue();
        assertThat(waitMillis(START)).isZero();
        hears(START, 0, requests(50, MINUTE, MINUTE));
        assertThat(reserve.isIdle()).isFalse();
    }

    @Test
    void moreThanEightQuotasAreNotKept() {
        for (int i = 1; i <= 8; i++) {
            hears(START, 0, new Quota("q" + i, 100L, 100L, Duration.ofSeconds(i), MINUTE));
        }
        hears(START, 0, new Quota("q9", 100L, 0L, MINUTE, MINUTE));
        assertThat(waitMillis(START)).isZero();
        hears(START, 0, new Quota("q8", 100L, 0L, Duration.ofSeconds(8), MINUTE));
        assertThat(waitMillis(START)).isEqualTo(8_000);
    }

    @Test
    void onlyAPolicyThatReservesSomethingAsksForIt() {
        assertThat(QuotaReserve.isAskedFor(PriorityPolicy.standard())).isFalse();
        assertThat(QuotaReserve.isAskedFor(PriorityPolicy.standard().reserve(Priority.BATCH, 0)))
                .isFalse();
        assertThat(QuotaReserve.isAskedFor(PriorityPolicy.standard().reserve(Priority.BATCH, 0.2)))
                .isTrue();
    }
}
