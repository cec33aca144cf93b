package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies as servers send them, and whether a wait helps. */
class RefusalBodiesTest {

    /** Noon in London and 05:00 in California. */
    private static final String NOON = "Tue, 06 Oct 2026 12:00:00 GMT";

    /** A refusal that the caller gets at once, and for how long its quota is used up; null if it is about its size. */
    record Incurable(String vendor, String body, @Nullable Duration usedUpFor, List<String> blamed) {}

    private static final Duration TO_NOVEMBER = Duration.ofDays(25).plusHours(12);

    static List<Incurable> incurable() {
        return List.of(
                new Incurable("OpenAI", """
                        {"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): \
                        Limit 30000, Requested 250011. The input or output tokens must be reduced in order to run \
                        successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",\
                        "type":"tokens","param":null,"code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("OpenAI without numbers", """
                        {"error":{"message":"Request too large for this model. The input or output tokens must be \
                        reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("Groq", """
                        {"error":{"message":"Request too large for model `llama-3.3-70b` in organization `org_0` service \
                        tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your \
                        message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("a request that is larger than its day", """
                        {"error":{"message":"Rate limit reached for model `x` on tokens per day (TPD): Limit 200000, \
                        Used 100, Requested 250000. Please try again in 6h0m0s.","code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("OpenAI with another end", """
                        {"error":{"message":"Request too large for gpt-4.1-mini in organization org-x on tokens per min \
                        (TPM): Limit 200000, Requested 205482. Please reduce your message size and try again.",\
                        "type":"tokens","code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("OpenAI in short", """
                        {"error":{"message":"Request too large for gpt-4o-mini: Limit 200000, Requested 329134",\
                        "type":"tokens","code":"rate_limit_exceeded"}}""", null, List.of()),
                new Incurable("Groq's day", """
                        {"error":{"message":"Rate limit reached for model `openai/gpt-oss-20b` on tokens per day (TPD): \
                        Limit 200000, Used 199919, Requested 13214. Please try again in 1h34m38.304s. Need more \
                        tokens?","type":"tokens","code":"rate_limit_exceeded"}}""", Duration.ofMillis(5_678_304), List.of("tpd")),
                new Incurable("OpenAI's day", """
                        {"error":{"message":"Rate limit reached for gpt-4o on requests per day (RPD): Limit 200, Used \
                        200, Requested 1.","type":"requests","code":"rate_limit_exceeded"}}""", Duration.ofHours(12), List.of("rpd")),
                new Incurable("OpenRouter", """
                        {"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free \
                        model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50",\
                        "X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1791331200000"},"provider_name":null}},\
                        "user_id":"user_x"}""", Duration.ofHours(12), List.of("free-models-per-day")),
                new Incurable(
                        "OpenRouter with credits",
                        """
                        {"error":{"message":"Rate limit exceeded: free-models-per-day-high-balance. ","code":429,\
                        "metadata":{"headers":{"X-RateLimit-Limit":"1000","X-RateLimit-Remaining":"0",\
                        "X-RateLimit-Reset":"1791331200000"}}}}""",
                        Duration.ofHours(12),
                        List.of("free-models-per-day-high-balance")),
                new Incurable("Cohere", """
                        {"id":"x","message":"You are using a Trial key, which is limited to 1000 API calls / month. You \
                        can continue to use the Trial key for free or upgrade to a Production key."}""", TO_NOVEMBER, List.of("month")),
                new Incurable("Airtable", """
                        {"errors":[{"error":"PUBLIC_API_BILLING_LIMIT_EXCEEDED","message":"API billing plan limit \
                        exceeded."}]}""", TO_NOVEMBER, List.of("month")),
                new Incurable(
                        "Gemini",
                        """
                        {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":\
                        "type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":\
                        "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":\
                        "type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45s"}]}}""",
                        Duration.ofHours(19),
                        List.of("GenerateRequestsPerDayPerProjectPerModel-FreeTier")));
    }

    private static Head refusal(String... more) {
        Head head = Head.of(429, "Content-Type", "application/json; charset=utf-8", "Date", NOON);
        for (int i = 0; i < more.length; i += 2) {
            head = head.with(more[i], more[i + 1]);
        }
        return head;
    }

    private static @Nullable Signal classify(Head head, String body) {
        return BodyClassifier.standard().classify(head, Signal.of(head.outcome(), head.hints()), body);
    }

    @ParameterizedTest
    @MethodSource("incurable")
    void whatNoWaitCuresIsDenied(Incurable refusal) {
        Head head = refusal("X-RateLimit-Remaining-Tokens", "14", "X-RateLimit-Reset-Tokens", "0s");
        Signal signal = classify(head, refusal.body);
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(signal.hints().refusalWait()).isEqualTo(refusal.usedUpFor);
        assertThat(signal.hints().blamed()).isEqualTo(refusal.blamed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"error\":{\"message\":\"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, "
                        + "Requested 8000. Please try again in 6s.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}",
                "{\"error\":{\"message\":\"Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3, "
                        + "Requested 1. Please try again in 20s.\",\"code\":\"rate_limit_exceeded\"}}",
                "{\"error\":{\"message\":\"Rate limit reached on tokens per day (TPD): Limit 200000, Used 199708, "
                        + "Requested 1214. Please try again in 6m38.304s.\",\"code\":\"rate_limit_exceeded\"}}",
                "{\"error\":{\"message\":\"Rate limit exceeded: free-models-per-min. \",\"code\":429,\"metadata\":"
                        + "{\"headers\":{\"X-RateLimit-Limit\":\"20\",\"X-RateLimit-Remaining\":\"0\"}}}}",
                "{\"error\":{\"message\":\"Provider returned error\",\"code\":429,\"metadata\":{\"raw\":"
                        + "\"x is temporarily rate-limited upstream. Please retry shortly.\"}}}",
                "{\"message\":\"You are using a Trial key, which is limited to 20 API calls / minute.\"}",
                "{\"errors\":[{\"error\":\"RATE_LIMIT_REACHED\",\"message\":\"Rate limit exceeded.\"}]}",
                "{\"errors\":[{\"message\":\"too many requests\"}]}",
                "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"This request would exceed your "
                        + "organization's rate limit of 30,000 input tokens per minute.\"}}",
                "{\"error\":{\"code\":\"429\",\"message\":\"Rate limit is exceeded. Try again in 12 seconds.\"}}",
                "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":"
                        + "\"GenerateRequestsPerMinutePerProjectPerModel-FreeTier\"}]},{\"retryDelay\":\"45s\"}]}}",
                "{\"status\":429,\"err\":\"Rate limit exceeded\"}",
                "{\"message\":\"You are being rate limited.\",\"retry_after\":1.336,\"global\":false}",
                "{\"message\":\"API rate limit exceeded for user ID 1.\",\"documentation_url\":\"https://docs.github.com\"}",
                "{\"ok\":false,\"error\":\"ratelimited\"}",
                "{\"error\":\"Too Many Requests\",\"message\":\"month: October, day: 6\"}",
                "{\"error\":{\"message\":\"Limit 0, Requested 5\"}}",
                "{\"error\":{\"message\":\"Limit 99999999999999999999, Requested 5\"}}",
                "{\"detail\":\"Request was throttled. Expected available in 3 seconds.\"}",
                "{\"note\":\"Request too large\"}",
                "{\"error\":{\"message\":\"{\\\"code\\\":\\\"insufficient_quota\\\"}\"}}",
                "not JSON at all: Request too large, must be reduced",
                "{\"error\":{\"message\":\"Request too la",
                ""
            })
    void whatAWaitCuresIsNotDenied(String body) {
        Signal signal = classify(refusal("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "20"), body);
        assertThat(signal == null ? Outcome.RATE_LIMITED : signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
    }

    static List<String> curable() throws IOException {
        try (InputStream lines = RefusalBodiesTest.class.getResourceAsStream("/refusals-that-a-wait-cures.txt")) {
            return new String(Objects.requireNonNull(lines).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    /**
     * As servers sent them. Some speak of a smaller request, of billing or of a day, and are over soon all the same.
     */
    @ParameterizedTest
    @MethodSource("curable")
    void whatAWaitHasCuredIsNotDenied(String body) {
        whatAWaitCuresIsNotDenied(body);
    }

    @Test
    void aRefusalSaysExactlyWhatTheRequestTakes() {
        Signal tooLarge = classify(refusal(), incurable().get(0).body);
        assertThat(tooLarge).isNotNull();
        assertThat(tooLarge.hints().demand()).isEqualTo(new Demand("tokens", 250_011, 30_000));
        Signal curable = classify(
                refusal("Retry-After", "6"),
                "{\"error\":{\"message\":\"on input tokens per min: Limit 30000, Used 25000, Requested 8000.\"}}");
        assertThat(curable).isNotNull();
        assertThat(curable.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(curable.hints().demand()).isEqualTo(new Demand("input-tokens", 8_000, 30_000));
        assertThat(curable.hints().retryAfter()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void aDayThatIsNearlyOverIsWaitedFor() {
        Head evening = Head.of(429, "Content-Type", "application/json", "Date", "Tue, 06 Oct 2026 23:50:00 GMT");
        String perDay = incurable().stream()
                .filter(one -> one.blamed.equals(List.of("rpd")))
                .findFirst()
                .orElseThrow()
                .body;
        Signal signal = classify(evening, perDay);
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(signal.hints().retryAfter()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void withoutADateADayIsAskedForAgainAfterAnHour() {
        for (Head head : new Head[] {
            Head.of(429, "Content-Type", "application/json"),
            Head.of(429, "Content-Type", "application/json", "Date", "tomorrow")
        }) {
            Signal signal = classify(head, incurable().get(8).body);
            assertThat(signal).isNotNull();
            assertThat(signal.hints().retryAfter()).isEqualTo(Duration.ofHours(1));
        }
    }

    private static final String PROBLEM = "{\"type\":\"https://iana.org/assignments/http-problem-types#%s\","
            + "\"title\":\"x\",\"violated-policies\":[\"daily\",\"burst\"]}";

    @Test
    void aProblemNamesThePoliciesThatAreViolated() {
        Head head = Head.of(
                429,
                "Content-Type",
                "application/problem+json",
                "RateLimit",
                "\"daily\";r=12;t=50, \"hourly\";r=7;t=20");
        Signal signal = classify(head, PROBLEM.formatted("quota-exceeded"));
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(signal.hints().blamed()).containsExactly("daily");
        assertThat(signal.hints().resetOfExhausted()).isEqualTo(Duration.ofSeconds(50));
        assertThat(signal.hints().quotas()).extracting(Quota::policy).containsExactly("daily", "hourly", "burst");
    }

    @Test
    void abnormalUsageIsNotRepeatedBeforeAMinute() {
        for (String told : new String[] {"1", "60", "90"}) {
            Head head = Head.of(429, "Content-Type", "application/problem+json", "Retry-After", told);
            Signal signal = classify(head, PROBLEM.formatted("abnormal-usage-detected"));
            assertThat(signal).isNotNull();
            assertThat(signal.hints().refusalWait())
                    .isEqualTo(Duration.ofSeconds(Math.max(60, Integer.parseInt(told))));
        }
    }

    @Test
    void reducedCapacityIsNoFaultOfTheCaller() {
        Head head = Head.of(503, "Content-Type", "application/problem+json");
        Signal signal = classify(head, PROBLEM.formatted("temporary-reduced-capacity"));
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.BUSY);
        assertThat(classify(head, PROBLEM.formatted("something-else"))).isNull();
        assertThat(BodyClassifier.problem().needsBody(Head.of(503), Signal.BUSY))
                .isFalse();
        assertThat(BodyClassifier.problem().needsBody(head, Signal.SUCCESS)).isFalse();
    }
}
