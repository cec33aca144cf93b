package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BodyClassifierTest {

    private static final String SECONDARY =
            "{\"message\":\"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.\"}";

    @Test
    void gitHubsSecondaryLimitIsInTheBodyAndAsksForAMinute() {
        Head head = Head.of(403, "x-ratelimit-remaining", "22", "x-ratelimit-reset", "1700000040");
        Signal signal = classify(BodyClassifier.standard(), head, SECONDARY);
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(signal.hints().refusalWait()).isEqualTo(Duration.ofMinutes(1));
        assertThat(signal.hints().quotas()).isEqualTo(head.hints().quotas());
        assertThat(classify(BodyClassifier.standard(), head, "{\"message\":\"Must have admin rights\"}"))
                .isNull();
    }

    @Test
    void aResponseWhoseHeadersNameATimeNeedsNoBody() {
        assertThat(needsBody(BodyClassifier.standard(), Head.of(429, "Retry-After", "5")))
                .isFalse();
        assertThat(needsBody(
                        BodyClassifier.standard(),
                        Head.of(403, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "5")))
                .isFalse();
        assertThat(classify(BodyClassifier.gitHub(), Head.of(429, "Retry-After", "5"), SECONDARY))
                .isNull();
    }

    @Test
    void anAnswerNeedsNoBody() {
        for (int status : new int[] {200, 201, 301, 401, 404, 500, 503}) {
            assertThat(needsBody(BodyClassifier.standard(), Head.of(status, "Content-Type", "application/json")))
                    .isFalse();
        }
        assertThat(needsBody(BodyClassifier.none(), Head.of(403))).isFalse();
    }

    @Test
    void dynamoDbNamesTheErrorInTheBodyOfA400() {
        Head head = Head.of(400);
        assertThat(outcome(
                        BodyClassifier.aws(),
                        head,
                        "{\"__type\" : \"com.amazonaws.dynamodb.v20120810#ThrottlingException\",\"message\":\"x\"}"))
                .isEqualTo(Outcome.RATE_LIMITED);
        assertThat(outcome(BodyClassifier.aws(), head, "<Errors><Error><Code>RequestLimitExceeded</Code>"))
                .isEqualTo(Outcome.RATE_LIMITED);
        assertThat(outcome(
                        BodyClassifier.aws(),
                        head,
                        "{\"__type\":\"a#ValidationException\",\"m\":\"ThrottlingException\"}"))
                .isNull();
        assertThat(outcome(BodyClassifier.aws(), head, "<Code>Throttling")).isNull();
    }

    @Test
    void googleNamesTheReasonAndPerhapsTheDelayInTheBody() {
        Head head = Head.of(403);
        Signal plain = classify(
                BodyClassifier.standard(), head, "{\"error\":{\"errors\":[{\"reason\":\"userRateLimitExceeded\"");
        assertThat(plain).isNotNull();
        assertThat(plain.hints().refusalWait()).isEqualTo(Duration.ofSeconds(30));
        Signal delayed = classify(
                BodyClassifier.google(),
                Head.of(429),
                "{\"error\":{\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"retryDelay\":\"34.5s\"}]}}");
        assertThat(delayed).isNotNull();
        assertThat(delayed.hints().refusalWait()).isEqualTo(Duration.ofMillis(34_500));
        assertThat(classify(BodyClassifier.google(), head, "{\"reason\":\"forbidden\",\"retryDelay\":\"3s\"}"))
                .isNull();
    }

    @Test
    void linearAndGraphQlNameACode() {
        String body = "{\"errors\":[{\"extensions\":{\"code\":\"RATELIMITED\"}}]}";
        assertThat(outcome(BodyClassifier.standard(), Head.of(400), body)).isEqualTo(Outcome.RATE_LIMITED);
        Head answer = Head.of(200, "Content-Type", "application/graphql-response+JSON");
        assertThat(needsBody(BodyClassifier.standard(), answer)).isFalse();
        assertThat(outcome(BodyClassifier.graphQl(), answer, "{\"errors\":[{\"type\":\"RATE_LIMITED\"}]}"))
                .isEqualTo(Outcome.RATE_LIMITED);
        assertThat(outcome(BodyClassifier.graphQl(), Head.of(200, "Content-Type", "text/html"), body))
                .isNull();
    }

    @Test
    void shopifyTellsHowLongAQueryHasToWaitForItsPoints() {
        String body = "{\"errors\":[{\"extensions\":{\"code\":\"THROTTLED\"}}],\"extensions\":{\"cost\":"
                + "{\"requestedQueryCost\":300,\"actualQueryCost\":null,\"throttleStatus\":"
                + "{\"maximumAvailable\":1000.0,\"currentlyAvailable\":120,\"restoreRate\":50.0}}}}";
        Signal signal = classify(BodyClassifier.graphQl(), Head.of(200, "Content-Type", "application/json"), body);
        assertThat(signal).isNotNull();
        assertThat(signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(signal.hints().retryAfter()).isEqualTo(Duration.ofMillis(3600));
    }

    private static final Head REFUSED_IN_JSON = Head.of(429, "Content-Type", "application/json; charset=utf-8");

    @Test
    void anAccountWithoutMoneyIsDeniedWhateverTimeTheHeadersName() {
        String openAi = "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":\"insufficient_quota\","
                + "\"param\":null,\"code\":\"insufficient_quota\"}}";
        for (Head head : new Head[] {REFUSED_IN_JSON, REFUSED_IN_JSON.with("Retry-After", "7")}) {
            assertThat(classify(BodyClassifier.standard(), head, openAi)).isSameAs(Signal.DENIED);
        }
        for (String code : new String[] {
            "billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error", "insufficient_balance"
        }) {
            String body = "{\"error\": {\"code\": \"" + code + "\"}}";
            assertThat(outcome(BodyClassifier.billing(), REFUSED_IN_JSON, body)).isEqualTo(Outcome.DENIED);
        }
        assertThat(outcome(
                        BodyClassifier.billing(),
                        REFUSED_IN_JSON,
                        "{\"type\":\"error\",\"error\":{\"type\":\"billing_error\"}}"))
                .isEqualTo(Outcome.DENIED);
    }

    @Test
    void aRateLimitWithTheSameWordsIsNoEmptyAccount() {
        for (String body : new String[] {
            "{\"error\":{\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\",\"message\":\"insufficient_quota\"}}",
            "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"Allocated quota exceeded, see #token-limit\"}}",
            "{\"error\":{\"type\":\"rate_limit_error\"}}"
        }) {
            assertThat(classify(BodyClassifier.billing(), REFUSED_IN_JSON, body))
                    .isNull();
        }
        String denied = "{\"code\":\"insufficient_quota\"}";
        assertThat(classify(BodyClassifier.billing(), Head.of(429, "Content-Type", "text/html"), denied))
                .isNull();
        assertThat(classify(BodyClassifier.billing(), Head.of(400, "Content-Type", "application/json"), denied))
                .isNull();
    }

    @Test
    void aQuotaOfADayIsNotWaitedForButOneOfAMinuteIs() {
        String form = "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":["
                + "{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":[{\"quotaId\":\"%s\"}]},"
                + "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"45.837906927s\"}]}}";
        String daily = form.formatted("GenerateRequestsPerDayPerProjectPerModel-FreeTier");
        Head noon = REFUSED_IN_JSON.with("Date", "Tue, 06 Oct 2026 19:00:00 GMT"); // 12:00 in California
        Signal day = classify(BodyClassifier.standard(), noon, daily);
        assertThat(day).isNotNull();
        assertThat(day.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(day.hints().refusalWait()).isEqualTo(Duration.ofHours(12));
        assertThat(day.hints().blamed()).containsExactly("GenerateRequestsPerDayPerProjectPerModel-FreeTier");
        Signal minute = classify(
                BodyClassifier.standard(),
                REFUSED_IN_JSON,
                form.formatted("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"));
        assertThat(minute).isNotNull();
        assertThat(minute.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(minute.hints().retryAfter()).isEqualTo(Duration.ofMillis(45_838));
        assertThat(outcome(BodyClassifier.google(), Head.of(403), "{\"reason\":\"dailyLimitExceeded\"}"))
                .isEqualTo(Outcome.DENIED);
    }

    @Test
    void aTruncatedOrStrangeBodyTellsNothing() {
        for (String body :
                new String[] {"", "{", "\"__type\"", "\"__type\":", "\"__type\":\"Thro", "\u0000\uffff", "\"reason\":5"
                }) {
            for (int status : new int[] {400, 403, 429}) {
                assertThat(classify(BodyClassifier.standard(), Head.of(status), body))
                        .isNull();
            }
        }
    }

    private static boolean needsBody(BodyClassifier classifier, Head head) {
        return classifier.needsBody(head, Signal.of(head.outcome(), head.hints()));
    }

    private static @Nullable Signal classify(BodyClassifier classifier, Head head, String body) {
        return classifier.classify(head, Signal.of(head.outcome(), head.hints()), body);
    }

    private static @Nullable Outcome outcome(BodyClassifier classifier, Head head, String body) {
        Signal signal = classify(classifier, head, body);
        return signal == null ? null : signal.outcome();
    }
}
