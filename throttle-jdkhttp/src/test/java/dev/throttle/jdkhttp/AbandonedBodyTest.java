package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.fixtures.Awaiting;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Responses that arrive when the caller has already ended the future: nobody will ever close their bodies. */
class AbandonedBodyTest {

    private static final HttpRequest REQUEST =
            HttpRequest.newBuilder(URI.create("http://localhost/")).build();

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A client whose response cannot be stopped any more, as when it is just being handed over. */
    private static FakeClient unstoppable(CompletableFuture<Object> body) {
        return new FakeClient(new FakeClient.Script() {
            @Override
            @SuppressWarnings("unchecked")
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                CompletableFuture<HttpResponse<T>> sent = new CompletableFuture<>() {
                    @Override
                    public boolean cancel(boolean mayInterruptIfRunning) {
                        return false;
                    }
                };
                body.thenAccept(it -> sent.complete(new FakeClient.Response<>(
                        request, 200, HttpHeaders.of(Map.of(), (name, value) -> true), (T) it)));
                return sent;
            }
        });
    }

    private void deliverToNobody(Object body, boolean exempt) {
        CompletableFuture<Object> arrives = new CompletableFuture<>();
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(unstoppable(arrives))
                .throttle(throttle)
                .keyResolver(request -> exempt ? null : "key")
                .build();
        CompletableFuture<?> call = client.sendAsync(REQUEST, BodyHandlers.ofInputStream());
        assertThat(call.cancel(true)).isTrue();
        arrives.complete(body);
        assertThat(client.pending()).isZero();
    }

    @Test
    void aStreamIsClosed() {
        for (boolean exempt : new boolean[] {false, true}) {
            closed.set(false);
            deliverToNobody(
                    new ByteArrayInputStream(new byte[0]) {
                        @Override
                        public void close() {
                            closed.set(true);
                        }
                    },
                    exempt);
            assertThat(closed).as("exempt: " + exempt).isTrue();
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aPublisherIsCancelled() {
        Flow.Publisher<List<ByteBuffer>> publisher = subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {
                closed.set(true);
            }
        });
        deliverToNobody(publisher, false);
        assertThat(closed).isTrue();
    }

    /** Cancels when the headers are there and the response is on its way to the caller. */
    @Test
    void cancelsThatRaceTheHeadersLeaveNoConnectionOpen() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx");
            exchange.hang();
        })) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            int cancelled = 0;
            for (int i = 0; i < 400; i++) {
                AtomicBoolean headers = new AtomicBoolean();
                // On one core the cancel may win no race; every tenth is let win.
                CountDownLatch over = new CountDownLatch(i % 10 == 0 ? 1 : 0);
                CompletableFuture<HttpResponse<InputStream>> call = client.sendAsync(request, info -> {
                    headers.set(true);
                    Awaiting.uninterruptibly(over);
                    return BodySubscribers.ofInputStream();
                });
                while (!headers.get()) {
                    Thread.onSpinWait();
                }
                long until = System.nanoTime() + random.nextInt(150_000);
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                if (call.cancel(true)) {
                    cancelled++;
                } else {
                    call.join().body().close();
                }
                over.countDown();
            }
            assertThat(cancelled).isGreaterThanOrEqualTo(40);
            await().until(() -> server.open.get() == 0);
            inBackground(Executors.callable(client::close)).get(30, TimeUnit.SECONDS);
            assertThat(client.isTerminated()).isTrue();
        }
    }
}
