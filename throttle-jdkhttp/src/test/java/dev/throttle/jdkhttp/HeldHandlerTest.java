package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.fixtures.Ledger;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The wrapped client may hold on to what it was given for a call, long after the call. That leads to nothing then. */
class HeldHandlerTest {

    /** Wants to see every body, and finds nothing in it. */
    private static final BodyClassifier CURIOUS = new BodyClassifier() {
        @Override
        public boolean needsBody(ResponseHead response, Signal signal) {
            return true;
        }

        @Override
        public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
            return null;
        }
    };

    private final Queue<Object> held = new ConcurrentLinkedQueue<>();

    /** How a call went. */
    private enum Way {
        ANSWERED,
        REPEATED,
        CANCELLED,
        TIMED_OUT,
        CANCELLED_IN_BODY,
        CANCELLED_WHILE_PEEKED_AT,
        PEEKED_AT,
        COST_TOLD;

        boolean isPeekedAt() {
            return this == CANCELLED_WHILE_PEEKED_AT || this == PEEKED_AT;
        }

        boolean isCancelled() {
            return this == CANCELLED || this == CANCELLED_IN_BODY || this == CANCELLED_WHILE_PEEKED_AT;
        }

        void answer(int number, RawServer.Exchange exchange) throws IOException {
            switch (this) {
                case REPEATED -> exchange.send(number == 1 ? RawServer.REFUSED : RawServer.OK);
                case CANCELLED, TIMED_OUT -> exchange.hang();
                case CANCELLED_IN_BODY, CANCELLED_WHILE_PEEKED_AT -> {
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
                    exchange.hang();
                }
                case COST_TOLD ->
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n"
                            + "{\"usage\":{\"total_tokens\":9}}");
                default -> exchange.send(RawServer.OK);
            }
        }
    }

    /** Holds everything that it and those who read for it are given. */
    private final class HoldingClient extends FakeClient {

        private final HttpClient real = HttpClient.newHttpClient();

        HoldingClient() {
            super(new Script() {
                @Override
                public <T> CompletableFuture<HttpResponse<T>> answer(int n, HttpRequest request, BodyHandler<T> h) {
                    throw new UnsupportedOperationException();
                }
            });
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
            return real.sendAsync(request, holding(handler));
        }

        private <T> BodyHandler<T> holding(BodyHandler<T> handler) {
            held.add(handler);
            return info -> {
                BodySubscriber<T> subscriber = handler.apply(info);
                held.add(subscriber);
                return subscriber;
            };
        }
    }

    /** Nothing of it is on any stack when this has returned. */
    private List<WeakReference<?>> call(Way way) throws Exception {
        ThrottleRegistry throttles = TestThrottles.registry(Duration.ofMillis(1))
                .limit(Ledger.of(Quota.TOKENS))
                .build();
        AtomicInteger heads = new AtomicInteger();
        BodyHandler<String> handler = info -> {
            heads.incrementAndGet();
            return BodyHandlers.ofString().apply(info);
        };
        try (RawServer server = new RawServer(way::answer)) {
            ThrottlingHttpClientBuilder builder =
                    ThrottlingHttpClient.newBuilder(new HoldingClient()).throttles(throttles);
            ThrottlingHttpClient client = (way.isPeekedAt()
                            ? builder.bodyClassifier(CURIOUS).drainLimits(1_000, Duration.ofMinutes(1))
                            : builder)
                    .build();
            HttpRequest.Builder request = HttpRequest.newBuilder(server.uri());
            if (way == Way.TIMED_OUT) {
                request.timeout(Duration.ofMillis(20));
            }
            CompletableFuture<HttpResponse<String>> call = client.sendAsync(request.build(), handler);
            Throttle throttle = throttles.all().iterator().next();
            if (way.isCancelled()) {
                await().until(() -> server.requests.get() == 1);
                if (way != Way.CANCELLED) {
                    await().until(() -> held.size() == 2);
                }
                call.cancel(true);
            }
            call.handle((response, failure) -> null).join();
            await().until(() -> client.pending() == 0);
            assertThat(throttle.snapshot().inFlight()).isZero();
            return List.of(
                    new WeakReference<>(throttles),
                    new WeakReference<>(throttle),
                    new WeakReference<>(client),
                    new WeakReference<>(handler));
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsReachedFromWhatTheClientHolds(Way way) throws Exception {
        List<WeakReference<?>> gone = call(way);
        await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
            System.gc();
            assertThat(gone).filteredOn(reference -> reference.get() != null).isEmpty();
        });
        assertThat(held).hasSizeGreaterThan(way == Way.CANCELLED || way == Way.TIMED_OUT ? 0 : 1);
    }

    /** As it may, if the response and the end of the call cross. */
    @Test
    void aResponseAfterTheEndGoesToNobody() {
        List<BodyHandler<?>> handlers = new ArrayList<>();
        FakeClient silent = new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                handlers.add(h);
                return new CompletableFuture<>();
            }
        });
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<HttpResponse<String>> call = ThrottlingHttpClient.newBuilder(silent)
                .throttle(throttle)
                .build()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://localhost/")).build(), info -> {
                            asked.incrementAndGet();
                            return BodyHandlers.ofString().apply(info);
                        });
        call.cancel(true);

        BodySubscriber<?> late = handlers.get(0).apply(head(429));
        AtomicInteger cancelled = new AtomicInteger();
        late.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {
                throw new AssertionError("asked for a body that nobody wants");
            }

            @Override
            public void cancel() {
                cancelled.incrementAndGet();
            }
        });

        assertThat(cancelled).hasValue(1);
        assertThat(late.getBody().toCompletableFuture()).isCompletedExceptionally(); // or the JDK may wait for its end
        assertThat(asked).hasValue(0);
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isZero();
    }

    private static HttpResponse.ResponseInfo head(int status) {
        return new FakeClient.Info(
                status, HttpHeaders.of(Map.of(), (name, value) -> true), HttpClient.Version.HTTP_1_1);
    }
}
