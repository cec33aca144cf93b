package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.RefusalTest.Door;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.time.Duration;
import mockwebserver3.MockResponse;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals that no wait can mend, with the defaults. */
class DeniedTest extends LoopbackTest {

    private static final String EMPTY_ACCOUNT = """
            {"error": {"message": "You exceeded your current quota, please check your plan and billing details.",
              "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}
            """;

    private final ThrottleRegistry throttles = ThrottleRegistry.create();

    private static MockResponse refusal(int status, String body) {
        return status(status)
                .newBuilder()
                .addHeader("Content-Type", "application/json")
                .body(body)
                .build();
    }

    private Throttle ours() {
        return throttles.get(keyOf(get("/")));
    }

    private static void assertNotSlowed(Throttle throttle) {
        assertThat(throttle.snapshot().blocked()).isZero();
        assertThat(throttle.snapshot().sleep()).isZero();
        assertThat(throttle.snapshot().rateLimit()).isPositive().isInfinite();
    }

    @ParameterizedTest
    @EnumSource
    void anEmptyAccountIsToldAtOnceWithOneRequestAndSlowsNobody(Door door) throws IOException {
        for (boolean namesATime : new boolean[] {false, true}) {
            int before = server.getRequestCount();
            MockResponse plain = refusal(429, EMPTY_ACCOUNT);
            server.enqueue(
                    namesATime
                            ? plain.newBuilder()
                                    .addHeader("Retry-After", "3600")
                                    .build()
                            : plain);
            try (Response response = door.execute(door.call(plain(), throttles, get("/")))) {
                assertThat(response.code()).isEqualTo(429);
                assertThat(response.body().string()).isEqualTo(EMPTY_ACCOUNT);
            }
            assertThat(server.getRequestCount()).isEqualTo(before + 1);
            assertNotSlowed(ours());
        }
        for (int i = 0; i < 20; i++) {
            server.enqueue(status(200));
            assertThat(door.status(plain(), throttles, get("/other"))).isEqualTo(200);
        }
        assertThat(ours().count(Outcome.DENIED)).isEqualTo(2);
        assertThat(ours().count(Outcome.RATE_LIMITED)).isZero();
        assertThat(ours().snapshot().notRetried()).containsEntry(StopReason.PERMANENT, 2L);
        assertNotSlowed(ours());
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalInJsonThatATimeMendsIsWaitedOut(Door door) throws IOException {
        MockResponse passing = refusal(429, "{\"error\":{\"code\":\"rate_limit_exceeded\"}}");
        server.enqueue(passing.newBuilder().addHeader("Retry-After-Ms", "30").build());
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(200);
        assertThat(ours().count(Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatSaysNoIsNotAskedAgainButItsTimeHolds(Door door) throws IOException {
        server.enqueue(status(429)
                .newBuilder()
                .addHeader("x-should-retry", "false")
                .addHeader("Retry-After", "60")
                .build());
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(ours().count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(ours().snapshot().notRetried()).containsEntry(StopReason.PERMANENT, 1L);
        assertThat(ours().snapshot().blocked()).isGreaterThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatSaysYesIsAskedAgainWithAPost(Door door) throws IOException {
        Request post = get("/").newBuilder()
                .post(RequestBody.create("{}", MediaType.get("application/json")))
                .build();
        MockResponse overloaded =
                status(503).newBuilder().addHeader("X-Test", "1").build();
        server.enqueue(overloaded);
        assertThat(door.status(plain(), throttles, post)).isEqualTo(503);
        assertThat(server.getRequestCount()).isEqualTo(1);
        server.enqueue(overloaded
                .newBuilder()
                .addHeader("x-should-retry", "true")
                .addHeader("Retry-After-Ms", "20")
                .build());
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, post)).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(3);
    }
}
