package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each vendor's own way, and the trap in it. */
class VendorHeadersTest {

    @Test
    void gitHub_aSecondaryLimitIsNotTheHourlyReset() {
        Head head =
                Head.of(403, "Retry-After", "60", "x-ratelimit-remaining", "4821", "x-ratelimit-reset", "1700003000");
        assertThat(head.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(head.hints().refusalWait()).isEqualTo(seconds(60));
    }

    @Test
    void gitHub_graphQlCountsPoints() {
        Head head = Head.of(
                403,
                "x-ratelimit-limit",
                "5000",
                "x-ratelimit-remaining",
                "0",
                "x-ratelimit-reset",
                "1700003000",
                "x-ratelimit-resource",
                "graphql");
        assertThat(head.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(head.quota().unit()).isEqualTo(Quota.POINTS);
        assertThat(head.quota().policy()).isEqualTo("graphql");
        assertThat(Head.of(200, "x-ratelimit-remaining", "9", "x-ratelimit-resource", "core")
                        .quota()
                        .unit())
                .isEqualTo(Quota.REQUESTS);
    }

    @Test
    void gitHub_aRefusalWithoutATimeWaitsAMinute() {
        Head blank = Head.of(429, "X-GitHub-Request-Id", "1:2", "Retry-After", " ");
        assertThat(blank.hints().retryAfter()).isNull();
        assertThat(blank.hints().refusalWait()).isEqualTo(seconds(60));
        assertThat(Head.of(200, "X-GitHub-Request-Id", "1:2").hints()).isSameAs(RateHints.NONE);
        assertThat(Head.of(503, "X-GitHub-Request-Id", "1:2").hints()).isSameAs(RateHints.NONE);
    }

    @Test
    void openAiAnthropicAndStripe_sayWhetherToRepeatAfterErrorsOnly() {
        for (String name : List.of("x-should-retry", "Stripe-Should-Retry")) {
            assertThat(Head.of(429, name, "false").hints().shouldRetry()).isFalse();
            assertThat(Head.of(503, name, "True").hints().shouldRetry()).isTrue();
            assertThat(Head.of(500, name, "1").hints()).isSameAs(RateHints.NONE);
            assertThat(Head.of(200, name, "false").hints()).isSameAs(RateHints.NONE);
        }
        Head both = Head.of(503, "x-should-retry", "false", "X-Should-Retry", "true", "Retry-After", "3");
        assertThat(both.hints()).isEqualTo(new RateHints(seconds(3), List.of(), null, false));
        assertThat(both.with("Stripe-Should-Retry", "true").hints().shouldRetry())
                .isFalse();
        assertThat(both.outcome()).isEqualTo(Outcome.BUSY);
        assertThat(Head.of(409, "x-should-retry", "true").outcome()).isEqualTo(Outcome.SUCCESS);
    }

    @Test
    void gitLab_anUnprefixedNameHasAnEpochAndADateBesideIt() {
        Head head =
                Head.of(200, "RateLimit-Remaining", "594", "RateLimit-Name", "throttle_web", "RateLimit-Observed", "6");
        Quota expected = new Quota("throttle_web", null, 594L, seconds(57), null);
        assertThat(head.with("RateLimit-Reset", "1700000057").quota()).isEqualTo(expected);
        assertThat(head.with("RateLimit-ResetTime", "Tue, 14 Nov 2023 22:14:17 GMT")
                        .quota())
                .isEqualTo(expected);
    }

    @Test
    void heroku_onlyTellsWhatRemains() {
        assertThat(Head.of(200, "RateLimit-Remaining", "4499").quota())
                .isEqualTo(new Quota(null, null, 4499L, null, null));
    }

    @Test
    void shopify_tellsWhatIsUsed() {
        assertThat(Head.of(200, "X-Shopify-Shop-Api-Call-Limit", "32/40").quota())
                .isEqualTo(new Quota("shopify-shop", 40L, 8L, null, null));
        assertThat(Head.of(200, "X-Shopify-Shop-Api-Call-Limit", "41/40")
                        .quota()
                        .isExhausted())
                .isTrue();
        assertThat(Head.of(200, "X-Shopify-Shop-Api-Call-Limit", "32").hints()).isSameAs(RateHints.NONE);
        assertThat(Head.of(429, "Retry-After", "2.0").hints().retryAfter()).isEqualTo(seconds(2));
    }

    @Test
    void discord_aSharedLimitRefusesWhileSomeRemain() {
        Head head = Head.of(
                429,
                "X-RateLimit-Limit",
                "10",
                "X-RateLimit-Remaining",
                "9",
                "X-RateLimit-Reset",
                "1700000060.123",
                "X-RateLimit-Reset-After",
                "60.123",
                "X-RateLimit-Bucket",
                "abcd",
                "X-RateLimit-Scope",
                "shared",
                "Retry-After",
                "1337");
        assertThat(head.hints())
                .isEqualTo(new RateHints(
                        seconds(1337), List.of(new Quota("abcd", 10L, 9L, Duration.ofMillis(60_123), null))));
    }

    @Test
    void reddit_whatRemainsIsAFractionAndTheResetADelta() {
        assertThat(Head.of(200, "x-ratelimit-used", "2", "x-ratelimit-remaining", "598.0", "x-ratelimit-reset", "413")
                        .quota())
                .isEqualTo(new Quota(null, null, 598L, seconds(413), null));
    }

    @Test
    void x_theLimitsOverADayBindWhileTheOtherIsNearlyFull() {
        RateHints hints = Head.of(
                        429,
                        "x-rate-limit-limit",
                        "900",
                        "x-rate-limit-remaining",
                        "899",
                        "x-rate-limit-reset",
                        "1700000900",
                        "x-user-limit-24hour-limit",
                        "17",
                        "x-user-limit-24hour-remaining",
                        "0",
                        "x-user-limit-24hour-reset",
                        "1700040000")
                .hints();
        assertThat(hints.scarcest()).isEqualTo(new Quota("user-24hour", 17L, 0L, seconds(40_000), Duration.ofDays(1)));
        assertThat(hints.refusalWait()).isEqualTo(seconds(40_000));
    }

    @Test
    void stripe_saysNeitherHowLongNorHowMuch() {
        Head head = Head.of(429, "Stripe-Rate-Limited-Reason", "global-concurrency", "Stripe-Should-Retry", "true");
        assertThat(head.hints()).isEqualTo(new RateHints(null, List.of(), null, true));
        assertThat(head.outcome()).isEqualTo(Outcome.RATE_LIMITED);
    }

    @Test
    void openAi_resetsAreGoDurationsAndTokensAreNotRequests() {
        RateHints hints = Head.of(
                        429,
                        "x-ratelimit-limit-requests",
                        "60",
                        "x-ratelimit-remaining-requests",
                        "59",
                        "x-ratelimit-reset-requests",
                        "12ms",
                        "x-ratelimit-limit-tokens",
                        "150000",
                        "x-ratelimit-remaining-tokens",
                        "0",
                        "x-ratelimit-reset-tokens",
                        "6m0s")
                .hints();
        assertThat(hints.quotas())
                .containsExactly(
                        new Quota("requests", 60L, 59L, Duration.ofMillis(12), null),
                        new Quota("tokens", 150_000L, 0L, seconds(360), null, "tokens", null));
        assertThat(hints.refusalWait()).isEqualTo(seconds(360));
        assertThat(hints.scarcest()).isEqualTo(hints.quotas().get(0));
    }

    @Test
    void azureOpenAi_minusOneIsUnknown() {
        assertThat(Head.of(
                                200,
                                "x-ratelimit-limit-tokens",
                                "-1",
                                "x-ratelimit-remaining-tokens",
                                "-1",
                                "x-ratelimit-reset-tokens",
                                "0")
                        .quota())
                .isEqualTo(new Quota("tokens", null, null, Duration.ZERO, null, "tokens", null));
    }

    @Test
    void anthropic_theGroupStandsInTheMiddleAndTheResetIsATimestamp() {
        assertThat(Head.of(
                                529,
                                "anthropic-ratelimit-input-tokens-limit",
                                "30000",
                                "anthropic-ratelimit-input-tokens-remaining",
                                "27000",
                                "anthropic-ratelimit-input-tokens-reset",
                                "2023-11-14T22:13:26Z")
                        .quota())
                .isEqualTo(new Quota("input-tokens", 30_000L, 27_000L, seconds(6), null, "input-tokens", null));
        assertThat(Head.of(529).outcome()).isEqualTo(Outcome.BUSY);
    }

    @Test
    void azureOpenAi_aLimitOfNothingIsUnknownAndNotUsedUp() {
        for (String none : List.of("0", "-1")) {
            for (String unit : List.of("tokens", "requests")) {
                RateHints hints = Head.of(
                                200,
                                "x-ratelimit-limit-" + unit,
                                none,
                                "x-ratelimit-remaining-" + unit,
                                "0",
                                "x-ratelimit-reset-" + unit,
                                "0")
                        .hints();
                assertThat(hints.quotas())
                        .containsExactly(new Quota(unit, null, null, Duration.ZERO, null, unit, null));
                assertThat(hints.resetOfExhausted()).isNull();
                assertThat(hints.isExhausted()).isFalse();
            }
        }
    }

    @Test
    void azureOpenAi_theResetOfARefusalIsSpelledInAnotherWay() {
        assertThat(Head.of(
                                429,
                                "x-rate-limit-reset-tokens",
                                "55",
                                "x-ratelimit-remaining-requests",
                                "79",
                                "x-ratelimit-remaining-tokens",
                                "0")
                        .hints()
                        .refusalWait())
                .isEqualTo(seconds(55));
    }

    @Test
    void anthropic_inputAndOutputTokensAreCountedApart() {
        List<String> lines = new ArrayList<>();
        for (String group : List.of("requests", "tokens", "input-tokens", "output-tokens")) {
            lines.addAll(List.of("anthropic-ratelimit-" + group + "-limit", "4000"));
            lines.addAll(List.of("anthropic-ratelimit-" + group + "-remaining", "1000"));
            lines.addAll(List.of("anthropic-ratelimit-" + group + "-reset", "2023-11-14T22:13:26Z"));
        }
        assertThat(Head.of(200, lines.toArray(String[]::new)).hints().quotas())
                .containsExactly(
                        new Quota("requests", 4000L, 1000L, seconds(6), null),
                        new Quota("tokens", 4000L, 1000L, seconds(6), null, Quota.TOKENS, null),
                        new Quota("input-tokens", 4000L, 1000L, seconds(6), null, Quota.INPUT_TOKENS, null),
                        new Quota("output-tokens", 4000L, 1000L, seconds(6), null, Quota.OUTPUT_TOKENS, null));
    }

    @Test
    void anthropic_theUsedShareOfASubscriptionIsNoCount() {
        RateHints hints = Head.of(
                        200,
                        "anthropic-ratelimit-unified-status",
                        "allowed",
                        "anthropic-ratelimit-unified-reset",
                        "1700013200",
                        "anthropic-ratelimit-unified-5h-status",
                        "allowed",
                        "anthropic-ratelimit-unified-5h-utilization",
                        "1.0",
                        "anthropic-ratelimit-unified-5h-reset",
                        "1700013200",
                        "anthropic-ratelimit-unified-7d-utilization",
                        "0.3",
                        "anthropic-ratelimit-unified-7d-reset",
                        "1700100000",
                        "anthropic-ratelimit-unified-fallback-percentage",
                        "0.5")
                .hints();
        assertThat(hints.quotas())
                .containsExactly(
                        new Quota("unified", null, null, seconds(13_200), null, "unified", null),
                        new Quota("unified-5h", null, null, seconds(13_200), Duration.ofHours(5), "unified", null),
                        new Quota("unified-7d", null, null, seconds(100_000), Duration.ofDays(7), "unified", null));
        assertThat(hints.scarcest()).isNull();
        assertThat(hints.resetOfExhausted()).isNull();
    }

    @Test
    void groq_hasOpenAisNamesAndCountsRequestsOfADay() {
        assertThat(Head.of(
                                429,
                                "retry-after",
                                "2",
                                "x-ratelimit-limit-requests",
                                "14400",
                                "x-ratelimit-remaining-requests",
                                "14370",
                                "x-ratelimit-reset-requests",
                                "2m59.56s",
                                "x-ratelimit-limit-tokens",
                                "18000",
                                "x-ratelimit-remaining-tokens",
                                "17997",
                                "x-ratelimit-reset-tokens",
                                "7.66s",
                                "x-ratelimit-limit-input-tokens",
                                "9000",
                                "x-ratelimit-remaining-input-tokens",
                                "8000")
                        .hints())
                .isEqualTo(new RateHints(
                        seconds(2),
                        List.of(
                                new Quota("requests", 14_400L, 14_370L, Duration.ofMillis(179_560), null),
                                new Quota("tokens", 18_000L, 17_997L, Duration.ofMillis(7_660), null, "tokens", null),
                                new Quota("input-tokens", 9000L, 8000L, null, null, "input-tokens", null))));
    }

    @Test
    void cerebras_theNameHasUnitAndWindow() {
        assertThat(Head.of(
                                200,
                                "x-ratelimit-limit-requests-day",
                                "14400",
                                "x-ratelimit-remaining-requests-day",
                                "14399",
                                "x-ratelimit-reset-requests-day",
                                "33011.382867097855",
                                "x-ratelimit-limit-tokens-minute",
                                "60000",
                                "x-ratelimit-remaining-tokens-minute",
                                "59000",
                                "x-ratelimit-reset-tokens-minute",
                                "11.382867097854614")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("requests-day", 14_400L, 14_399L, Duration.ofMillis(33_011_383), Duration.ofDays(1)),
                        new Quota(
                                "tokens-minute",
                                60_000L,
                                59_000L,
                                Duration.ofMillis(11_383),
                                Duration.ofMinutes(1),
                                "tokens",
                                null));
    }

    @Test
    void azureResourceManager_tellsWhatRemainsOfNamedPolicies() {
        assertThat(Head.of(
                                200,
                                "x-ms-ratelimit-remaining-subscription-reads",
                                "11999",
                                "x-ms-ratelimit-remaining-resource",
                                "Microsoft.Compute/HighCostGet3Min;197,Microsoft.Compute/HighCostGet30Min;1192")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("subscription-reads", null, 11_999L, null, null),
                        new Quota("Microsoft.Compute/HighCostGet3Min", null, 197L, null, null),
                        new Quota("Microsoft.Compute/HighCostGet30Min", null, 1192L, null, null));
    }

    @Test
    void microsoftGraph_aJoinedRetryAfterIsTheLongest() {
        assertThat(Head.of(429, "Retry-After", "0,120").hints().retryAfter()).isEqualTo(seconds(120));
    }

    @Test
    void aws_theWaitIsInMilliseconds() {
        assertThat(Head.of(503, "x-amz-retry-after", "500").hints().retryAfter())
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void cosmosDb_theWaitIsInMilliseconds() {
        assertThat(Head.of(429, "x-ms-retry-after-ms", "13", "x-ms-substatus", "3200")
                        .hints()
                        .retryAfter())
                .isEqualTo(Duration.ofMillis(13));
    }

    @Test
    void hubSpot_hasThreeQuotasInOneAnother() {
        assertThat(Head.of(
                                200,
                                "X-HubSpot-RateLimit-Daily",
                                "250000",
                                "X-HubSpot-RateLimit-Daily-Remaining",
                                "249999",
                                "X-HubSpot-RateLimit-Interval-Milliseconds",
                                "10000",
                                "X-HubSpot-RateLimit-Max",
                                "100",
                                "X-HubSpot-RateLimit-Remaining",
                                "99",
                                "X-HubSpot-RateLimit-Secondly",
                                "10",
                                "X-HubSpot-RateLimit-Secondly-Remaining",
                                "9")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("daily", 250_000L, 249_999L, null, Duration.ofDays(1)),
                        new Quota("hubspot", 100L, 99L, null, seconds(10)),
                        new Quota("secondly", 10L, 9L, null, seconds(1)));
    }

    @Test
    void salesforce_tellsWhatIsUsed() {
        assertThat(Head.of(200, "Sforce-Limit-Info", "api-usage=10018/100000; api-bursts=1/750")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("api-usage", 100_000L, 89_982L, null, null),
                        new Quota("api-bursts", 750L, 749L, null, null));
        assertThat(Head.of(200, "Sforce-Limit-Info", "api-usage=5/10(appName=a b)")
                        .quota()
                        .remaining())
                .isEqualTo(5);
    }

    @Test
    void zendesk_spellsOneQuotaInThreeWaysAndAddsOneOfTheEndpoint() {
        assertThat(Head.of(
                                200,
                                "x-rate-limit",
                                "700",
                                "ratelimit-limit",
                                "700",
                                "x-rate-limit-remaining",
                                "699",
                                "ratelimit-remaining",
                                "699",
                                "ratelimit-reset",
                                "41",
                                "zendesk-ratelimit-tickets-index",
                                "total=100; remaining=99; resets=41")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota(null, 700L, 699L, seconds(41), null),
                        new Quota("tickets-index", 100L, 99L, seconds(41), null));
    }

    @Test
    void okta_aLimitOfZeroDividesNothing() {
        RateHints hints = Head.of(
                        429,
                        "X-Rate-Limit-Limit",
                        "0",
                        "X-Rate-Limit-Remaining",
                        "0",
                        "X-Rate-Limit-Reset",
                        "1700000060")
                .hints();
        assertThat(hints.scarcest()).isEqualTo(new Quota(null, 0L, 0L, seconds(60), null));
    }

    @Test
    void jiraCloud_timesHaveNoSeconds() {
        Head head = Head.of(
                429,
                "X-RateLimit-Limit",
                "100",
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                "2023-11-14T22:15Z",
                "X-RateLimit-NearLimit",
                "true",
                "RateLimit-Reason",
                "jira-quota",
                "Beta-RateLimit",
                "\"a\";r=0;t=9");
        assertThat(head.hints().quotas())
                .containsExactly(
                        new Quota(null, 100L, 0L, seconds(100), null),
                        new Quota("a", null, 0L, seconds(9), null, Quota.POINTS, null));
    }

    @Test
    void confluenceDataCenter_aRetryAfterOfZeroOnASuccessIsNoRefusal() {
        Head head = Head.of(
                200,
                "X-RateLimit-Limit",
                "50",
                "X-RateLimit-Remaining",
                "49",
                "X-RateLimit-FillRate",
                "10",
                "X-RateLimit-Interval-Seconds",
                "60",
                "retry-after",
                "0");
        assertThat(head.outcome()).isEqualTo(Outcome.SUCCESS);
        assertThat(head.quota()).isEqualTo(new Quota(null, 50L, 49L, null, seconds(60)));
    }

    @Test
    void linear_resetsAreInMillisecondsOfTheEpochAndComplexityIsNotRequests() {
        assertThat(Head.of(
                                400,
                                "X-RateLimit-Requests-Remaining",
                                "0",
                                "X-RateLimit-Requests-Reset",
                                "1700000100000",
                                "X-RateLimit-Complexity-Limit",
                                "250000",
                                "X-Complexity",
                                "12")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("requests", null, 0L, seconds(100), null),
                        new Quota("complexity", 250_000L, null, null, null, "complexity", null));
    }

    @Test
    void twilio_aGaugeOfUseIsNoQuota() {
        assertThat(Head.of(429, "Twilio-Concurrent-Requests", "101").hints()).isSameAs(RateHints.NONE);
    }

    @Test
    void cloudflare_usesTheStructuredFields() {
        assertThat(Head.of(200, "Ratelimit", "\"default\";r=1199;t=1", "Ratelimit-Policy", "\"default\";q=1200;w=300")
                        .quota())
                .isEqualTo(new Quota("default", 1200L, 1199L, seconds(1), seconds(300)));
    }

    @Test
    void dockerHub_bothNumbersHaveTheWindow() {
        assertThat(Head.of(
                                200,
                                "ratelimit-limit",
                                "100;w=21600",
                                "ratelimit-remaining",
                                "20;w=21600",
                                "docker-ratelimit-source",
                                "192.0.2.1")
                        .quota())
                .isEqualTo(new Quota(null, 100L, 20L, null, seconds(21_600)));
    }

    @Test
    void twitch_anUnprefixedNameHasAnEpoch() {
        assertThat(Head.of(200, "Ratelimit-Remaining", "29", "Ratelimit-Reset", "1700000002", "Ratelimit-Limit", "30")
                        .quota())
                .isEqualTo(new Quota(null, 30L, 29L, seconds(2), null));
    }

    @Test
    void kong_theWindowIsInTheName() {
        Head head = Head.of(200);
        for (String window : List.of("Second", "Minute", "Hour", "Day", "Month", "Year")) {
            head = head.with("X-RateLimit-Limit-" + window, "5").with("X-RateLimit-Remaining-" + window, "4");
        }
        assertThat(head.hints().quotas())
                .extracting(Quota::window)
                .containsExactly(seconds(1), seconds(60), seconds(3600), Duration.ofDays(1), null, null);
    }

    @Test
    void envoy_anOldPrefixHasThePoliciesOfTheDrafts() {
        Head head = Head.of(
                429,
                "x-envoy-ratelimited",
                "true",
                "x-ratelimit-limit",
                "10, 10;w=1;name=\"per-ip\", 1000;w=3600",
                "x-ratelimit-remaining",
                "0",
                "x-ratelimit-reset",
                "1");
        assertThat(head.hints().quotas())
                .containsExactly(
                        new Quota("per-ip", 10L, 0L, seconds(1), seconds(1)),
                        new Quota(null, 1000L, null, null, seconds(3600)));
    }

    @Test
    void springCloudGateway_minusOneMeansThatNobodyCounts() {
        Head head = Head.of(
                200,
                "X-RateLimit-Remaining",
                "-1",
                "X-RateLimit-Requested-Tokens",
                "1",
                "X-RateLimit-Burst-Capacity",
                "20",
                "X-RateLimit-Replenish-Rate",
                "10");
        assertThat(head.quota()).isEqualTo(new Quota(null, 20L, null, null, seconds(2)));
    }

    /** A bucket of 60 tokens, ten a second, of which each request takes five. */
    @Test
    void springCloudGateway_theCountIsReadInRequests() {
        Head head = Head.of(
                200,
                "X-RateLimit-Remaining",
                "59",
                "X-RateLimit-Requested-Tokens",
                "5",
                "X-RateLimit-Burst-Capacity",
                "60",
                "X-RateLimit-Replenish-Rate",
                "10");
        assertThat(head.quota()).isEqualTo(new Quota(null, 12L, 11L, null, seconds(6)));
    }

    /** Tokens of a language model are no part of a bucket of requests. */
    @Test
    void requestedTokensWithoutABucketDivideNothing() {
        Head head = Head.of(
                200,
                "X-RateLimit-Limit",
                "5000",
                "X-RateLimit-Remaining",
                "4999",
                "X-RateLimit-Reset",
                "30",
                "X-RateLimit-Requested-Tokens",
                "1500");
        assertThat(head.quota()).isEqualTo(new Quota(null, 5000L, 4999L, seconds(30), null));
    }

    @Test
    void aRateBesideACountAndAWindowTellsNothingNew() {
        Head head = Head.of(
                200,
                "X-RateLimit-Limit",
                "100",
                "X-RateLimit-Remaining",
                "99",
                "X-RateLimit-Window",
                "60",
                "X-RateLimit-Refill-Rate",
                "1.67");
        assertThat(head.quota()).isEqualTo(new Quota(null, 100L, 99L, null, seconds(60)));
    }

    @Test
    void aRateOfABucketThatHoldsNothingIsNoWindow() {
        Head head = Head.of(
                200,
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Burst-Capacity",
                "0",
                "X-RateLimit-Replenish-Rate",
                "10");
        assertThat(head.quota()).isEqualTo(new Quota(null, 0L, 0L, null, null));
    }

    @Test
    void springCloudGateway_aBucketThatHoldsLessThanARequestTakesIsLeftAsItIs() {
        Head head = Head.of(
                429,
                "X-RateLimit-Remaining",
                "4",
                "X-RateLimit-Requested-Tokens",
                "5",
                "X-RateLimit-Burst-Capacity",
                "4");
        assertThat(head.quota()).isEqualTo(new Quota(null, 4L, 4L, null, null));
    }

    @Test
    void expressRateLimit_sendsOneLinePerLimiter() {
        assertThat(Head.of(
                                200,
                                "RateLimit-Policy",
                                "\"a\";q=5;w=60;pk=:YQ==:",
                                "RateLimit",
                                "\"a\";r=4;t=60",
                                "RateLimit-Policy",
                                "\"b\";q=9;w=9",
                                "RateLimit",
                                "\"b\";r=8;t=9")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota("a", 5L, 4L, seconds(60), seconds(60), Quota.REQUESTS, "YQ=="),
                        new Quota("b", 9L, 8L, seconds(9), seconds(9)));
    }

    @Test
    void datadog_thePeriodIsTheWindow() {
        assertThat(Head.of(
                                200,
                                "X-RateLimit-Limit",
                                "100",
                                "X-RateLimit-Period",
                                "3600",
                                "X-RateLimit-Remaining",
                                "99",
                                "X-RateLimit-Reset",
                                "1800",
                                "X-RateLimit-Name",
                                "logs")
                        .quota())
                .isEqualTo(new Quota("logs", 100L, 99L, seconds(1800), seconds(3600)));
    }

    @Test
    void akamai_nextIsTheTimeOfTheNextRequest() {
        assertThat(Head.of(429, "X-RateLimit-Remaining", "0", "X-RateLimit-Next", "2023-11-14T22:13:25.250Z")
                        .quota()
                        .reset())
                .isEqualTo(Duration.ofMillis(5250));
    }

    @Test
    void brevo_theVendorStandsInTheName() {
        assertThat(Head.of(
                                200,
                                "x-sib-ratelimit-limit",
                                "1000",
                                "x-sib-ratelimit-remaining",
                                "842",
                                "x-sib-ratelimit-reset",
                                "27")
                        .quota())
                .isEqualTo(new Quota("sib", 1000L, 842L, seconds(27), null));
    }

    @Test
    void binance_aBanIs418AndUsedWeightIsNoQuota() {
        Head head = Head.of(418, "Retry-After", "259200", "X-MBX-USED-WEIGHT-1M", "6120");
        assertThat(head.hints()).isEqualTo(new RateHints(Duration.ofDays(3), List.of()));
        assertThat(head.outcome()).isEqualTo(Outcome.RATE_LIMITED);
    }

    @Test
    void sentry_closesCategories() {
        assertThat(Head.of(429, "X-Sentry-Rate-Limits", "60:error;transaction:organization:quota, 2700::key, x:y:z")
                        .hints()
                        .quotas())
                .containsExactly(closed("error", 60), closed("transaction", 60), closed(null, 2700));
    }

    private static Quota closed(@Nullable String category, long reset) {
        return new Quota(category, null, 0L, seconds(reset), null);
    }

    @Test
    void facebook_jsonInAHeaderIsLeftAlone() {
        assertThat(Head.of(200, "X-App-Usage", "{\"call_count\":28}", "X-Business-Use-Case-Usage", "{}")
                        .hints())
                .isSameAs(RateHints.NONE);
    }

    @Test
    void prisjakt_theUnitIsSetByHand() {
        HintReader reader = HintReader.builder().resetUnit(ResetUnit.MILLIS).build();
        Head head = Head.of(200, "X-Rate-Limit-Reset", "600000");
        assertThat(reader.read(head, Head.NOW).quotas().get(0).reset()).isEqualTo(seconds(600));
    }

    @Test
    void lemlist_theResetIsADateOfJavaScript() {
        Head head = Head.of(
                429,
                "X-RateLimit-Limit",
                "20",
                "X-RateLimit-Remaining",
                "0",
                "Retry-After",
                "2",
                "X-RateLimit-Reset",
                "Tue Nov 14 2023 23:13:21 GMT+0100 (Central European Standard Time)");
        assertThat(head.quota().reset()).isEqualTo(Duration.ofMillis(1_999));
        assertThat(head.hints().retryAfter()).isEqualTo(seconds(2));
    }

    @Test
    void vimeo_theResetIsADate() {
        assertThat(Head.of(200, "X-RateLimit-Reset", "Tue, 14 Nov 2023 22:14:20 GMT")
                        .quota()
                        .reset())
                .isEqualTo(seconds(60));
    }

    @Test
    void oxy_aWaitIsAGoDuration() {
        assertThat(Head.of(429, "X-Retry-In", "30s").hints().retryAfter()).isEqualTo(seconds(30));
    }

    @Test
    void mailerLite_hasItsOwnRetryAfter() {
        assertThat(Head.of(429, "X-RateLimit-Retry-After", "59").hints().retryAfter())
                .isEqualTo(seconds(59));
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }
}
