package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttles;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Waiting inside the interceptor: requirements 6 to 16. */
class InterceptorWaitTest extends LoopbackTest {

    private final Throttles throttles = throttle().perKey();

    void awaitWaiting(int callers) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .until(() -> throttles.get(keyOf(get("/"))).snapshot().waiting() == callers);
    }

    @Test
    void r06_cancelWakesAWaiter() throws Exception {
        OkHttpClient client = throttled(throttles);
        block(throttles, keyOf(get("/")), Duration.ofSeconds(30));
        Call call = client.newCall(get("/"));
        CompletableFuture<Object> ended = CompletableFuture.supplyAsync(() -> {
            try {
                return call.execute().code();
            } catch (IOException e) {
                return e;
            }
        });
        awaitWaiting(1);
        long start = System.nanoTime();
        call.cancel();
        assertThat(ended.get())
                .isInstanceOfSatisfying(IOException.class, e -> assertThat(e).hasMessage("Canceled"));
        assertThat(since(start)).isLessThan(Duration.ofMillis(50));
        assertThat(server.getRequestCount()).isZero();
    }
}
