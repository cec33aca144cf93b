package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.Throttle;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ending calls at once, and waiting for the end. */
class ShutdownTest {

    private final HttpClient delegate = HttpClient.newHttpClient();
    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
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

    @ParameterizedTest
    @EnumSource
    void shutdownNowFailsACallInItsDelayWithItsStatus(Mode mode) throws Exception {
        Throttle slow = TestThrottles.throttle(Duration.ofMinutes(5));
        ThrottlingHttpClient ours =
                ThrottlingHttpClient.newBuilder(delegate).throttle(slow).build();
        try (RawServer server = refusingOnce()) {
            CompletableFuture<Throwable> call =
                    inBackground(() -> catchThrowable(() -> mode.send(ours, get(server), BodyHandlers.ofString())));
            await().until(() -> slow.snapshot().waiting() == 1);
            ours.shutdownNow();
            assertThat(ours.awaitTermination(Duration.ofSeconds(30))).isTrue();
            assertThat(call.join()).isInstanceOf(IOException.class).hasMessage("closed; the last answer was 429");
            assertThat(slow.snapshot().waiting()).isZero();
            assertThat(ours.isTerminated()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNowFailsACallInFlightEvenIfTheWrappedClientIsShared(Mode mode) throws Exception {
        ThrottlingHttpClient ours = ThrottlingHttpClient.newBuilder(delegate)
                .throttle(throttle)
                .closeDelegate(false)
                .build();
        try (RawServer server = silent()) {
            CompletableFuture<Object> call = inBackground(() -> {
                Throwable thrown = catchThrowable(() -> mode.send(ours, get(server), BodyHandlers.ofString()));
                assertThat(Thread.interrupted()).isFalse();
                return thrown;
            });
            await().until(() -> server.requests.get() == 1);
            ours.shutdownNow();
            assertThat(call.get(30, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
            assertThat(server.seesTheClientGo()).isTrue();
            assertThat(ours.awaitTermination(Duration.ofSeconds(30))).isTrue();
            await().until(() -> throttle.snapshot().inFlight() == 0);
        }
    }

    @Test
    void awaitTerminationTakesAnyDuration() throws Exception {
        assertThatThrownBy(() -> client.awaitTermination(null)).isInstanceOf(NullPointerException.class);
        assertThat(client.isTerminated()).isFalse();
        assertThat(client.awaitTermination(Duration.ZERO)).isFalse();
        assertThat(client.awaitTermination(Duration.ofSeconds(-5))).isFalse();
        client.shutdown();
        client.shutdown();
        assertThat(client.awaitTermination(Duration.ofDays(1))).isTrue();
        assertThat(client.awaitTermination(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isTrue();
        assertThat(client.awaitTermination(Duration.ZERO)).isTrue();
    }

    @Test
    void awaitTerminationHasOneBudget() throws Exception {
        try (RawServer server = silent()) {
            CompletableFuture<?> call = client.sendAsync(get(server), BodyHandlers.ofString());
            client.shutdown();
            long begin = System.nanoTime();
            assertThat(client.awaitTermination(Duration.ofMillis(200))).isFalse();
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(190_000_000L);
            assertThat(client.isTerminated()).isFalse();
            call.cancel(true);
            assertThat(client.awaitTermination(Duration.ofSeconds(30))).isTrue();
        }
    }

    @Test
    void closeThatIsInterruptedEndsWhatIsUnderWay() throws Exception {
        try (RawServer server = silent()) {
            CompletableFuture<?> call = client.sendAsync(get(server), BodyHandlers.ofString());
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            Thread closer = new Thread(() -> {
                client.close();
                flag.complete(Thread.currentThread().isInterrupted());
            });
            closer.start();
            await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
            closer.interrupt();
            assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(call::join).hasCauseInstanceOf(IOException.class);
            assertThat(client.isTerminated()).isTrue();
        }
    }
}
