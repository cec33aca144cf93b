package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.okhttp.RefusalTest.Door;
import java.io.IOException;
import java.util.Map;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quotas that count other paths, with the defaults. */
class NamedQuotasTest extends LoopbackTest {

    private final ThrottleRegistry throttles = ThrottleRegistry.create();

    private static MockResponse counted(RecordedRequest request) {
        boolean isSearch = request.getTarget().startsWith("/search");
        boolean isUsedUp = isSearch && request.getTarget().endsWith("9");
        MockResponse.Builder response = status(isUsedUp ? 429 : 200)
                .newBuilder()
                .addHeader("x-ratelimit-limit", 1_000)
                .addHeader("x-ratelimit-remaining", isUsedUp ? 0 : 900)
                .addHeader("x-ratelimit-reset", 3_600)
                .addHeader("x-ratelimit-resource", isSearch ? "search" : "core");
        return (isUsedUp ? response.addHeader("Retry-After", "3600") : response).build();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalHoldsBackThePathsThatItsQuotaCounts(Door door) throws IOException {
        answer(NamedQuotasTest::counted);
        for (String path : new String[] {"/repos/1", "/repos/2", "/repos/3", "/search/1"}) {
            assertThat(door.status(plain(), throttles, get(path))).isEqualTo(200);
        }
        assertThatThrownBy(() -> door.status(plain(), throttles, get("/search/9")))
                .isInstanceOf(ThrottleRejectedException.class);
        int sent = server.getRequestCount();
        assertThatThrownBy(() -> door.status(plain(), throttles, get("/search/2")))
                .isInstanceOf(ThrottleRejectedException.class)
                .hasMessageContaining("(retry-after, quota search)");
        assertThat(server.getRequestCount()).isEqualTo(sent);
        for (int i = 0; i < 10; i++) {
            assertThat(door.status(plain(), throttles, get("/repos/" + i))).isEqualTo(200);
        }
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void theModelIsAPartOfTheRoute(Door door) throws IOException {
        answer(request -> request.getBody() != null && request.getBody().utf8().contains(":free")
                ? status(429)
                        .newBuilder()
                        .addHeader("Content-Type", "application/json")
                        .addHeader("Date", "Tue, 06 Oct 2026 12:00:00 GMT")
                        .body("{\"error\":{\"message\":\"Rate limit exceeded: free-models-per-day\",\"code\":429}}")
                        .build()
                : status(200));
        assertThat(door.status(plain(), throttles, chat("x:free"))).isEqualTo(429);
        assertThatThrownBy(() -> door.status(plain(), throttles, chat("x:free")))
                .isInstanceOf(ThrottleRejectedException.class)
                .hasMessageContaining("free-models-per-day");
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(door.status(plain(), throttles, chat("paid"))).isEqualTo(200);
        assertIdle(throttles);
    }

    /** Refusals of six vendors; those of which the second part is true are about a quota that is used up. */
    private static final Map<String, Boolean> INCURABLE = Map.of(
            "{\"error\":{\"message\":\"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested"
                    + " 250011. The input or output tokens must be reduced\",\"code\":\"rate_limit_exceeded\"}}",
            false,
            "{\"error\":{\"message\":\"Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested"
                    + " 9000, please reduce your message size\",\"code\":\"rate_limit_exceeded\"}}",
            false,
            "{\"error\":{\"message\":\"Rate limit exceeded: free-models-per-day. \",\"code\":429}}",
            true,
            "{\"message\":\"You are using a Trial key, which is limited to 1000 API calls / month.\"}",
            true,
            "{\"errors\":[{\"error\":\"PUBLIC_API_BILLING_LIMIT_EXCEEDED\",\"message\":\"x\"}]}",
            true,
            "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":"
                    + "\"GenerateRequestsPerDayPerProjectPerModel-FreeTier\"}]},{\"retryDelay\":\"45s\"}]}}",
            true);

    @ParameterizedTest
    @EnumSource
    void whatNoWaitCuresIsOneRequestAndDelaysNobody(Door door) throws IOException {
        for (Map.Entry<String, Boolean> refusal : INCURABLE.entrySet()) {
            answer(request -> request.getTarget().startsWith("/refused")
                    ? status(429)
                            .newBuilder()
                            .addHeader("Content-Type", "application/json")
                            .addHeader("Date", "Tue, 06 Oct 2026 12:00:00 GMT")
                            .body(refusal.getKey())
                            .build()
                    : status(200));
            ThrottleRegistry fresh = ThrottleRegistry.create();
            int before = server.getRequestCount();
            assertThat(door.status(plain(), fresh, get("/refused"))).isEqualTo(429);
            assertThat(server.getRequestCount()).as(refusal.getKey()).isEqualTo(before + 1);
            Throttle throttle = fresh.all().iterator().next();
            assertThat(throttle.estimateWait(CallOptions.DEFAULT.route("GET /other"))
                            .isAtOnce())
                    .as(refusal.getKey())
                    .isTrue();
            assertThat(door.status(plain(), fresh, get("/other"))).isEqualTo(200);
            if (refusal.getValue()) {
                assertThatThrownBy(() -> door.status(plain(), fresh, get("/refused")))
                        .isInstanceOf(ThrottleRejectedException.class);
                assertThat(server.getRequestCount()).isEqualTo(before + 2);
            }
            assertIdle(fresh);
        }
    }

    private Request chat(String model) {
        String body = "{\"model\":\"" + model + "\",\"messages\":[{\"content\":\"hello\"}]}";
        return get("/api/v1/chat/completions")
                .newBuilder()
                .post(RequestBody.create(body, MediaType.get("application/json")))
                .build();
    }
}
