package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Calls;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of the request: it is passed on as it is, and sent again only if that is safe. */
class RequestTest {

    private static final URI NOWHERE = URI.create("http://localhost/");

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final ThrottlingHttpClient client = over(HttpClient.newHttpClient());

    private ThrottlingHttpClient over(HttpClient delegate) {
        return ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();
    }

    @Test
    void theResponseIsTheObjectOfTheWrappedClient() throws Exception {
        FakeClient fake = FakeClient.refusing(1);
        HttpRequest request = HttpRequest.newBuilder(NOWHERE).build();
        HttpResponse<Void> first = over(fake).send(request, BodyHandlers.discarding());
        assertThat(fake.responses.get(1)).isSameAs(first);
        HttpResponse<Void> second =
                over(fake).sendAsync(request, BodyHandlers.discarding()).join();
        assertThat(fake.responses.get(2)).isSameAs(second);
    }

    @ParameterizedTest
    @EnumSource
    void eachAttemptSendsTheSameRequest(Mode mode) throws Exception {
        FakeClient fake = FakeClient.refusing(2);
        HttpRequest request = HttpRequest.newBuilder(NOWHERE).build();
        mode.send(over(fake), request, BodyHandlers.discarding());
        assertThat(fake.requests).hasSize(3).allSatisfy(sent -> assertThat(sent).isSameAs(request));
    }

    @ParameterizedTest
    @EnumSource
    void theRequestsTimeoutBoundsAttemptsAndNotWaits(Mode mode) throws Exception {
        // A wrapped client that answers at once: only the wait is longer than the timeout.
        ThrottlingHttpClient patient = ThrottlingHttpClient.newBuilder(FakeClient.refusing(1))
                .throttle(TestThrottles.throttle(Duration.ofMillis(300)))
                .build();
        HttpRequest request =
                HttpRequest.newBuilder(NOWHERE).timeout(Duration.ofMillis(100)).build();
        long begin = System.nanoTime();
        assertThat(mode.send(patient, request, BodyHandlers.discarding()).statusCode())
                .isEqualTo(200);
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(300_000_000L);
    }

    @ParameterizedTest
    @EnumSource
    void aTimeoutIsNotRepeated(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> exchange.hang())) {
            HttpRequest request = HttpRequest.newBuilder(server.uri())
                    .timeout(Duration.ofMillis(200))
                    .build();
            assertThatThrownBy(() -> mode.send(client, request, BodyHandlers.discarding()))
                    .isInstanceOf(HttpTimeoutException.class)
                    .isNotInstanceOf(ThrottleRejectedException.class);
            assertThat(server.requests).hasValueLessThan(2); // on a busy machine the time is over before it is sent
            assertThat(throttle.count(Outcome.FAILED)).isEqualTo(1);
            assertThat(throttle.snapshot().retried()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWaitThatIsTooLongFailsAtOnceWithKeyAndWait(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            Throttle slow = TestThrottles.builder(Duration.ZERO)
                    .time(new VirtualTime())
                    .limit(TestThrottles.opensAfter(Duration.ofSeconds(90)))
                    .build();
            ThrottlingHttpClient impatient = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(slow)
                    .options(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(5)))
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            // At once: no time passes here for a call that would wait.
            Throwable thrown = catchThrowable(() -> mode.send(impatient, request, BodyHandlers.discarding()));
            assertThat(thrown).isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
                assertThat(e.label()).isEqualTo(slow.label());
                assertThat(e.neededWait()).isEqualTo(Duration.ofSeconds(90));
                assertThat(e.lastStatus()).isNull();
                assertThat(e).hasMessageContaining("opens-after");
            });
            assertThat(server.hits()).isZero();
            assertThat(impatient.pending()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalWhoseBodyIsGoneEndsInAnExceptionThatNamesItsStatus(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 1000))) {
            VirtualTime time = new VirtualTime();
            Throttle closing =
                    TestThrottles.builder(Duration.ofMillis(800)).time(time).build();
            ThrottlingHttpClient impatient = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(closing)
                    .options(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(5)))
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Throwable> thrown =
                    inBackground(() -> catchThrowable(() -> mode.send(impatient, request, BodyHandlers.discarding())));
            await().until(() -> closing.snapshot().waiting() == 1);
            // While it waits, another call is told to stay away for an hour.
            Calls.of(closing)
                    .newCall()
                    .acquireForced()
                    .complete(new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofHours(1), List.of())));
            time.advance(Duration.ofMillis(800));
            assertThat(thrown.get(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
                assertThat(e.lastStatus()).isEqualTo(429);
                assertThat(e).hasMessageContaining("429");
            });
        }
    }

    @Test
    void nullsFailOnTheCallersThread() {
        HttpRequest request = HttpRequest.newBuilder(NOWHERE).build();
        assertThatThrownBy(() -> client.send(null, BodyHandlers.discarding())).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.send(request, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.sendAsync(null, BodyHandlers.discarding()))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.sendAsync(request, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.sendAsync(request, (BodyHandler<String>) null, null))
                .isInstanceOf(NullPointerException.class);
        assertThat(client.pending()).isZero();
    }

    /** A request that no builder would make. */
    private static HttpRequest invalid() {
        HttpRequest valid = HttpRequest.newBuilder(NOWHERE).build();
        return new HttpRequest() {
            @Override
            public Optional<BodyPublisher> bodyPublisher() {
                return Optional.empty();
            }

            @Override
            public String method() {
                return "G E T";
            }

            @Override
            public Optional<Duration> timeout() {
                return Optional.empty();
            }

            @Override
            public boolean expectContinue() {
                return false;
            }

            @Override
            public URI uri() {
                return NOWHERE;
            }

            @Override
            public Optional<HttpClient.Version> version() {
                return Optional.empty();
            }

            @Override
            public java.net.http.HttpHeaders headers() {
                return valid.headers();
            }
        };
    }

    @Test
    void argumentsTheJdkRefusesFailOnTheCallersThread() {
        assertThatThrownBy(() -> client.sendAsync(invalid(), BodyHandlers.discarding()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.send(invalid(), BodyHandlers.discarding()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(client.pending()).isZero();
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(2);
    }

    @Test
    void aFaultFoundAfterAWaitCompletesTheFuture() {
        AtomicBoolean open = new AtomicBoolean();
        Throttle slow = TestThrottles.builder(Duration.ZERO)
                .limit(TestThrottles.closedUntil(open))
                .build();
        ThrottlingHttpClient waiting = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(slow)
                .build();
        CompletableFuture<?> call = waiting.sendAsync(invalid(), BodyHandlers.discarding());
        open.set(true);
        assertThatThrownBy(call::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(waiting.pending()).isZero();
    }

    @Test
    void aPushPromiseHandlerIsPassedOnUnchanged() {
        FakeClient fake = FakeClient.refusing(1);
        HttpRequest request = HttpRequest.newBuilder(NOWHERE).build();
        BodyHandler<Void> handler = BodyHandlers.discarding();
        PushPromiseHandler<Void> pushes = PushPromiseHandler.of(pushed -> handler, new ConcurrentHashMap<>());
        over(fake).sendAsync(request, handler, pushes).join();
        over(fake).sendAsync(request, handler, null).join();
        assertThat(fake.pushes).containsExactly(Optional.of(pushes), Optional.of(pushes), Optional.empty());
    }
}
