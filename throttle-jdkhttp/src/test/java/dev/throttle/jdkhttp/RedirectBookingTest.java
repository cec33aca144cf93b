package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Origin;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On whose account it goes what came back, where the wrapped client may have followed a redirect. */
class RedirectBookingTest {

    private static final String AN_HOUR = "3600000";

    private final HttpClient following =
            HttpClient.newBuilder().followRedirects(Redirect.ALWAYS).build();
    private final ThrottleRegistry throttles =
            TestThrottles.registry(Duration.ofMillis(1)).build();
    private ScriptedServer origin;
    private ScriptedServer target;

    @BeforeEach
    void start() throws Exception {
        origin = new ScriptedServer();
        target = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        origin.close();
        target.close();
        for (Throttle throttle : throttles.all()) {
            await().until(() -> throttle.snapshot().inFlight() == 0);
        }
    }

    private static Reply redirectTo(ScriptedServer other) {
        return Reply.of(302, "").with("Location", other.uri().toString());
    }

    private ThrottlingHttpClientBuilder client() {
        return ThrottlingHttpClient.newBuilder(following).throttles(throttles);
    }

    private HttpResponse<String> send(Mode mode) throws Exception {
        return mode.send(client().build(), HttpRequest.newBuilder(origin.uri()).build(), BodyHandlers.ofString());
    }

    private Throttle of(URI uri) {
        return throttles.get(Origin.of(uri));
    }

    @ParameterizedTest
    @EnumSource
    void afterARefusalOfTheOriginTheTargetsRefusalIsTheTargets(Mode mode) throws Exception {
        origin.then(Reply.of(429, 10));
        origin.then(redirectTo(target));
        target.then(Reply.of(503, 10).with(TestThrottles.CLOSE_MILLIS, AN_HOUR));
        assertThatThrownBy(() -> send(mode)).isInstanceOf(ThrottleRejectedException.class);
        assertThat(of(origin.uri()).snapshot().blocked()).isZero();
        assertThat(of(target.uri()).snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
        assertThat(of(target.uri()).count(Outcome.BUSY)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void afterARefusalOfTheTargetTheOriginsRefusalIsTheOrigins(Mode mode) throws Exception {
        origin.then(redirectTo(target));
        target.then(Reply.of(429, 10));
        origin.then(Reply.of(429, 10).with(TestThrottles.CLOSE_MILLIS, AN_HOUR));
        assertThatThrownBy(() -> send(mode)).isInstanceOf(ThrottleRejectedException.class);
        assertThat(of(origin.uri()).snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
        assertThat(of(target.uri()).snapshot().blocked()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void everyHostOnTheWayIsCounted(Mode mode) throws Exception {
        try (ScriptedServer middle = new ScriptedServer(redirectTo(target))) {
            origin.then(redirectTo(middle));
            assertThat(send(mode).statusCode()).isEqualTo(200);
            for (ScriptedServer server : new ScriptedServer[] {origin, middle, target}) {
                assertThat(of(server.uri()).count(Outcome.SUCCESS)).isEqualTo(1);
            }
        }
    }

    /** A request type of the user's, of which the JDK makes a copy. */
    private record TenantRequest(HttpRequest request, String tenant) {

        HttpRequest build() {
            return new Request(request, tenant);
        }

        private static final class Request extends HttpRequest {
            private final HttpRequest wrapped;
            private final String tenant;

            Request(HttpRequest wrapped, String tenant) {
                this.wrapped = wrapped;
                this.tenant = tenant;
            }

            @Override
            public Optional<BodyPublisher> bodyPublisher() {
                return wrapped.bodyPublisher();
            }

            @Override
            public String method() {
                return wrapped.method();
            }

            @Override
            public Optional<Duration> timeout() {
                return wrapped.timeout();
            }

            @Override
            public boolean expectContinue() {
                return wrapped.expectContinue();
            }

            @Override
            public URI uri() {
                return wrapped.uri();
            }

            @Override
            public Optional<HttpClient.Version> version() {
                return wrapped.version();
            }

            @Override
            public HttpHeaders headers() {
                return wrapped.headers();
            }
        }

        static String tenantOf(HttpRequest request) {
            return request instanceof Request own ? own.tenant : "default";
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatWasNotRedirectedKeepsTheKeyOfItsOwnType(Mode mode) throws Exception {
        origin.then(Reply.of(429, 10).with(TestThrottles.CLOSE_MILLIS, AN_HOUR));
        ThrottlingHttpClient byTenant =
                client().keyResolver(TenantRequest::tenantOf).build();
        HttpRequest request =
                new TenantRequest(HttpRequest.newBuilder(origin.uri()).build(), "tenant").build();
        assertThatThrownBy(() -> mode.send(byTenant, request, BodyHandlers.ofString()))
                .isInstanceOf(ThrottleRejectedException.class);
        assertThat(throttles.all()).extracting(Throttle::key).containsExactly("tenant");
        assertThat(throttles.get("tenant").snapshot().blocked()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void aKeyResolverThatDoesNotKnowTheJdksCopyFailsNoCall(Mode mode) throws Exception {
        origin.then(redirectTo(target));
        ThrottlingHttpClient byTenant = client().keyResolver(request -> ((TenantRequest.Request) request).tenant)
                .build();
        HttpRequest request =
                new TenantRequest(HttpRequest.newBuilder(origin.uri()).build(), "tenant").build();
        assertThat(mode.send(byTenant, request, BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        assertThat(throttles.get("tenant").count(Outcome.SUCCESS)).isEqualTo(2);
    }

    /** With nothing earned by traffic, the budget is its reserve. */
    private int sentFor(Redirect redirect, Mode mode, boolean away) throws Exception {
        ThrottleRegistry budgeted = TestThrottles.registry(Duration.ofMillis(1))
                .retryPolicy(RetryPolicy.builder()
                        .budget(0, 5)
                        .backoff((attempt, random) -> 1)
                        .build())
                .build();
        try (ScriptedServer first = new ScriptedServer();
                ScriptedServer second = new ScriptedServer()) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(
                            HttpClient.newBuilder().followRedirects(redirect).build())
                    .throttles(budgeted)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(first.uri()).build();
            for (int i = 0; i < 40; i++) {
                if (away) {
                    first.then(redirectTo(second));
                }
                (away ? second : first).then(Reply.of(503, 10));
            }
            for (int i = 0; i < 20; i++) {
                Throwable thrown = catchThrowable(() -> mode.send(client, request, BodyHandlers.ofString()));
                if (thrown != null) {
                    assertThat(thrown).hasMessageContaining("503");
                }
            }
            return (away ? second : first).hits();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theRetryBudgetIsKeptWithRedirectsToo(Mode mode) throws Exception {
        int expected = sentFor(Redirect.NEVER, mode, false);
        assertThat(expected).isLessThan(30);
        assertThat(sentFor(Redirect.NORMAL, mode, false)).isEqualTo(expected);
        assertThat(sentFor(Redirect.NORMAL, mode, true)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalThatIsRepeatedIsLearnedFromAtItsHeaders(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 429 Too Many Requests\r\nClose-Millis: 60000\r\nContent-Length: 100\r\n\r\nslow");
            exchange.hang();
        })) {
            ThrottlingHttpClient patient =
                    client().drainLimits(65_536, Duration.ofMinutes(1)).build();
            CompletableFuture<Throwable> call = inBackground(() -> catchThrowable(() ->
                    mode.send(patient, HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString())));
            await().until(() -> of(server.uri()).count(Outcome.RATE_LIMITED) == 1); // counted, and then learned from
            await().until(() -> of(server.uri()).snapshot().blocked().toNanos() > 0);
            assertThat(server.open).as("the body has not ended").hasValue(1);
            patient.shutdownNow();
            assertThat(call.join()).hasMessageContaining("429");
            assertThat(server.seesTheClientGo()).isTrue();
        }
    }

    @Test
    void cancelWhileARefusedBodyIsReadEndsTheExchange() throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\nslow");
            exchange.hang();
        })) {
            ThrottlingHttpClient patient = client().bodyClassifier(dev.throttle.signal.BodyClassifier.none())
                    .drainLimits(65_536, Duration.ofMinutes(1))
                    .options(CallOptions.DEFAULT)
                    .build();
            CompletableFuture<?> call =
                    patient.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            await().until(() -> of(server.uri()).count(Outcome.RATE_LIMITED) == 1);
            call.cancel(true);
            assertThat(server.seesTheClientGo()).isTrue();
            await().until(() -> patient.pending() == 0);
        }
    }
}
