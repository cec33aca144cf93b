package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.retry.RetryPolicy;
import dev.throttle.retry.decision.RetryRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The extra load that retries may make. */
class RetryBudgetTest {

    private static final long SECOND = 1_000_000_000;

    private static RetryRules policy(double ratio, int reserve) {
        return RetryPolicy.builder().budget(ratio, reserve).build().rules();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 7 * SECOND})
    void theReserveIsThereAgainAfterTenSeconds(long origin) {
        RetryRules rules = policy(0, 3);
        RetryBudget budget = new RetryBudget(origin);
        for (int i = 0; i < 3; i++) {
            assertThat(budget.tryWithdraw(rules, 0, origin + i * SECOND)).isTrue();
        }
        assertThat(budget.tryWithdraw(rules, 0, origin + 9 * SECOND)).isFalse();
        assertThat(budget.tryWithdraw(rules, 0, origin + 10 * SECOND)).isTrue();
        assertThat(budget.tryWithdraw(rules, 0, origin + 10 * SECOND)).isFalse();
        assertThat(budget.tryWithdraw(rules, 0, origin + 1_000 * SECOND)).isTrue();
    }

    @Test
    void aShareOfTheCallsMayBeRepeatedNotOfTheRetries() {
        RetryRules rules = policy(0.2, 0);
        RetryBudget budget = new RetryBudget(0);
        int retries = 0;
        while (budget.tryWithdraw(rules, 100 + retries, 0)) {
            retries++;
        }
        assertThat(retries).isEqualTo(20);
    }

    @Test
    void aThreadThatWasOvertakenBringsNothingBack() {
        RetryRules rules = policy(0, 2);
        RetryBudget budget = new RetryBudget(0);
        assertThat(budget.tryWithdraw(rules, 0, 5 * SECOND)).isTrue();
        assertThat(budget.tryWithdraw(rules, 0, 3 * SECOND)).isTrue();
        assertThat(budget.tryWithdraw(rules, 0, 6 * SECOND)).isFalse();
    }
}
