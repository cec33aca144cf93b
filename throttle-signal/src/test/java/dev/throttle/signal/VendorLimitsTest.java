package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much of vendors' headers is read at most, and what of odd ones is. */
class VendorLimitsTest {

    private static List<Quota> quotas(String name, String value) {
        return Head.of(200, name, value).hints().quotas();
    }

    private static String members(int count, String form, String separator) {
        return IntStream.range(0, count).mapToObj(form::formatted).collect(Collectors.joining(separator));
    }

    @Test
    void sixteenMembersAreReadAndOfMoreNone() {
        assertThat(quotas("Sforce-Limit-Info", members(16, "u%d=1/2", ";"))).hasSize(16);
        assertThat(quotas("Sforce-Limit-Info", members(17, "u%d=1/2", ";"))).isEmpty();
        assertThat(quotas("X-Sentry-Rate-Limits", members(16, "60:c%d", ","))).hasSize(16);
        assertThat(quotas("X-Sentry-Rate-Limits", members(14, "60:a%1$d;b%1$d", ",")))
                .hasSize(16);
    }

    @Test
    void moreIsUsedThanGranted() {
        assertThat(quotas("X-Shopify-Shop-Api-Call-Limit", "45/40"))
                .containsExactly(new Quota("shopify-shop", 40L, 0L, null, null));
        assertThat(quotas("X-Shopify-Shop-Api-Call-Limit", "/40")).isEmpty();
        assertThat(quotas("X-Shopify-Shop-Api-Call-Limit", "40/")).isEmpty();
        assertThat(quotas("X-Shopify-Shop-Api-Call-Limit", "40")).isEmpty();
    }

    @Test
    void whatHasNoNameIsNoQuotaOfSalesforceOrAzure() {
        assertThat(quotas("Sforce-Limit-Info", "=1/2")).isEmpty();
        assertThat(quotas("Sforce-Limit-Info", "api-usage=18/5000(appName=x)"))
                .containsExactly(new Quota("api-usage", 5_000L, 4_982L, null, null));
        assertThat(quotas("x-ms-ratelimit-remaining-resource", ";5")).isEmpty();
        assertThat(quotas("x-ms-ratelimit-remaining-resource", "a;5"))
                .containsExactly(new Quota("a", null, 5L, null, null));
    }

    @Test
    void sentryClosesCategoriesForATime() {
        assertThat(quotas("X-Sentry-Rate-Limits", "60:error;session:key, 5, x:y"))
                .containsExactly(
                        new Quota("error", null, 0L, Duration.ofMinutes(1), null),
                        new Quota("session", null, 0L, Duration.ofMinutes(1), null));
        assertThat(quotas("X-Sentry-Rate-Limits", "60:error"))
                .containsExactly(new Quota("error", null, 0L, Duration.ofMinutes(1), null));
    }

    @Test
    void zendesksMembersComeInAnyOrderAndSomeSayNothing() {
        assertThat(quotas("Zendesk-RateLimit-Tickets", "resets=41; x; =7; remaining=99; other=1; total=100"))
                .containsExactly(new Quota("tickets", 100L, 99L, Duration.ofSeconds(41), null));
    }

    @Test
    void aLimitMayBeFollowedByWhatNobodyUnderstands() {
        assertThat(quotas("X-RateLimit-Limit", "100, 60;window=\"a").get(0).limit())
                .isEqualTo(100);
        assertThat(quotas("X-RateLimit-Limit", "100, 9999999999999999").get(0).limit())
                .isEqualTo(100);
        assertThat(quotas("X-RateLimit-Limit", "9999999999999999, 100").get(0).limit())
                .isEqualTo(100);
    }
}
