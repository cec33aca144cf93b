package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.Throttle;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Interrupting a blocking call, wherever it is. */
class InterruptTest {

    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private volatile boolean flagAfter;

    private static final FakeClient.Script UNUSED = new FakeClient.Script() {
        @Override
        public <T> CompletableFuture<HttpResponse<T>> answer(
                int number, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            throw new AssertionError("not sent");
        }
    };

    private Thread start(HttpClient client, RawServer server, boolean interrupted) {
        Thread thread = new Thread(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            try {
                client.send(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            } catch (Throwable t) {
                thrown.set(t);
            }
            flagAfter = Thread.currentThread().isInterrupted();
        });
        thread.start();
        return thread;
    }

    private void interruptAndExpectTheException(Thread thread) throws InterruptedException {
        thread.interrupt();
        thread.join(30_000);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(flagAfter).isFalse();
    }

    private static ThrottlingHttpClient client(Throttle throttle) {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(throttle)
                .build();
    }

    private static void nothingIsLeft(ThrottlingHttpClient client, Throttle throttle) {
        assertThat(client.pending()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
        await().until(() -> throttle.snapshot().inFlight() == 0);
    }

    /** A client that is closed while its thread is interrupted by another, just before. */
    @Test
    void anInterruptBesideShutdownNowIsNotLost() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ZERO);
        for (boolean before : new boolean[] {true, false}) {
            ThrottlingHttpClient[] throttling = new ThrottlingHttpClient[1];
            FakeClient closing = new FakeClient(UNUSED) {
                @Override
                public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
                        throws InterruptedException {
                    if (before) {
                        Thread.currentThread().interrupt();
                    }
                    throttling[0].shutdownNow();
                    if (Thread.interrupted()) {
                        if (!before) {
                            Thread.currentThread().interrupt();
                        }
                        throw new InterruptedException();
                    }
                    throw new IllegalStateException("not interrupted");
                }
            };
            throttling[0] =
                    ThrottlingHttpClient.newBuilder(closing).throttle(throttle).build();
            Throwable failure = catchThrowable(() -> throttling[0].send(
                    HttpRequest.newBuilder(URI.create("http://localhost/")).build(), BodyHandlers.ofString()));
            boolean flag = Thread.interrupted();
            assertThat(failure).isInstanceOf(before ? InterruptedException.class : IOException.class);
            assertThat(flag).as("still interrupted").isEqualTo(!before);
        }
    }

    @Test
    void anInterruptInTheDelayEndsTheCall() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMinutes(5));
        ThrottlingHttpClient client = client(throttle);
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.REFUSED))) {
            Thread thread = start(client, server, false);
            await().until(() -> throttle.snapshot().waiting() == 1);
            interruptAndExpectTheException(thread);
            nothingIsLeft(client, throttle);
            assertThat(server.requests).hasValue(1);
        }
    }

    @Test
    void anInterruptBeforeTheFirstAttemptEndsTheCall() throws Exception {
        Throttle throttle = TestThrottles.builder(Duration.ZERO)
                .limit(TestThrottles.closed())
                .build();
        ThrottlingHttpClient client = client(throttle);
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.OK))) {
            Thread thread = start(client, server, false);
            await().until(() -> throttle.snapshot().waiting() == 1);
            interruptAndExpectTheException(thread);
            nothingIsLeft(client, throttle);
            assertThat(server.requests).hasValue(0);
        }
    }

    @Test
    void anInterruptInFlightClosesTheConnection() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        ThrottlingHttpClient client = client(throttle);
        try (RawServer server = new RawServer((number, exchange) -> exchange.hang())) {
            Thread thread = start(client, server, false);
            await().until(() -> server.requests.get() == 1);
            interruptAndExpectTheException(thread);
            assertThat(server.seesTheClientGo()).isTrue();
            nothingIsLeft(client, throttle);
        }
    }

    @Test
    void anInterruptBeforeTheCallTakesNoPermit() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        ThrottlingHttpClient client = client(throttle);
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.OK))) {
            start(client, server, true).join(30_000);
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(flagAfter).isFalse();
            assertThat(server.requests).hasValue(0);
            assertThat(throttle.snapshot().outcomes().values()).containsOnly(0L);
            nothingIsLeft(client, throttle);
        }
    }
}
