package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.collectGarbage;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The end of a client. Since Java 21 a client can be ended, and the wrapped one is ended too; on Java 17 the throttling
 * client has the same methods, and the wrapped one is left alone.
 */
class LifecycleTest {

    private static final boolean CLIENTS_END = Runtime.version().feature() >= 21;

    private static final Duration DELAY = Duration.ofSeconds(20);

    private final HttpClient delegate = HttpClient.newHttpClient();
    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = TestThrottles.builder(DELAY).time(time).build();
    private final Throttle brief = TestThrottles.throttle(Duration.ofMillis(1));
    private final ThrottlingHttpClient client =
            ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();

    private static RawServer refusingOnce() throws IOException {
        return new RawServer((number, exchange) -> exchange.send(number == 1 ? RawServer.REFUSED : RawServer.OK));
    }

    private static RawServer silent() throws IOException {
        return new RawServer((number, exchange) -> exchange.hang());
    }

    private static HttpRequest get(RawServer server) {
        return HttpRequest.newBuilder(server.uri()).build();
    }

    private CompletableFuture<HttpResponse<String>> send(Mode mode, RawServer server) {
        return inBackground(() -> mode.send(client, get(server), BodyHandlers.ofString()));
    }

    private static void awaitDelay(Throttle throttle) {
        await().until(() -> throttle.snapshot().waiting() == 1);
    }

    /** Closes a client that has a call in its delay, and lets the delay pass once the closing waits for the call. */
    private void closeDuringTheDelay(ThrottlingHttpClient closing, Throttle throttle) throws Exception {
        awaitDelay(throttle);
        Thread closer = new Thread(closing::close);
        closer.start();
        await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        assertThat(closing.pending()).isEqualTo(1);
        time.advance(DELAY);
        closer.join(20_000);
        assertThat(closing.isTerminated()).isTrue();
    }

    /** Whether the wrapped client has ended; on Java 17, where it cannot, whether it still works. */
    private void assertEndOfDelegate(RawServer server) throws Exception {
        if (CLIENTS_END) {
            assertThat(JdkLifecycle.isTerminated(delegate)).isTrue();
        } else {
            assertThat(delegate.send(get(server), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
    }

    private static Set<Thread> selectorThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("SelectorManager"))
                .collect(Collectors.toSet());
    }

    @Test
    void closeEndsTheWrappedClientWhereThatCanBeEnded() throws Exception {
        try (RawServer server = refusingOnce()) {
            Set<Thread> others = selectorThreads();
            HttpClient its = HttpClient.newHttpClient();
            ThrottlingHttpClient ours =
                    ThrottlingHttpClient.newBuilder(its).throttle(brief).build();
            assertThat(ours.isTerminated()).isFalse();
            assertThat(ours.send(get(server), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            Set<Thread> selectors = selectorThreads();
            selectors.removeAll(others);
            assertThat(selectors).hasSize(1);
            ours.close();
            assertThat(ours.isTerminated()).isTrue();
            if (CLIENTS_END) {
                assertThat(JdkLifecycle.isTerminated(its)).isTrue();
            }
            await().until(() -> selectors.iterator().next().isAlive() != CLIENTS_END);
            ours.close();
            Reference.reachabilityFence(its);
        }
    }

    /** On Java 21 these are the methods of HttpClient, which a caller that knows no more than that will call. */
    @Test
    void theLifecycleMethodsAreFoundOnTheClass() throws Exception {
        for (String name : new String[] {"shutdown", "shutdownNow", "isTerminated", "close"}) {
            assertThat(ThrottlingHttpClient.class.getMethod(name).getDeclaringClass())
                    .isEqualTo(ThrottlingHttpClient.class);
            assertThat(existsInHttpClient(name)).isEqualTo(CLIENTS_END);
        }
        if (CLIENTS_END) {
            try (AutoCloseable closeable = (AutoCloseable) (HttpClient) client) {
                assertThat(closeable).isNotNull();
            }
            assertThat(JdkLifecycle.isTerminated(delegate)).isTrue();
        } else {
            JdkLifecycle.shutdown(delegate);
            JdkLifecycle.shutdownNow(delegate);
            assertThat(JdkLifecycle.awaitTermination(delegate, Duration.ZERO)).isTrue();
        }
    }

    private static boolean existsInHttpClient(String name) {
        try {
            HttpClient.class.getMethod(name);
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @Test
    void tryWithResourcesCompiles() throws Exception {
        try (RawServer server = refusingOnce();
                ThrottlingHttpClient ours = ThrottlingHttpClient.newBuilder(delegate)
                        .throttle(brief)
                        .build()) {
            assertThat(ours.send(get(server), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeLetsACallInItsDelayComplete(Mode mode) throws Exception {
        try (RawServer server = refusingOnce()) {
            CompletableFuture<HttpResponse<String>> call = send(mode, server);
            closeDuringTheDelay(client, throttle);
            assertThat(call.join().statusCode()).isEqualTo(200);
            assertEndOfDelegate(server);
        }
    }

    @Test
    void closeLetsACallThatHasNotBeenSentYetComplete() throws Exception {
        Throttle closed = TestThrottles.builder(Duration.ZERO)
                .time(time)
                .limit(TestThrottles.opensAfter(DELAY))
                .build();
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.OK))) {
            ThrottlingHttpClient ours =
                    ThrottlingHttpClient.newBuilder(delegate).throttle(closed).build();
            CompletableFuture<HttpResponse<String>> call = ours.sendAsync(get(server), BodyHandlers.ofString());
            closeDuringTheDelay(ours, closed);
            assertThat(call.join().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aClientThatIsShutDownTakesNoMoreCalls() throws Exception {
        try (RawServer server = silent()) {
            client.shutdown();
            assertThatThrownBy(() -> client.send(get(server), BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("closed");
            CompletableFuture<?> call = client.sendAsync(get(server), BodyHandlers.ofString());
            assertThatThrownBy(call::get)
                    .hasCauseInstanceOf(IOException.class)
                    .cause()
                    .hasMessage("closed");
            assertThat(server.requests).hasValue(0);
            assertThat(client.pending()).isZero();
        }
    }

    @Test
    void closeDrainsOwnCallsOnEveryJavaAndOnlyItsOwnOn17() throws Exception {
        try (RawServer server = refusingOnce()) {
            CompletableFuture<HttpResponse<String>> call = client.sendAsync(get(server), BodyHandlers.ofString());
            closeDuringTheDelay(client, throttle);
            assertThat(call.join().statusCode()).isEqualTo(200);
            assertEndOfDelegate(server);
        }
    }

    @Test
    void aSharedClientIsLeftOpen() throws Exception {
        try (RawServer server = refusingOnce()) {
            ThrottlingHttpClient ours = ThrottlingHttpClient.newBuilder(delegate)
                    .throttle(throttle)
                    .closeDelegate(false)
                    .build();
            CompletableFuture<HttpResponse<String>> call = ours.sendAsync(get(server), BodyHandlers.ofString());
            closeDuringTheDelay(ours, throttle);
            assertThat(call.join().statusCode()).isEqualTo(200);
            assertThat(delegate.send(get(server), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
    }

    private CompletableFuture<HttpResponse<String>> callOfADroppedClient(
            RawServer server, java.util.List<WeakReference<?>> dropped) {
        HttpClient its = HttpClient.newHttpClient();
        ThrottlingHttpClient ours =
                ThrottlingHttpClient.newBuilder(its).throttle(throttle).build();
        dropped.add(new WeakReference<>(ours));
        dropped.add(new WeakReference<>(its));
        CompletableFuture<HttpResponse<String>> result = new CompletableFuture<>();
        // The caller keeps nothing of the call but what depends on it.
        ours.sendAsync(get(server), BodyHandlers.ofString()).thenAccept(result::complete);
        return result;
    }

    @Test
    void aCallInItsDelayKeepsADroppedClientAlive() throws Exception {
        try (RawServer server = refusingOnce()) {
            java.util.List<WeakReference<?>> dropped = new java.util.ArrayList<>();
            CompletableFuture<HttpResponse<String>> call = callOfADroppedClient(server, dropped);
            awaitDelay(throttle);
            for (int i = 0; i < 5; i++) { // one collection may only find what the next one frees
                collectGarbage();
            }
            assertThat(dropped).allSatisfy(ref -> assertThat(ref.get()).isNotNull());
            time.advance(DELAY);
            assertThat(call.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            await().untilAsserted(() -> {
                System.gc();
                assertThat(dropped).allSatisfy(ref -> assertThat(ref.get()).isNull());
            });
        }
    }
}
