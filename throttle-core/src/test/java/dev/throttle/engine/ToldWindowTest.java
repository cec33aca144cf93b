package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When it is certain how much a server still grants before its reset. */
class ToldWindowTest {

    private final ToldWindow window = new ToldWindow();

    private static Signal told(Outcome outcome, Quota... quotas) {
        return new Signal(outcome, new RateHints(null, List.of(quotas)));
    }

    private static Quota quota(String policy, long limit, long remaining, double reset) {
        return new Quota(policy, limit, remaining, Duration.ofMillis((long) (reset * 1000)), null);
    }

    private void answer(double at, long remaining, double reset) {
        learn(at, Outcome.SUCCESS, 1, quota("a", 200, remaining, reset));
    }

    private void learn(double at, Outcome outcome, long requests, Quota... quotas) {
        window.learn(told(outcome, quotas), requests, nanos(at));
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    private boolean isCertain(double at) {
        return window.isCertain(nanos(at));
    }

    @Test
    void oneAnswerMakesNothingCertain() {
        assertThat(isCertain(0)).isFalse();
        answer(0, 199, 3600);
        assertThat(isCertain(0)).isFalse();
        answer(1, 198, 3599);
        assertThat(isCertain(1)).isTrue();
        assertThat(window.grantsAtMost()).isEqualTo(198);
    }

    @Test
    void theLowestCountIsWhatIsLeftWhateverTheOrderOfTheAnswers() {
        answer(0, 195, 3600);
        answer(0, 199, 3600);
        answer(0, 190, 3600);
        assertThat(isCertain(0)).isTrue();
        assertThat(window.grantsAtMost()).isEqualTo(190);
    }

    @Test
    void afterTheResetNothingIsCertainAndItBeginsAnew() {
        answer(0, 199, 3600);
        answer(1, 198, 3599);
        assertThat(isCertain(3599)).isTrue();
        assertThat(window.resetNanos(nanos(3600))).isZero();
        assertThat(isCertain(3600)).isFalse();
        answer(3600, 199, 3600);
        assertThat(isCertain(3600)).isFalse();
        answer(3601, 198, 3599);
        assertThat(isCertain(3601)).isTrue();
    }

    @Test
    void whatWasUsedBeforeMayComeBack() {
        answer(0, 100, 3600);
        answer(1, 99, 3599);
        assertThat(window.grantsAtMost()).isEqualTo(99 + 200 - 100 - 1);
    }

    @Test
    void aCountThatFallsTooSlowlyIsThatOfOneServerAmongOthers() {
        answer(0, 199, 3600);
        answer(1, 199, 3599);
        answer(2, 198, 3598);
        answer(3, 198, 3597);
        assertThat(isCertain(3)).isFalse();
    }

    @Test
    void aCostCountsAndARefusalDoesNot() {
        learn(0, Outcome.SUCCESS, 5, quota("a", 200, 195, 3600));
        learn(1, Outcome.SUCCESS, 5, quota("a", 200, 194, 3599));
        assertThat(isCertain(1)).isFalse();
        learn(2, Outcome.RATE_LIMITED, 5, quota("a", 200, 190, 3598));
        assertThat(isCertain(2)).isTrue();
        assertThat(window.grantsAtMost()).isEqualTo(190);
    }

    @Test
    void aBucketWhoseResetMovesIsDoubtful() {
        answer(0, 19, 3000);
        answer(1, 18, 3017);
        answer(2, 17, 3034);
        assertThat(isCertain(2)).isFalse();
        assertThat(isCertain(3000)).isFalse();
    }

    @Test
    void twoQuotasThatTakeTurnsAreDoubtful() {
        learn(0, Outcome.SUCCESS, 1, quota("core", 200, 199, 3600));
        learn(1, Outcome.SUCCESS, 1, quota("core", 200, 198, 3599));
        learn(2, Outcome.SUCCESS, 1, quota("search", 30, 29, 60));
        learn(3, Outcome.SUCCESS, 1, quota("search", 30, 28, 59));
        assertThat(isCertain(3)).isFalse();
        assertThat(isCertain(59)).isFalse();
    }

    @Test
    void ofQuotasInOneAnswerTheLongestCounts() {
        for (int i = 0; i < 3; i++) {
            learn(i, Outcome.SUCCESS, 1, quota("s", 30, 29 - i, 60 - i), quota("h", 200, 199 - i, 3600 - i));
        }
        assertThat(isCertain(2)).isTrue();
        assertThat(window.grantsAtMost()).isEqualTo(197);
    }

    @Test
    void whatIsNotToldInFullOrCountsSomethingElseIsIgnored() {
        Quota tokens = new Quota("t", 200L, 100L, Duration.ofHours(1), null, Quota.TOKENS, null);
        for (int i = 0; i < 3; i++) {
            learn(i, Outcome.SUCCESS, 1, new Quota("a", null, 199L - i, Duration.ofHours(1), null), tokens);
        }
        assertThat(isCertain(2)).isFalse();
    }
}
