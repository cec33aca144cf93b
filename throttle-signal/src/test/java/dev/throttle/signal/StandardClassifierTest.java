package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandardClassifierTest {

    @ParameterizedTest
    @ValueSource(ints = {420, 429, 509})
    void aQuotaStatusIsAlwaysThrottled(int status) {
        assertThat(Head.of(status).outcome()).isEqualTo(Outcome.RATE_LIMITED);
    }

    @ParameterizedTest
    @ValueSource(ints = {503, 529})
    void anOverloadStatusIsAlwaysBusy(int status) {
        assertThat(Head.of(status).outcome()).isEqualTo(Outcome.BUSY);
    }

    @ParameterizedTest
    @ValueSource(ints = {413, 500})
    void aFaultIsBusyOnlyWithAValidRetryAfter(int status) {
        assertThat(Head.of(status, "Retry-After", "5").outcome()).isEqualTo(Outcome.BUSY);
        assertThat(Head.of(status, "Retry-After", "soon").outcome()).isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(status, "X-RateLimit-Remaining", "0").outcome()).isEqualTo(Outcome.SUCCESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {502, 504})
    void aGatewayWithoutItsServerIsUnreachableUnlessItNamesATime(int status) {
        assertThat(Head.of(status, "Retry-After", "5").outcome()).isEqualTo(Outcome.BUSY);
        assertThat(Head.of(status, "Retry-After", "soon").outcome()).isEqualTo(Outcome.UNREACHABLE);
        assertThat(Head.of(status).outcome()).isEqualTo(Outcome.UNREACHABLE);
    }

    @Test
    void a418IsABanOnlyWithAValidRetryAfter() {
        assertThat(Head.of(418, "Retry-After", "5").outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(Head.of(418).outcome()).isEqualTo(Outcome.SUCCESS);
    }

    @Test
    void a403IsAQuotaOnlyIfTheHeadersSaySo() {
        assertThat(Head.of(403).outcome()).isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(403, "X-RateLimit-Remaining", "9").outcome()).isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(403, "X-RateLimit-Remaining", "0").outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(Head.of(403, "X-RateLimit-Remaining", "0", "Age", "9").outcome())
                .isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(403, "X-RateLimit-Remaining", "-1").outcome()).isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(403, "anthropic-ratelimit-tokens-remaining", "0").outcome())
                .isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(403, "Retry-After", "5").outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(Head.of(403, "X-GitHub-Request-Id", "1").outcome()).isEqualTo(Outcome.SUCCESS);
    }

    @Test
    void a400IsAQuotaOnlyByTheErrorCodeOfAws() {
        for (String type : List.of(
                "ThrottlingException",
                "ThrottlingException:http://internal.amazon.com/coral/",
                "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
                " RequestLimitExceeded ")) {
            assertThat(Head.of(400, "X-Amzn-ErrorType", type).outcome())
                    .as(type)
                    .isEqualTo(Outcome.RATE_LIMITED);
        }
        assertThat(Head.of(400, "x-amzn-errortype", "ValidationException").outcome())
                .isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(400, "Retry-After", "5", "X-RateLimit-Remaining", "0")
                        .outcome())
                .isEqualTo(Outcome.SUCCESS);
        assertThat(Head.of(404, "x-amzn-errortype", "ThrottlingException").outcome())
                .isEqualTo(Outcome.SUCCESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 204, 301, 304, 401, 404, 408, 425, 451, 501})
    void anyOtherStatusIsAnAnswer(int status) {
        assertThat(Head.of(status, "Retry-After", "5", "X-RateLimit-Remaining", "0")
                        .outcome())
                .isEqualTo(Outcome.SUCCESS);
    }
}
