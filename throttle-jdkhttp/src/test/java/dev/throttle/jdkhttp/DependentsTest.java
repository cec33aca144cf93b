package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.fixtures.Awaiting;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What depends on a call may block, even on another call: nothing else waits for the thread that it runs on. */
class DependentsTest {

    private static final int CALLS = 8;

    private final Throttle throttle =
            TestThrottles.builder(Duration.ZERO).limit(TestThrottles.closed()).build();
    private final AtomicBoolean otherOpen = new AtomicBoolean();
    private final Throttle other = TestThrottles.builder(Duration.ZERO)
            .limit(TestThrottles.closedUntil(otherOpen))
            .build();

    private ThrottlingHttpClient client(HttpClient delegate) {
        return ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();
    }

    /** Somebody is told to stay away for an hour, which is longer than those in the queue may wait. */
    private void turnAwayAll() {
        Calls.of(throttle)
                .newCall()
                .acquireForced()
                .complete(new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofHours(1), List.of())));
    }

    /** Calls in the queue, each of which has a fallback that blocks in the queue of another throttle. */
    private List<CompletableFuture<Integer>> callsWithFallback(HttpClient delegate, RawServer server) {
        ThrottlingHttpClient client = client(delegate);
        ThrottlingHttpClient fallback =
                ThrottlingHttpClient.newBuilder(delegate).throttle(other).build();
        HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(client.sendAsync(request, BodyHandlers.discarding())
                    .exceptionally(rejected -> fallback.sendAsync(request, BodyHandlers.discarding())
                            .join())
                    .thenApply(HttpResponse::statusCode));
        }
        assertThat(throttle.snapshot().waiting()).isEqualTo(CALLS);
        return calls;
    }

    private void assertAnsweredByFallbacks(List<CompletableFuture<Integer>> calls) throws Exception {
        await().until(() -> other.snapshot().waiting() == CALLS);
        otherOpen.set(true);
        for (CompletableFuture<Integer> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(200);
        }
    }

    private static RawServer answering() throws Exception {
        return new RawServer((number, exchange) -> exchange.send(RawServer.OK));
    }

    @Test
    void everyFallbackOfACallThatWasTurnedAwayIsAnswered() throws Exception {
        try (RawServer server = answering()) {
            List<CompletableFuture<Integer>> calls = callsWithFallback(HttpClient.newHttpClient(), server);
            turnAwayAll();
            assertAnsweredByFallbacks(calls);
        }
    }

    @Test
    void aWrappedClientWithOneThreadServesFallbacksToo() throws Exception {
        ExecutorService single = Executors.newSingleThreadExecutor();
        try (RawServer server = answering()) {
            List<CompletableFuture<Integer>> calls =
                    callsWithFallback(HttpClient.newBuilder().executor(single).build(), server);
            turnAwayAll();
            assertAnsweredByFallbacks(calls);
        } finally {
            single.shutdownNow();
        }
    }

    @Test
    void dependentsThatBlockHoldUpNoPermitOfAnotherThrottle() throws Exception {
        CountDownLatch blocked = new CountDownLatch(CALLS);
        CountDownLatch release = new CountDownLatch(1);
        ThrottlingHttpClient client = client(FakeClient.refusing(0));
        HttpRequest request =
                HttpRequest.newBuilder(java.net.URI.create("http://localhost/")).build();
        for (int i = 0; i < CALLS; i++) {
            client.sendAsync(request, BodyHandlers.discarding()).handle((response, rejected) -> {
                blocked.countDown();
                return Awaiting.uninterruptibly(release);
            });
        }
        try {
            turnAwayAll();
            CompletableFuture<Permit> permit = other.acquireAsync();
            otherOpen.set(true);
            permit.get(30, TimeUnit.SECONDS).release();
        } finally {
            release.countDown();
        }
    }

    @Test
    void shutdownNowWaitsForNoDependent() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ThrottlingHttpClient client = client(FakeClient.refusing(0));
        HttpRequest request =
                HttpRequest.newBuilder(java.net.URI.create("http://localhost/")).build();
        CompletableFuture<?> dependent = client.sendAsync(request, BodyHandlers.discarding())
                .handle((response, rejected) -> Awaiting.uninterruptibly(release));
        try {
            inBackground(Executors.callable(client::shutdownNow)).get(30, TimeUnit.SECONDS);
        } finally {
            release.countDown();
        }
        dependent.get(30, TimeUnit.SECONDS);
        await().until(() -> throttle.snapshot().waiting() == 0);
    }
}
