package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The extra load that retries may make. */
class RetryBudgetTest {

    private static final long SECOND = 1_000_000_000;

    private static RetryPolicy policy(double ratio, int reserve) {
        return RetryPolicy.builder().budget(ratio, reserve).build();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 7 * SECOND})
    void theReserveIsThereAgainAfterTenSeconds(long origin) {
        RetryBudget budget = new RetryBudget(policy(0, 3), origin);
        for (int i = 0; i < 3; i++) {
            assertThat(budget.tryWithdraw(0, origin + i * SECOND)).isTrue();
        }
        assertThat(budget.tryWithdraw(0, origin + 9 * SECOND)).isFalse();
        assertThat(budget.tryWithdraw(0, origin + 10 * SECOND)).isTrue();
        assertThat(budget.tryWithdraw(0, origin + 10 * SECOND)).isFalse();
        assertThat(budget.tryWithdraw(0, origin + 1_000 * SECOND)).isTrue();
    }

    @Test
    void aShareOfTheCallsMayBeRepeatedNotOfTheRetries() {
        RetryBudget budget = new RetryBudget(policy(0.2, 0), 0);
        int retries = 0;
        while (budget.tryWithdraw(100 + retries, 0)) {
            retries++;
        }
        assertThat(retries).isEqualTo(20);
    }

    @Test
    void anOutageMakesLittleMoreLoadThanTheCallsThemselves() {
        Timeline line = new Timeline();
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        int attempts = 0;
        for (int call = 0; call < 1_000; call++) {
            ThrottledCall current = throttle.newCall();
            attempts++;
            while (current.acquireForced().complete(Signal.FAILED).isRetry()) {
                attempts++;
            }
            line.advanceMillis(5);
        }
        assertThat(attempts).isEqualTo(1_000 + 200 + 10);
    }

    @Test
    void quotaRefusalsAreNotCharged() {
        Timeline line = new Timeline();
        Throttle throttle = line.throttle(TestStrategies.free())
                .retryPolicy(policy(0, 0))
                .maxWait(Duration.ofDays(1))
                .build();
        ThrottledCall call = throttle.newCall();
        for (int i = 0; i < 100; i++) {
            assertThat(call.acquireForced().complete(Signal.RATE_LIMITED).isRetry())
                    .isTrue();
        }
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(100);
    }
}
