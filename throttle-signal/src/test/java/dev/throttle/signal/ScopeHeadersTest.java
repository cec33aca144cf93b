package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Headers that say which quota counts a request. */
class ScopeHeadersTest {

    @Test
    void aGroupIsTheNameOfTheNumbersBesideIt() {
        RateHints hints = Head.of(
                        200,
                        "X-Rate-Limit-Group",
                        "heavy",
                        "X-Rate-Limit-Limit",
                        "10",
                        "X-Rate-Limit-Remaining",
                        "9",
                        "X-Rate-Limit-Window",
                        "60")
                .hints();
        assertThat(hints.quotas()).hasSize(1);
        assertThat(hints.quotas().get(0).policy()).isEqualTo("heavy");
        assertThat(hints.quotas().get(0).remaining()).isEqualTo(9);
        assertThat(Head.of(200, "X-RateLimit-Category", "Light").hints().quotas())
                .containsExactly(Quota.named("Light"));
    }

    @Test
    void aRefusalSaysWhichQuotaItIsAbout() {
        assertThat(Head.of(429, "RateLimit-Reason", "jira-per-issue-on-write", "Retry-After", "5")
                        .hints()
                        .blamed())
                .containsExactly("jira-per-issue-on-write");
        RateHints figma = Head.of(429, "X-Figma-Rate-Limit-Type", "low", "Retry-After", "331775")
                .hints();
        assertThat(figma.blamed()).containsExactly("figma-low");
        assertThat(figma.retryAfter()).isEqualTo(Duration.ofSeconds(331_775));
        assertThat(Head.of(429, "X-Rate-Limit-Type", "method", "Retry-After", "5")
                        .hints()
                        .blamed())
                .containsExactly("method");
        assertThat(Head.of(429, "X-Rate-Limit-Type", "application", "Retry-After", "5")
                        .hints()
                        .blamed())
                .isEmpty();
        assertThat(Head.of(200, "RateLimit-Reason", "jira-per-issue-on-write").hints())
                .isEqualTo(RateHints.NONE);
    }

    @Test
    void aSecondaryLimitIsNotAboutTheQuotaBesideIt() {
        RateHints hints = Head.of(
                        403,
                        "X-RateLimit-Limit",
                        "5000",
                        "X-RateLimit-Remaining",
                        "4990",
                        "X-RateLimit-Reset",
                        "1700003600",
                        "X-RateLimit-Resource",
                        "core",
                        "Retry-After",
                        "60")
                .hints();
        assertThat(hints.quotas()).hasSize(1);
        assertThat(hints.blamed()).isEmpty();
    }

    @Test
    void aRefusalOfDiscordIsAboutAllCallsIfItSaysSo() {
        assertThat(discord("X-RateLimit-Scope", "user").blamed()).containsExactly("abcd1234");
        assertThat(discord("X-RateLimit-Scope", "shared").blamed()).containsExactly("abcd1234");
        assertThat(discord("X-RateLimit-Scope", "global").blamed()).isEmpty();
        RateHints global = discord("X-RateLimit-Global", "true");
        assertThat(global.blamed()).isEmpty();
        assertThat(global.refusalWait()).isEqualTo(Duration.ofSeconds(65));
    }

    private static RateHints discord(String name, String value) {
        return Head.of(
                        429,
                        "X-RateLimit-Limit",
                        "5",
                        "X-RateLimit-Remaining",
                        "0",
                        "X-RateLimit-Reset-After",
                        "4.5",
                        "X-RateLimit-Bucket",
                        "abcd1234",
                        "Retry-After",
                        "65",
                        name,
                        value)
                .hints();
    }

    @Test
    void whatIsUsedUpIsBlamedAndWhatHasNoNameIsAboutAllCalls() {
        Quota core = new Quota("core", 100L, 7L, null, null);
        Quota search = new Quota("search", 30L, 0L, null, null);
        Quota all = new Quota(null, 30L, 0L, null, null);
        assertThat(new RateHints(null, List.of(core, search)).blamed()).containsExactly("search");
        assertThat(new RateHints(null, List.of(core, search, all)).blamed()).isEmpty();
        assertThat(new RateHints(null, List.of(core)).blamed()).isEmpty(); // refused for another reason
        assertThat(new RateHints(null, List.of(new Quota("core", 100L, null, null, null))).blamed())
                .containsExactly("core");
        assertThat(new RateHints(null, List.of(core, Quota.named("x"))).blamed())
                .containsExactly("x");
        assertThat(RateHints.NONE.blamed()).isEmpty();
    }
}
