package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttles;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** What becomes of refused requests: requirements 30 to 43. */
class RefusalTest extends LoopbackTest {

    private final Throttles throttles = throttle().perKey();

    @Test
    void a429IsWaitedOutAndNeverSeen() throws IOException {
        server.enqueue(refusal(429, 100));
        server.enqueue(refusal(429, 100));
        server.enqueue(status(200));
        long start = System.nanoTime();
        assertThat(statusOf(throttled(throttles).newCall(get("/")))).isEqualTo(200);
        assertThat(since(start)).isGreaterThan(Duration.ofMillis(200));
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.THROTTLED)).isEqualTo(2);
    }

    @Test
    void r38_a429IsRepeatedForAnyMethodAndA503ForIdempotentOnes() throws IOException {
        OkHttpClient client = throttled(throttles);
        RequestBody body = RequestBody.create(new byte[] {1});
        server.enqueue(status(503));
        assertThat(statusOf(client.newCall(get("/").newBuilder().post(body).build())))
                .isEqualTo(503);
        assertThat(server.getRequestCount()).isEqualTo(1);

        server.enqueue(status(429));
        server.enqueue(status(200));
        assertThat(statusOf(client.newCall(get("/").newBuilder().post(body).build())))
                .isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(3);

        server.enqueue(status(503));
        server.enqueue(status(200));
        assertThat(statusOf(client.newCall(get("/").newBuilder().put(body).build())))
                .isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(5);
    }

    @Test
    void r39_theLastRefusalIsReturnedOpenAndReadable() throws IOException {
        for (int i = 0; i < 3; i++) {
            server.enqueue(status(503)
                    .newBuilder()
                    .addHeader("Attempt", i)
                    .body("busy " + i)
                    .build());
        }
        try (Response response = throttled(throttles).newCall(get("/")).execute()) {
            assertThat(response.code()).isEqualTo(503);
            assertThat(response.header("Attempt")).isEqualTo("2");
            assertThat(response.body().string()).isEqualTo("busy 2");
        }
        assertThat(server.getRequestCount()).isEqualTo(3);
    }
}
