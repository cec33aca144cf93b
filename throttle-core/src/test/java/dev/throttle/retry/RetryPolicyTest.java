package dev.throttle.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision.Retry;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.retry.decision.RetryRules;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Which attempts are repeated, as a function of facts. */
class RetryPolicyTest {

    private static final long SECOND = 1_000_000_000;

    private final RetryRules standard = RetryPolicy.standard().rules();

    /** An idempotent, replayable call with ten minutes left that failed for the first time, and a draw of one half. */
    private static RetryFacts facts(Outcome outcome) {
        int faults = outcome == Outcome.RATE_LIMITED ? 0 : 1;
        return new RetryFacts(
                outcome, 1, faults, faults, null, true, true, null, false, true, false, 0, 600 * SECOND, 0.5);
    }

    private static RetryFacts attempt(RetryFacts f, int failures, int faults, double random) {
        return new RetryFacts(
                f.outcome(),
                failures,
                faults,
                faults,
                f.maxAttempts(),
                f.idempotent(),
                f.replayable(),
                f.shouldRetry(),
                f.serverNamedWait(),
                f.spaced(),
                f.away(),
                f.neededNanos(),
                f.leftNanos(),
                random);
    }

    private static RetryFacts call(RetryFacts f, boolean idempotent, boolean replayable) {
        return new RetryFacts(
                f.outcome(),
                f.failures(),
                f.faults(),
                f.counted(),
                f.maxAttempts(),
                idempotent,
                replayable,
                f.shouldRetry(),
                f.serverNamedWait(),
                f.spaced(),
                f.away(),
                f.neededNanos(),
                f.leftNanos(),
                f.random());
    }

    private static RetryFacts told(RetryFacts f, boolean shouldRetry) {
        return new RetryFacts(
                f.outcome(),
                f.failures(),
                f.faults(),
                f.counted(),
                f.maxAttempts(),
                f.idempotent(),
                f.replayable(),
                shouldRetry,
                f.serverNamedWait(),
                f.spaced(),
                f.away(),
                f.neededNanos(),
                f.leftNanos(),
                f.random());
    }

    private static RetryFacts wait(RetryFacts f, boolean serverNamed, long needed, long left) {
        return new RetryFacts(
                f.outcome(),
                f.failures(),
                f.faults(),
                f.counted(),
                f.maxAttempts(),
                f.idempotent(),
                f.replayable(),
                f.shouldRetry(),
                serverNamed,
                f.spaced(),
                f.away(),
                needed,
                left,
                f.random());
    }

    private static RetryFacts unspaced(RetryFacts f) {
        return new RetryFacts(
                f.outcome(),
                f.failures(),
                f.faults(),
                f.counted(),
                f.maxAttempts(),
                f.idempotent(),
                f.replayable(),
                f.shouldRetry(),
                f.serverNamedWait(),
                false,
                f.away(),
                f.neededNanos(),
                f.leftNanos(),
                f.random());
    }

    private static RetryFacts ownAttempts(RetryFacts f, int maxAttempts) {
        return new RetryFacts(
                f.outcome(),
                f.failures(),
                f.faults(),
                f.counted(),
                maxAttempts,
                f.idempotent(),
                f.replayable(),
                f.shouldRetry(),
                f.serverNamedWait(),
                f.spaced(),
                f.away(),
                f.neededNanos(),
                f.leftNanos(),
                f.random());
    }

    private static Duration backoff(RetryDecision decision) {
        return ((Retry) decision).backoff();
    }

    @Test
    void whatTheServerAcceptedIsNotRepeated() {
        assertThat(standard.decide(facts(Outcome.SUCCESS))).isEqualTo(StopReason.ANSWERED.decision());
        assertThat(standard.decide(facts(Outcome.IGNORED))).isEqualTo(StopReason.ANSWERED.decision());
        assertThat(standard.decide(facts(Outcome.CANCELLED))).isEqualTo(StopReason.CANCELLED.decision());
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"RATE_LIMITED", "BUSY", "FAILED"})
    void aBodyThatStreamsIsNeverSentTwice(Outcome outcome) {
        assertThat(standard.decide(call(facts(outcome), true, false))).isEqualTo(StopReason.NOT_REPLAYABLE.decision());
    }

    @Test
    void overloadsAndFaultsAreRepeatedForIdempotentRequestsOnly() {
        RetryRules always =
                RetryPolicy.builder().retryNonIdempotent(true).build().rules();
        for (Outcome outcome : Set.of(Outcome.BUSY, Outcome.FAILED)) {
            RetryFacts post = call(facts(outcome), false, true);
            assertThat(standard.decide(post)).isEqualTo(StopReason.NOT_IDEMPOTENT.decision());
            assertThat(always.decide(post).isRetry()).isTrue();
        }
        assertThat(standard.decide(call(facts(Outcome.RATE_LIMITED), false, true))
                        .isRetry())
                .isTrue();
    }

    @Test
    void whatNoWaitCanMendIsNotRepeated() {
        assertThat(standard.decide(facts(Outcome.DENIED))).isEqualTo(StopReason.PERMANENT.decision());
        for (Outcome outcome : Set.of(Outcome.RATE_LIMITED, Outcome.BUSY)) {
            assertThat(standard.decide(told(facts(outcome), false))).isEqualTo(StopReason.PERMANENT.decision());
        }
        assertThat(RetryPolicy.none().rules().decide(told(facts(Outcome.BUSY), false)))
                .isEqualTo(StopReason.DISABLED.decision());
    }

    @Test
    void aServerThatAsksForARepetitionLiftsDoubtsAboutIdempotenceAndNothingElse() {
        RetryFacts post = told(call(facts(Outcome.BUSY), false, true), true);
        assertThat(standard.decide(post)).isEqualTo(standard.decide(facts(Outcome.BUSY)));
        assertThat(standard.decide(told(call(facts(Outcome.BUSY), false, false), true)))
                .isEqualTo(StopReason.NOT_REPLAYABLE.decision());
        assertThat(standard.decide(told(attempt(facts(Outcome.BUSY), 3, 3, 0.5), true)))
                .isEqualTo(StopReason.ATTEMPTS.decision());
        assertThat(standard.decide(told(wait(facts(Outcome.RATE_LIMITED), true, 2, 1), true)))
                .isEqualTo(StopReason.WAIT_TOO_LONG.decision());
        assertThat(standard.decide(told(facts(Outcome.SUCCESS), true))).isEqualTo(StopReason.ANSWERED.decision());
    }

    @Test
    void attemptsAreLimitedAfterOverloadsAndFaultsOnly() {
        for (Outcome outcome : Set.of(Outcome.BUSY, Outcome.FAILED)) {
            assertThat(standard.decide(attempt(facts(outcome), 2, 2, 0.5)).isRetry())
                    .isTrue();
            assertThat(standard.decide(attempt(facts(outcome), 3, 3, 0.5))).isEqualTo(StopReason.ATTEMPTS.decision());
            assertThat(standard.decide(attempt(facts(outcome), 9, 2, 0.5)).isRetry())
                    .isTrue();
        }
        assertThat(standard.decide(attempt(facts(Outcome.RATE_LIMITED), 1_000_000, 0, 0.5))
                        .isRetry())
                .isTrue();
    }

    @Test
    void outcomesCanBeLeftOut() {
        RetryPolicy quotaOnly =
                RetryPolicy.builder().outcomes(Set.of(Outcome.RATE_LIMITED)).build();
        assertThat(quotaOnly.rules().decide(facts(Outcome.RATE_LIMITED)).isRetry())
                .isTrue();
        assertThat(quotaOnly.rules().decide(facts(Outcome.BUSY))).isEqualTo(StopReason.DISABLED.decision());
        assertThat(RetryPolicy.none().rules().decide(facts(Outcome.RATE_LIMITED)))
                .isEqualTo(StopReason.DISABLED.decision());
    }

    @Test
    void whatDoesNotFitIsNotWaitedFor() {
        RetryFacts tight = wait(facts(Outcome.RATE_LIMITED), true, 10 * SECOND, 10 * SECOND);
        assertThat(standard.decide(tight)).isEqualTo(Retry.WHEN_ADMITTED);
        RetryFacts tooTight = wait(facts(Outcome.RATE_LIMITED), true, 10 * SECOND, 10 * SECOND - 1);
        assertThat(standard.decide(tooTight)).isEqualTo(StopReason.WAIT_TOO_LONG.decision());
        RetryFacts backoffTooLong = wait(facts(Outcome.BUSY), false, 0, 100_000_000 - 1);
        assertThat(standard.decide(backoffTooLong)).isEqualTo(StopReason.WAIT_TOO_LONG.decision());
        assertThat(standard.decide(wait(facts(Outcome.BUSY), false, 0, 100_000_000)))
                .isEqualTo(new Retry(Duration.ofMillis(100)));
    }

    @Test
    void aWaitThatTheServerNamedReplacesTheBackoff() {
        assertThat(standard.decide(wait(facts(Outcome.BUSY), true, SECOND, 600 * SECOND)))
                .isEqualTo(Retry.WHEN_ADMITTED);
        assertThat(backoff(standard.decide(wait(facts(Outcome.BUSY), false, SECOND, 600 * SECOND))))
                .isEqualTo(Duration.ofMillis(100));
        assertThat(backoff(standard.decide(wait(facts(Outcome.BUSY), true, 0, 600 * SECOND))))
                .isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aQuotaRefusalWithNothingToWaitForWaitsAtLeastTheFloor() {
        RetryFacts unlucky = attempt(facts(Outcome.RATE_LIMITED), 1, 0, 0);
        assertThat(backoff(standard.decide(unlucky))).isEqualTo(Duration.ofMillis(200));
        RetryFacts later = attempt(facts(Outcome.RATE_LIMITED), 30, 0, 0.5);
        assertThat(backoff(standard.decide(later))).isEqualTo(Duration.ofSeconds(10));
        assertThat(standard.decide(wait(facts(Outcome.RATE_LIMITED), false, 1, SECOND)))
                .isEqualTo(Retry.WHEN_ADMITTED);
    }

    @Test
    void theBackoffDoublesUpToItsCapAndIsDrawnEvenlyBelow() {
        Backoff backoff = Backoff.exponentialFullJitter(Duration.ofMillis(100), Duration.ofSeconds(2));
        long[] bounds = {100, 200, 400, 800, 1_600, 2_000, 2_000};
        SplittableRandom random = new SplittableRandom(3);
        for (int attempt = 1; attempt <= bounds.length; attempt++) {
            double bound = bounds[attempt - 1] * 1e6;
            double sum = 0;
            for (int i = 0; i < 10_000; i++) {
                long delay = backoff.delayNanos(attempt, random.nextDouble());
                assertThat(delay).isBetween(0L, (long) bound - 1);
                sum += delay;
            }
            assertThat(sum / 10_000).isBetween(bound * 0.48, bound * 0.52);
            assertThat(backoff.delayNanos(attempt, 0)).isZero();
        }
        assertThat(backoff.delayNanos(Integer.MAX_VALUE, 0.5)).isEqualTo(SECOND);
    }

    @Test
    void anEndlessBackoffIsTooLongAndDoesNotOverflow() {
        RetryRules endless = RetryPolicy.builder()
                .backoff((attempt, random) -> Long.MAX_VALUE)
                .build()
                .rules();
        RetryFacts patient = wait(facts(Outcome.BUSY), false, 0, Long.MAX_VALUE);

        assertThat(backoff(endless.decide(patient))).isEqualTo(Duration.ofNanos(Nanos.MAX));
        assertThat(endless.decide(wait(facts(Outcome.BUSY), false, 0, 600 * SECOND)))
                .isEqualTo(StopReason.WAIT_TOO_LONG.decision());
    }

    @Test
    void aQuotaRefusalThatOnlyAFixedLimitHoldsBackIsBackedOffFrom() {
        RetryFacts held = wait(facts(Outcome.RATE_LIMITED), false, SECOND / 1000, 600 * SECOND);
        assertThat(backoff(standard.decide(held))).isZero();
        assertThat(backoff(standard.decide(unspaced(held)))).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aCallWithItsOwnNumberOfAttemptsBacksOffByAllItsFailures() {
        RetryFacts fourthFailure = attempt(facts(Outcome.BUSY), 4, 2, 0.5);
        assertThat(backoff(standard.decide(fourthFailure))).isEqualTo(Duration.ofMillis(200));
        assertThat(backoff(standard.decide(ownAttempts(fourthFailure, 5)))).isEqualTo(Duration.ofMillis(800));
        assertThat(standard.decide(ownAttempts(fourthFailure, 4))).isEqualTo(StopReason.ATTEMPTS.decision());
    }

    @Test
    void aBackoffThatThrowsOrCountsBackwardsIsReplaced() {
        RetryRules faulty = RetryPolicy.builder()
                .backoff((attempt, random) -> {
                    throw new IllegalStateException("on purpose");
                })
                .build()
                .rules();
        assertThat(backoff(faulty.decide(attempt(facts(Outcome.BUSY), 2, 2, 0.5))))
                .isEqualTo(Duration.ofMillis(200));
        RetryRules negative =
                RetryPolicy.builder().backoff((attempt, random) -> -1).build().rules();
        assertThat(negative.decide(facts(Outcome.BUSY))).isEqualTo(Retry.WHEN_ADMITTED);
    }

    @Test
    void aBackoffMayBeCappedAtItsFirstWaitButNotBelow() {
        Duration base = Duration.ofMillis(100);
        assertThat(Backoff.exponentialFullJitter(base, base).delayNanos(7, 0.5)).isEqualTo(50_000_000);
        assertThatThrownBy(() -> Backoff.exponentialFullJitter(base, base.minusNanos(1)))
                .hasMessage("cap must be a duration not below the base, PT0.1S, but was PT0.099999999S");
    }
}
