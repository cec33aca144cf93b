package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.okhttp.RefusalTest.Door;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.time.Duration;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client whose throttles only observe does what it does without them. */
class ObserveTest extends LoopbackTest {

    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .mode(ThrottleMode.OBSERVE)
            .limit(Strategies.tokenBucket().rate(1, Duration.ofHours(1)).build())
            .build();

    private static MockResponse refusal(int status) {
        return status(status)
                .newBuilder()
                .addHeader("Retry-After", "3600")
                .addHeader("Content-Type", "application/json")
                .body("{\"error\": \"slow down\"}")
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void refusalsComeAtOnceWithTheirBodiesAndNothingIsRetried(Door door) throws IOException {
        OkHttpClient client = plain();
        for (int status : new int[] {429, 503, 429}) {
            server.enqueue(refusal(status));
            try (Response response = door.execute(door.call(client, throttles, get("/")))) {
                assertThat(response.code()).isEqualTo(status);
                assertThat(response.body().string()).isEqualTo("{\"error\": \"slow down\"}");
            }
        }
        server.enqueue(status(200));
        assertThat(door.status(client, throttles, get("/"))).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(4);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.RATE_LIMITED)).isEqualTo(2);
        assertThat(throttles.get(keyOf(get("/"))).snapshot().blocked()).isPositive();
        assertThat(throttles.reports().get(0).calls()).isEqualTo(4);
        assertThat(throttles.reports().get(0).repeated()).isEqualTo(2);
        throttles.close();
        server.enqueue(status(200));
        assertThat(door.status(client, throttles, get("/"))).isEqualTo(200);
        assertIdle(throttles);
    }
}
