package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.RateLimitedServer;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** The snippets of docs/testing.md, and that they are the same. */
class TestingDocTest {

    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final ThrottleRegistry registry = ThrottleRegistry.builder().build();

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void everySnippetIsHere() throws IOException {
        String test =
                withoutSpace(Files.readString(Path.of("src/test/java/dev/throttle/examples/TestingDocTest.java")));
        Matcher snippets = SNIPPET.matcher(Files.readString(Path.of("../docs/testing.md")));
        int count = 0;
        for (; snippets.find(); count++) {
            assertThat(test).contains(withoutSpace(snippets.group(1)));
        }
        assertThat(count).isEqualTo(6);
    }

    @Test
    void okHttpIsNotThrottled() throws IOException {
        ThrottlingInterceptor off = ThrottlingInterceptor.builder(registry)
                .keyResolver(request -> null)
                .build();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(off)
                .addNetworkInterceptor(off.observer())
                .build();
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(1, Duration.ofHours(1)).start()) {
            Request request =
                    new Request.Builder().url(server.uri("/").toString()).build();
            for (int i = 0; i < 3; i++) {
                try (Response response = client.newCall(request).execute()) {
                    assertThat(response.code()).isEqualTo(i == 0 ? 200 : 429);
                }
            }
        }
        assertThat(registry.all()).isEmpty();
    }

    @Test
    void theClientOfTheJdkIsNotThrottled() throws Exception {
        HttpClient off = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(registry)
                .keyResolver(request -> null)
                .build();
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(1, Duration.ofHours(1)).start()) {
            HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
            for (int i = 0; i < 3; i++) {
                assertThat(off.send(request, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(i == 0 ? 200 : 429);
            }
        }
        assertThat(registry.all()).isEmpty();
    }

    @Test
    void aThrottleWithoutAKeyHoldsNothingBack() throws Exception {
        Throttle off = Throttle.builder()
                .strategy(Strategies.none())
                .retryPolicy(RetryPolicy.none())
                .build();
        off.acquire().complete(Signal.RATE_LIMITED);
        assertThat(off.acquireAsync()).isCompleted();
    }

    @Test
    void aTestMayWaitOnItsOwnThread() throws Exception {
        VirtualTime time = VirtualTime.autoAdvancing();
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.fixedWindow()
                        .limit(100)
                        .window(Duration.ofHours(1))
                        .build())
                .maxWait(Duration.ofDays(1))
                .time(time)
                .build();
        for (int i = 0; i < 250; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
        }
        assertThat(time.currentTimeMillis()).isBetween(7_200_000L, 7_202_000L);
    }

    @Test
    void aFutureIsAwaited() throws Exception {
        VirtualTime time = new VirtualTime();
        Throttle throttle = Throttle.builder().time(time).build();
        throttle.acquire().complete(Signal.of(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of())));
        CompletableFuture<Permit> next = throttle.acquireAsync();
        time.advance(Duration.ofMinutes(4));
        boolean isEarly = next.isDone();
        Permit permit = time.await(next);
        assertThat(isEarly).isFalse();
        permit.complete(Signal.SUCCESS);
    }

    @Test
    void aServerWithALimit() throws Exception {
        int status = 0;
        long accepted;
        VirtualTime time = VirtualTime.autoAdvancing();
        ThrottleRegistry registry = ThrottleRegistry.builder().time(time).build();
        try (RateLimitedServer server = RateLimitedServer.builder()
                .window(10, Duration.ofMinutes(1))
                .time(time)
                .start()) {
            HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttles(registry)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri("/items")).build();
            server.refuseNext(1, 503, Duration.ofSeconds(7));
            for (int i = 0; i < 30; i++) {
                status = client.send(request, BodyHandlers.ofString()).statusCode();
            }
            accepted = server.accepted();
        }
        assertThat(status).isEqualTo(200);
        assertThat(accepted).isEqualTo(30);
    }
}
