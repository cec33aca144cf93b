package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What cancelling an asynchronous call ends, and what it leaves alone. */
class CancellationTest {

    private static final String REFUSED_AND_CLOSED =
            "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

    private final CountingTime time = new CountingTime();
    private final HttpClient delegate = HttpClient.newHttpClient();
    private Throttle throttle = throttle(Duration.ofMinutes(5));
    private ThrottlingHttpClient client = client();

    private Throttle throttle(Duration retryDelay) {
        return TestThrottles.builder(retryDelay).time(time).build();
    }

    private ThrottlingHttpClient client() {
        return ThrottlingHttpClient.newBuilder(delegate)
                .throttle(throttle)
                .time(time)
                .build();
    }

    private void retryAtOnce() {
        throttle = throttle(Duration.ofMillis(1));
        client = client();
    }

    private CompletableFuture<HttpResponse<String>> get(RawServer server) {
        return client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
    }

    private void awaitDelay() {
        await().until(() -> throttle.snapshot().waiting() == 1);
    }

    /** Refuses the first request and is silent to all others. */
    private static RawServer refusingOnce(String refusal) throws Exception {
        return new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(refusal);
            } else {
                exchange.hang();
            }
        });
    }

    /**
     * Waits until no call is under way or in the queue, and no timer would wake one. A call that is cancelled just as
     * it enters the queue leaves it on the thread that put it there, a moment later.
     */
    @AfterEach
    void awaitNothingLeft() {
        await().untilAsserted(() -> {
            assertThat(client.pending()).isZero();
            assertThat(throttle.snapshot().waiting()).isZero();
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(time.entries()).isZero();
        });
    }

    @Test
    void cancelInTheDelayLeavesNoTimerEntryAndSendsNothing() throws Exception {
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            awaitDelay();
            assertThat(call.cancel(true)).isTrue();
            assertThat(call).isCancelled();
            awaitNothingLeft();
            assertThat(server.requests).hasValue(1);
        }
    }

    @Test
    void cancelInFlightClosesTheConnection() throws Exception {
        retryAtOnce();
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            closesTheConnectionOfTheSecondAttempt(server, get(server));
        }
    }

    @Test
    void cancelInFlightClosesTheConnectionOfASecondAttemptThatHasItsOwn() throws Exception {
        retryAtOnce();
        try (RawServer server = refusingOnce(REFUSED_AND_CLOSED)) {
            closesTheConnectionOfTheSecondAttempt(server, get(server));
        }
    }

    private void closesTheConnectionOfTheSecondAttempt(RawServer server, CompletableFuture<?> call) throws Exception {
        await().until(() -> server.requests.get() == 2);
        call.cancel(true);
        assertThat(call).isCancelled();
        assertThat(server.seesTheClientGo()).isTrue();
        await().until(() -> throttle.count(Outcome.CANCELLED) == 1);
    }

    @Test
    void cancellingAStageThatDependsOnTheCallCancelsIt() throws Exception {
        retryAtOnce();
        try (RawServer server = refusingOnce(REFUSED_AND_CLOSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            CompletableFuture<Integer> derived = call.thenApply(HttpResponse::statusCode)
                    .thenApply(status -> status + 1)
                    .orTimeout(1, TimeUnit.MINUTES);
            closesTheConnectionOfTheSecondAttempt(server, derived);
            assertEndedAsByTheJdk(call);
        }
    }

    /** The JDK's client fails the future of a call that was cancelled by a stage; it is not cancelled itself. */
    private static void assertEndedAsByTheJdk(CompletableFuture<?> call) {
        assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(CancellationException.class)
                .hasMessage("Request cancelled")
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage("Request cancelled");
        assertThat(call).isCompletedExceptionally();
        assertThat(call.isCancelled()).isFalse();
    }

    @Test
    void cancellingAStageThatDependsOnACallInItsDelaySendsNothing() throws Exception {
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            CompletableFuture<Integer> derived = call.thenApply(HttpResponse::statusCode);
            awaitDelay();
            assertThat(derived.cancel(true)).isTrue();
            assertThat(derived).isCancelled();
            assertEndedAsByTheJdk(call);
            awaitNothingLeft();
            assertThat(server.requests).hasValue(1);
        }
    }

    @Test
    void aStageCancelledWithoutInterruptLeavesTheCallAlone() throws Exception {
        throttle = throttle(Duration.ofMillis(50));
        client = client();
        try (RawServer server =
                new RawServer((number, exchange) -> exchange.send(number == 1 ? RawServer.REFUSED : RawServer.OK))) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            call.thenApply(HttpResponse::statusCode).cancel(false);
            assertThat(call.join().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void cancelWithoutInterruptLetsTheExchangeRunOn() throws Exception {
        retryAtOnce();
        CountDownLatch cancelled = new CountDownLatch(1);
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 2) {
                cancelled.await();
            }
            exchange.send(RawServer.REFUSED);
        })) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            await().until(() -> server.requests.get() == 2);
            call.cancel(false);
            assertThat(call).isCancelled();
            assertThat(client.pending()).isEqualTo(1);
            cancelled.countDown();
            awaitNothingLeft(); // the answer has come, and is not the beginning of a third try
            assertThat(server.requests).hasValue(2);
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(2);
        }
    }

    @Test
    void cancelInTheDelaySparesAnotherRequestOnThePooledConnection() throws Exception {
        int survived = 0;
        for (int i = 0; i < 20; i++) {
            CountDownLatch cancelled = new CountDownLatch(1);
            try (RawServer server = new RawServer((number, exchange) -> {
                if (number == 1) {
                    exchange.send(RawServer.REFUSED);
                } else {
                    cancelled.await();
                    exchange.send(RawServer.OK);
                }
            })) {
                HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
                CompletableFuture<HttpResponse<String>> call = get(server);
                awaitDelay();
                CompletableFuture<HttpResponse<String>> other = delegate.sendAsync(request, BodyHandlers.ofString());
                await().until(() -> server.requests.get() == 2);
                call.cancel(true);
                cancelled.countDown();
                if (other.handle((response, failure) -> failure == null && response.statusCode() == 200)
                        .join()) {
                    survived++;
                }
                assertThat(call).isCancelled();
            }
        }
        assertThat(survived).isEqualTo(20);
    }

    @Test
    void completingTheFutureEndsTheRetries() throws Exception {
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            awaitDelay();
            assertThat(call.complete(null)).isTrue();
            assertThat(call.join()).isNull();
            awaitNothingLeft();
            assertThat(server.requests).hasValue(1);
        }
    }

    @Test
    void aTimeoutOfTheFutureEndsTheRetries() throws Exception {
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            awaitDelay();
            call.orTimeout(1, TimeUnit.MILLISECONDS);
            assertThatThrownBy(call::get).hasCauseInstanceOf(TimeoutException.class);
            awaitNothingLeft();
            assertThat(server.requests).hasValue(1);
        }
    }

    @Test
    void aResultCannotBeObtruded() throws Exception {
        retryAtOnce();
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.OK))) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            CompletableFuture<Integer> stage = call.thenApply(HttpResponse::statusCode);
            for (CompletableFuture<?> future : List.of(call, stage)) {
                assertThatThrownBy(() -> future.obtrudeException(new IllegalStateException("enough")))
                        .isInstanceOf(UnsupportedOperationException.class);
            }
            assertThatThrownBy(() -> call.obtrudeValue(null)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> stage.obtrudeValue(1)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(call.join().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anAttemptReturnsItsPermitOnceHoweverOftenItIsCancelled() throws Exception {
        retryAtOnce();
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            await().until(() -> server.requests.get() == 2);
            assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
            call.cancel(true);
            call.cancel(true);
            assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
            await().until(() -> throttle.snapshot().inFlight() == 0);
            assertThat(throttle.count(Outcome.CANCELLED)).isEqualTo(1);
        }
    }

    @Test
    void aDependentMayCloseTheClientWhenItsCallIsCancelled() throws Exception {
        try (RawServer server = refusingOnce(RawServer.REFUSED)) {
            CompletableFuture<HttpResponse<String>> call = get(server);
            CompletableFuture<Void> closed = call.handle((response, failure) -> {
                client.close();
                return null;
            });
            awaitDelay();
            inBackground(() -> call.cancel(true)).get(30, TimeUnit.SECONDS);
            closed.get(30, TimeUnit.SECONDS);
            assertThat(client.isTerminated()).isTrue();
        }
    }
}
