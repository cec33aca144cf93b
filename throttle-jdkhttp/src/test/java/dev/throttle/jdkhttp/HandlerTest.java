package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that stream, and handlers that fail. */
class HandlerTest {

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final HttpClient plain = HttpClient.newHttpClient();
    private final ThrottlingHttpClient client =
            ThrottlingHttpClient.newBuilder(plain).throttle(throttle).build();

    @ParameterizedTest
    @EnumSource
    void noRefusalMakesAStream(Mode mode) throws Exception {
        AtomicInteger streams = new AtomicInteger();
        BodyHandler<InputStream> counting = info -> {
            streams.incrementAndGet();
            return BodySubscribers.ofInputStream();
        };
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 1000), Reply.of(429, 1000))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            try (InputStream body = mode.send(client, request, counting).body()) {
                assertThat(body.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
            }
            assertThat(streams).hasValue(1);
            // Since Java 21 the end comes only when no stream is left open, so this returns only if none is.
            inBackground(Executors.callable(client::close)).get(30, java.util.concurrent.TimeUnit.SECONDS);
            assertThat(client.isTerminated()).isTrue();
        }
    }

    /** Fails when the headers are there. */
    private static BodyHandler<String> throwing() {
        return info -> {
            throw new IllegalStateException("handler");
        };
    }

    /** Fails while the body is read. */
    private static BodyHandler<String> failing() {
        return info -> new BodySubscriber<>() {
            private final CompletableFuture<String> body = new CompletableFuture<>();

            @Override
            public CompletionStage<String> getBody() {
                return body;
            }

            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(1);
            }

            @Override
            public void onNext(List<ByteBuffer> item) {
                body.completeExceptionally(new IllegalArgumentException("subscriber"));
            }

            @Override
            public void onError(Throwable throwable) {
                body.completeExceptionally(throwable);
            }

            @Override
            public void onComplete() {
                body.complete("");
            }
        };
    }

    @Test
    void handlersThatFailFailAsTheyDoWithoutTheThrottle() throws Exception {
        for (BodyHandler<String> handler : List.of(throwing(), failing())) {
            try (ScriptedServer server = new ScriptedServer()) {
                HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
                assertThat(outcome(() -> client.send(request, handler)))
                        .isEqualTo(outcome(() -> plain.send(request, handler)));
                assertThat(outcome(() -> client.sendAsync(request, handler).join()))
                        .isEqualTo(
                                outcome(() -> plain.sendAsync(request, handler).join()));
                assertThat(outcome(() -> client.sendAsync(request, handler).get()))
                        .isEqualTo(
                                outcome(() -> plain.sendAsync(request, handler).get()));
                assertThat(seenByACallback(client.sendAsync(request, handler)))
                        .isEqualTo(seenByACallback(plain.sendAsync(request, handler)));
            }
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    /** What the JDK makes of it depends on a race of its own, in which it may even lose the call. */
    @Test
    void aHandlerThatReturnsNullReturnsItToTheWrappedClient() {
        List<Boolean> returnedNull = new ArrayList<>();
        FakeClient fake = new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                try {
                    FakeClient.respond(request, 200, h);
                } catch (NullPointerException e) {
                    returnedNull.add(true);
                }
                return CompletableFuture.failedFuture(new IOException("no subscriber"));
            }
        });
        ThrottlingHttpClient throttling =
                ThrottlingHttpClient.newBuilder(fake).throttle(throttle).build();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://localhost/")).build();
        BodyHandler<String> handler = info -> null;
        assertThat(outcome(() -> throttling.send(request, handler)))
                .isEqualTo(List.of(IOException.class, "no subscriber"));
        assertThat(outcome(() -> throttling.sendAsync(request, handler).get()))
                .isEqualTo(List.of(ExecutionException.class, List.of(IOException.class, "no subscriber")));
        assertThat(returnedNull).containsExactly(true, true);
    }

    private static List<?> seenByACallback(CompletableFuture<HttpResponse<String>> call) {
        return call.handle((response, failure) -> describe(failure)).join();
    }

    private interface Sending {
        HttpResponse<String> send() throws Exception;
    }

    private static List<?> outcome(Sending sending) {
        try {
            return List.of(sending.send().statusCode());
        } catch (Exception e) {
            return describe(e);
        }
    }

    private static List<?> describe(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null
                ? List.of(failure.getClass(), String.valueOf(failure.getMessage()))
                : List.of(failure.getClass(), describe(cause));
    }

    @Test
    void aStubThatAnswersWithoutTheHandlerIsHeededToo() throws Exception {
        FakeClient stub = new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                return CompletableFuture.completedFuture(new FakeClient.Response<>(
                        request,
                        number == 1 ? 429 : 200,
                        java.net.http.HttpHeaders.of(java.util.Map.of(), (name, value) -> true),
                        null));
            }
        });
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://localhost/")).build();
        ThrottlingHttpClient throttling =
                ThrottlingHttpClient.newBuilder(stub).throttle(throttle).build();
        assertThat(throttling.send(request, BodyHandlers.discarding()).statusCode())
                .isEqualTo(200);
        assertThat(stub.attempts()).isEqualTo(2);
    }
}
