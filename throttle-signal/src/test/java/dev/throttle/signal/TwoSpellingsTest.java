package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A quota that a server spells in two ways, with and without an X: what only one of them tells is told. */
class TwoSpellingsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static List<Quota> quotas(String... lines) {
        return Head.of(200, lines).hints().quotas();
    }

    @Test
    void theWindowMayBeThatOfTheOther() {
        assertThat(quotas(
                        "RateLimit-Limit", "100",
                        "RateLimit-Remaining", "50",
                        "X-RateLimit-Limit", "100",
                        "X-RateLimit-Window", "60"))
                .containsExactly(new Quota(null, 100L, 50L, null, MINUTE));
    }

    @Test
    void theNameMayBeThatOfTheOther() {
        assertThat(quotas(
                        "RateLimit-Limit", "100",
                        "RateLimit-Remaining", "50",
                        "X-RateLimit-Remaining", "50",
                        "X-RateLimit-Resource", "core"))
                .containsExactly(new Quota("core", 100L, 50L, null, null));
    }

    @Test
    void theResetMayBeThatOfTheOther() {
        assertThat(quotas(
                        "RateLimit-Remaining", "50",
                        "X-RateLimit-Limit", "100",
                        "X-RateLimit-Remaining", "50",
                        "X-RateLimit-Reset", "60"))
                .containsExactly(new Quota(null, 100L, 50L, MINUTE, null));
    }

    @Test
    void theOtherPoliciesMayBeThoseOfTheOther() {
        assertThat(quotas(
                        "RateLimit-Limit", "100",
                        "RateLimit-Remaining", "50",
                        "X-RateLimit-Limit", "100, 100;w=60, 1000;w=3600"))
                .containsExactly(
                        new Quota(null, 100L, 50L, null, MINUTE),
                        new Quota(null, 1_000L, null, null, Duration.ofHours(1)));
    }

    @Test
    void whatContradictsIsAnotherQuota() {
        assertThat(quotas("RateLimit-Remaining", "50", "X-RateLimit-Remaining", "49"))
                .hasSize(2);
        assertThat(quotas("RateLimit-Limit", "100", "X-RateLimit-Limit", "99")).hasSize(2);
    }

    @Test
    void resetsAloneAreNoReasonToTakeTwoForOne() {
        assertThat(quotas("RateLimit-Reset", "60", "X-RateLimit-Reset", "30")).hasSize(2);
    }
}
