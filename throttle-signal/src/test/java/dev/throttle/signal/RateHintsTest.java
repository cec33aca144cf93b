package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RateHintsTest {

    @Test
    void theScarcestHasTheSmallestShareOfItsLimit() {
        assertThat(scarcest(quota("a", 5000L, 50L), quota("b", 100L, 20L))).isEqualTo("a");
        assertThat(scarcest(quota("b", 100L, 20L), quota("a", 5000L, 50L))).isEqualTo("a");
        assertThat(scarcest(quota("a", 10L, 10L), quota("b", 5L, 5L))).isEqualTo("b");
    }

    @Test
    void withoutALimitTheNumberLeftCounts() {
        assertThat(scarcest(quota("a", null, 50L), quota("b", null, 20L))).isEqualTo("b");
        assertThat(scarcest(quota("a", null, 5L), quota("b", 100L, 20L))).isEqualTo("a");
        assertThat(scarcest(quota("a", null, 50L), quota("b", 100L, 20L))).isEqualTo("b");
    }

    @Test
    void whatDoesNotTellWhatRemainsOrCountsSomethingElseIsPassedOver() {
        Quota tokens = new Quota("tokens", 9L, 0L, null, null, "tokens", null);
        assertThat(scarcest(quota("a", 10L, null), tokens, quota("b", 100L, 90L)))
                .isEqualTo("b");
        assertThat(new RateHints(null, List.of(tokens)).scarcest()).isNull();
        assertThat(RateHints.NONE.scarcest()).isNull();
    }

    @Test
    void aClosedLimitOfZeroIsTheScarcest() {
        assertThat(scarcest(quota("a", 10L, 1L), quota("b", 0L, 0L))).isEqualTo("b");
    }

    @Test
    void anExhaustedQuotaOfAnyUnitKeepsCallersAway() {
        Quota tokens = new Quota("tokens", 9L, 0L, Duration.ofSeconds(7), null, "tokens", null);
        assertThat(new RateHints(null, List.of(tokens)).refusalWait()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void quotasOfOtherUnitsThanRequestsCountCosts() {
        Quota tokens = new Quota("tokens", 9L, 0L, null, null, Quota.TOKENS, null);
        Quota connections = new Quota("connections", 9L, 0L, null, null, Quota.CONCURRENT_REQUESTS, null);
        assertThat(new RateHints(null, List.of(quota("a", 5L, 5L), tokens)).countsCosts())
                .isTrue();
        assertThat(new RateHints(null, List.of(quota("a", 5L, 5L), connections)).countsCosts())
                .isFalse();
    }

    @Test
    void ofEqualSharesTheFewestRequestsAreTheScarcest() {
        assertThat(scarcest(quota("a", 10L, 5L), quota("b", 100L, 50L))).isEqualTo("a");
        assertThat(scarcest(quota("b", 100L, 50L), quota("a", 10L, 5L))).isEqualTo("a");
        assertThat(scarcest(quota("a", 10L, 5L), quota("b", 10L, 5L))).isEqualTo("a"); // the first of twins
        assertThat(scarcest(quota("a", null, 5L), quota("b", null, 5L))).isEqualTo("a");
        assertThat(scarcest(quota("a", null, 5L), quota("b", 100L, 5L))).isEqualTo("b"); // whose limit is known
    }

    @Test
    void theRateOfAQuotaIsThatOfItsFractionsOfSeconds() {
        Quota quota = new Quota("a", null, 6L, Duration.ofMillis(1_500), null);
        assertThat(quota.unitsPerSecond()).isEqualTo(4);
        assertThat(quota.withReset(Duration.ofSeconds(3)).unitsPerSecond()).isEqualTo(2);
    }

    private static @Nullable String scarcest(Quota... quotas) {
        Quota scarcest = new RateHints(null, List.of(quotas)).scarcest();
        return scarcest == null ? null : scarcest.policy();
    }

    private static Quota quota(String name, @Nullable Long limit, @Nullable Long remaining) {
        return new Quota(name, limit, remaining, null, null);
    }
}
