package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a request wants of its throttle. */
class OptionsTest {

    private static final HttpRequest REQUEST =
            HttpRequest.newBuilder(URI.create("http://localhost/")).build();

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));

    private ThrottlingHttpClientBuilder client() {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient()).throttle(throttle);
    }

    private static HttpResponse<String> send(
            Mode mode, ThrottlingHttpClient client, HttpRequest request, CallOptions options) throws Exception {
        if (mode == Mode.SYNC) {
            return client.send(request, options, BodyHandlers.ofString());
        }
        try {
            return client.sendAsync(request, options, BodyHandlers.ofString()).get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestsWithoutAKeyPassUntouched(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            ThrottlingHttpClient exempting = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .keyResolver(request -> null)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(mode.send(exempting, request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(429);
            assertThat(throttle.snapshot().outcomes().values()).containsOnly(0L);
            exempting.close();
            assertThatThrownBy(() -> mode.send(exempting, request, BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("closed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void anExemptRequestPassesUntouched(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10), Reply.of(429, 10))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(send(mode, client().build(), request, CallOptions.exempt())
                            .statusCode())
                    .isEqualTo(429);
            ThrottlingHttpClient exempting =
                    client().options(CallOptions.exempt()).build();
            assertThat(mode.send(exempting, request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(429);
            assertThat(throttle.snapshot().outcomes().values()).containsOnly(0L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anExpensiveRequestTakesItsPermits(Mode mode) throws Exception {
        Throttle bucket = TestThrottles.builder(Duration.ZERO)
                .limit(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(10)
                        .build())
                .maxWait(Duration.ZERO)
                .build();
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(0))
                .throttle(bucket)
                .options(request -> "QUERY".equals(request.method()) ? CallOptions.DEFAULT.permits(6) : null)
                .build();
        HttpRequest query = HttpRequest.newBuilder(REQUEST.uri())
                .method("QUERY", BodyPublishers.noBody())
                .build();
        mode.send(client, query, BodyHandlers.discarding());
        for (int i = 0; i < 4; i++) {
            mode.send(client, REQUEST, BodyHandlers.discarding());
        }
        assertThatThrownBy(() -> mode.send(client, REQUEST, BodyHandlers.discarding()))
                .isInstanceOf(ThrottleRejectedException.class);
    }

    /** The same mistake as with every other door: the caller is told, and nothing is sent. */
    @ParameterizedTest
    @EnumSource
    void aCostThatNoLimitGrantsIsTheCallersMistake(Mode mode) {
        Throttle bucket = Throttle.builder()
                .limit(Strategies.tokenBucket()
                        .rate(10, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .build();
        FakeClient fake = FakeClient.refusing(0);
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(fake).throttle(bucket).build();
        assertThatThrownBy(() -> send(mode, client, REQUEST, CallOptions.DEFAULT.permits(11)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("requests of a call must be")
                .hasMessageContaining("but was 11");
        assertThat(fake.attempts()).isZero();
        assertThat(client.pending()).isZero();
        client.close();
    }

    @ParameterizedTest
    @EnumSource
    void aKeyResolverThatThrowsIsTheCallersMistake(Mode mode) {
        FakeClient fake = FakeClient.refusing(0);
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(fake)
                .throttle(throttle)
                .keyResolver(request -> Optional.<String>empty().orElseThrow())
                .build();
        assertThatThrownBy(() -> mode.send(client, REQUEST, BodyHandlers.discarding()))
                .isInstanceOf(java.util.NoSuchElementException.class);
        assertThat(fake.attempts()).isZero();
        client.close();
    }

    @ParameterizedTest
    @EnumSource
    void maxWaitMaxAttemptsAndIdempotenceOfOneRequest(Mode mode) throws Exception {
        HttpRequest post = HttpRequest.newBuilder(REQUEST.uri())
                .POST(BodyPublishers.ofString("x"))
                .build();
        try (ScriptedServer server = new ScriptedServer()) {
            for (int i = 0; i < 8; i++) {
                server.then(Reply.of(503, 10));
            }
            HttpRequest busy = HttpRequest.newBuilder(server.uri())
                    .POST(BodyPublishers.ofString("x"))
                    .build();
            ThrottlingHttpClient client = client().build();
            assertThat(send(mode, client, busy, CallOptions.DEFAULT).statusCode())
                    .isEqualTo(503);
            assertThat(server.hits()).isEqualTo(1);
            send(mode, client, busy, CallOptions.DEFAULT.idempotent(true));
            assertThat(server.hits()).isEqualTo(4);
            send(mode, client, busy, CallOptions.DEFAULT.idempotent(true).maxAttempts(2));
            assertThat(server.hits()).isEqualTo(6);
            send(mode, client, busy, CallOptions.DEFAULT.idempotent(true).replayable(false));
            assertThat(server.hits()).isEqualTo(7);
        }
        Throttle closed = TestThrottles.builder(Duration.ZERO)
                .limit(TestThrottles.opensAfter(Duration.ofMinutes(1)))
                .build();
        ThrottlingHttpClient waiting = ThrottlingHttpClient.newBuilder(FakeClient.refusing(0))
                .throttle(closed)
                .build();
        assertThatThrownBy(() -> send(mode, waiting, post, CallOptions.DEFAULT.maxWait(Duration.ofSeconds(1))))
                .isInstanceOf(ThrottleRejectedException.class);
    }

    @Test
    void optionsOfARequestGoBeforeThoseOfTheClient() {
        Throttle throttle = TestThrottles.builder(Duration.ZERO).build();
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(0))
                .throttle(throttle)
                .options(CallOptions.exempt())
                .build();
        client.sendAsync(REQUEST, BodyHandlers.discarding()).join();
        assertThat(throttle.count(Outcome.SUCCESS)).isZero();
        client.sendAsync(REQUEST, CallOptions.DEFAULT, BodyHandlers.discarding())
                .join();
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
    }
}
