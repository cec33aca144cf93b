package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.Throttle;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Executors, wrapped clients and publishers that do what they should not: calls still end, and so does the client. */
class FaultyPartsTest {

    private static final HttpRequest REQUEST =
            HttpRequest.newBuilder(URI.create("http://localhost/")).build();

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(20));

    private static void assertCloses(ThrottlingHttpClient client) throws Exception {
        inBackground(Executors.callable(client::close)).get(30, TimeUnit.SECONDS);
    }

    @Test
    void anErrorOfTheExecutorFailsTheCallAndGivesThePermitBack() throws Exception {
        Error full = new OutOfMemoryError("unable to create native thread");
        AtomicBoolean open = new AtomicBoolean();
        Throttle waiting = TestThrottles.builder(Duration.ZERO)
                .limit(TestThrottles.closedUntil(open))
                .build();
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(0))
                .throttle(waiting)
                .executor(task -> {
                    throw full;
                })
                .build();
        CompletableFuture<?> call = client.sendAsync(REQUEST, BodyHandlers.discarding());
        open.set(true);
        assertThat(catchThrowable(() -> call.get(30, TimeUnit.SECONDS))).hasCause(full);
        await().until(() -> waiting.snapshot().inFlight() == 0);
        assertCloses(client);
    }

    @Test
    void aWrappedClientThatReturnsNoFutureLeavesNothingBehind() throws Exception {
        FakeClient stub =
                new FakeClient(new FakeClient.Script() {
                    @Override
                    public <T> CompletableFuture<HttpResponse<T>> answer(
                            int number, HttpRequest request, BodyHandler<T> h) {
                        return null;
                    }
                }) {
                    @Override
                    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                            HttpRequest request, BodyHandler<T> handler) {
                        return null;
                    }
                };
        for (boolean exempt : new boolean[] {true, false}) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(stub)
                    .throttle(throttle)
                    .keyResolver(request -> exempt ? null : "key")
                    .build();
            assertThatThrownBy(() -> client.sendAsync(REQUEST, BodyHandlers.discarding()))
                    .isInstanceOf(NullPointerException.class);
            assertThat(client.pending()).isZero();
            assertCloses(client);
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aPublisherThatCannotTellItsLengthFailsTheFutureAsItDoesBare() throws Exception {
        BodyPublisher broken = new BodyPublisher() {
            @Override
            public long contentLength() {
                throw new IllegalStateException("length");
            }

            @Override
            public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {}
        };
        HttpClient bare = HttpClient.newHttpClient();
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(bare).throttle(throttle).build();
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.OK))) {
            HttpRequest request =
                    HttpRequest.newBuilder(server.uri()).POST(broken).build();
            Throwable expected = catchThrowable(
                    () -> bare.sendAsync(request, BodyHandlers.discarding()).get(30, TimeUnit.SECONDS));
            assertThat(expected).hasRootCauseMessage("length");
            CompletableFuture<?> call = client.sendAsync(request, BodyHandlers.discarding());
            assertThat(catchThrowable(() -> call.get(30, TimeUnit.SECONDS)))
                    .hasSameClassAs(expected)
                    .hasRootCauseMessage("length");
        }
        await().until(() -> throttle.snapshot().inFlight() == 0);
        assertThat(client.pending()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNowInFlightCountsAsCancelled(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> exchange.hang())) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Throwable> call =
                    inBackground(() -> catchThrowable(() -> mode.send(client, request, BodyHandlers.discarding())));
            await().until(() -> server.requests.get() == 1);
            client.shutdownNow();
            assertThat(call.get(30, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
            await().until(() -> throttle.snapshot().inFlight() == 0);
            assertThat(throttle.count(Outcome.CANCELLED)).isEqualTo(1);
            assertThat(throttle.count(Outcome.FAILED)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNowEndsCallsThatAreNotThrottledWithAnIoException(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> exchange.hang())) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .keyResolver(request -> null)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Throwable> call =
                    inBackground(() -> catchThrowable(() -> mode.send(client, request, BodyHandlers.discarding())));
            await().until(() -> server.requests.get() == 1);
            client.shutdownNow();
            assertThat(call.get(30, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
            assertThat(server.seesTheClientGo()).isTrue();
        }
    }
}
