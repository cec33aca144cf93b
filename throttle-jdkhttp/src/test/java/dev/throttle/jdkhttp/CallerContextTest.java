package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.fixtures.Trace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the thread that sends a request knows is known where its attempts are made, and where its future completes. */
class CallerContextTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> hasDependent = new CompletableFuture<>();

    @AfterEach
    void forget() {
        Trace.forget();
    }

    /** Refuses twice, and answers the third attempt on a thread of its own when something depends on the call. */
    private FakeClient client() {
        return new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                seen.add(Trace.get());
                return number <= 2
                        ? CompletableFuture.supplyAsync(() -> FakeClient.respond(request, 429, h))
                        : hasDependent.thenApplyAsync(nothing -> FakeClient.respond(request, 200, h));
            }
        });
    }

    private static ThrottlingHttpClient throttling(FakeClient client, Duration delay) {
        Throttle throttle = TestThrottles.builder(delay).context(Trace::capture).build();
        return ThrottlingHttpClient.newBuilder(client).throttle(throttle).build();
    }

    private CompletableFuture<HttpResponse<Void>> send(ThrottlingHttpClient client) {
        Trace.set("caller");
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://localhost/")).build();
        CompletableFuture<HttpResponse<Void>> response = client.sendAsync(request, BodyHandlers.discarding());
        Trace.set("something else");
        return response;
    }

    @Test
    void everyAttemptAndWhatDependsOnTheCallSeesTheCallersContext() throws Exception {
        CompletableFuture<HttpResponse<Void>> response = send(throttling(client(), Duration.ofMillis(5)));
        CompletableFuture<Boolean> dependent = response.thenApply(received -> seen.add(Trace.get()));
        hasDependent.complete(null);
        dependent.get(30, TimeUnit.SECONDS);
        assertThat(seen).containsExactly("caller", "caller", "caller", "caller");
        assertThat(Trace.get()).isEqualTo("something else");
    }

    @Test
    void whatDependsOnACallThatIsAbortedSeesTheCallersContext() {
        try (ThrottlingHttpClient client = throttling(client(), Duration.ofMinutes(5))) {
            CompletableFuture<HttpResponse<Void>> response = send(client);
            CompletableFuture<Object> dependent = response.handle((received, failure) -> {
                seen.add(Trace.get());
                return failure;
            });
            client.shutdownNow();
            assertThat(dependent.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(IOException.class);
            assertThatThrownBy(response::join).hasRootCauseInstanceOf(IOException.class);
        }
        assertThat(seen).containsOnly("caller").hasSizeGreaterThanOrEqualTo(2);
    }
}
