package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Calls;
import dev.throttle.client.Origin;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A wrapped client that follows redirects, and so asks somebody else than the request says. */
class RedirectTest {

    private final HttpClient following =
            HttpClient.newBuilder().followRedirects(Redirect.ALWAYS).build();
    private final List<Integer> seen = new CopyOnWriteArrayList<>();
    private ThrottleRegistry throttles =
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
            assertThat(throttle.snapshot().waiting()).isZero();
        }
    }

    private void redirect(int times) {
        for (int i = 0; i < times; i++) {
            origin.then(Reply.of(302, "").with("Location", target.uri().toString()));
        }
    }

    private ThrottlingHttpClient client() {
        return ThrottlingHttpClient.newBuilder(following).throttles(throttles).build();
    }

    private HttpResponse<String> send(Mode mode) throws Exception {
        return mode.send(client(), HttpRequest.newBuilder(origin.uri()).build(), info -> {
            seen.add(info.statusCode());
            return BodyHandlers.ofString().apply(info);
        });
    }

    private Throttle of(URI uri) {
        return throttles.get(Origin.of(uri));
    }

    private static Map<Outcome, Long> outcomes(Throttle throttle) {
        return throttle.snapshot().outcomes().entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .collect(java.util.stream.Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @ParameterizedTest
    @EnumSource
    void theOriginIsAskedAgainAndTheRefusalIsTheTargets(Mode mode) throws Exception {
        redirect(2);
        target.then(Reply.of(429, 1000));
        HttpResponse<String> response = send(mode);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.uri()).isEqualTo(target.uri());
        assertThat(response.previousResponse()).hasValueSatisfying(previous -> {
            assertThat(previous.statusCode()).isEqualTo(302);
            assertThat(previous.body()).isNull();
        });
        assertThat(seen).containsExactly(200);
        assertThat(origin.hits()).isEqualTo(2);
        assertThat(target.hits()).isEqualTo(2);
        assertThat(outcomes(of(origin.uri()))).isEqualTo(Map.of(Outcome.SUCCESS, 2L));
        assertThat(outcomes(of(target.uri()))).isEqualTo(Map.of(Outcome.RATE_LIMITED, 1L, Outcome.SUCCESS, 1L));
    }

    @ParameterizedTest
    @EnumSource
    void hintsOfARedirectCountForTheHostThatSentThem(Mode mode) throws Exception {
        throttles = TestThrottles.registry(Duration.ofMillis(1))
                .hintReader(HintReader.standard())
                .build();
        origin.then(new Reply(
                302,
                new byte[0],
                Map.of("Location", target.uri().toString(), "RateLimit-Limit", "100", "RateLimit-Remaining", "60")));
        target.then(new Reply(200, new byte[] {'x'}, Map.of("RateLimit-Limit", "20", "RateLimit-Remaining", "7")));
        assertThat(send(mode).body()).isEqualTo("x");
        assertThat(of(origin.uri()).snapshot().quotas())
                .singleElement()
                .satisfies(quota -> assertThat(quota.remaining()).isEqualTo(60));
        assertThat(of(target.uri()).snapshot().quotas())
                .singleElement()
                .satisfies(quota -> assertThat(quota.remaining()).isEqualTo(7));
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalOfTheTargetKeepsNobodyFromTheOrigin(Mode mode) throws Exception {
        redirect(2);
        target.then(Reply.of(429, 10).with(TestThrottles.CLOSE_MILLIS, "800"));
        CompletableFuture<Integer> call = inBackground(() -> send(mode).statusCode());
        await().until(() -> of(target.uri()).snapshot().waiting() == 1);
        assertThat(of(origin.uri()).snapshot().blocked()).isZero();
        assertThat(of(target.uri()).snapshot().blocked()).isPositive();
        assertThat(of(origin.uri()).tryAcquire()).isNotNull().satisfies(permit -> permit.release());
        assertThat(call.join()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalThatCannotBeWaitedOutIsOfTheTarget(Mode mode) throws Exception {
        redirect(1);
        target.then(Reply.of(429, 1000).with(TestThrottles.CLOSE_MILLIS, "3600000"));
        assertThatThrownBy(() -> send(mode)).isInstanceOf(ThrottleRejectedException.class);
        assertThat(of(target.uri()).snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
        assertThat(of(origin.uri()).snapshot().blocked()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void withoutARedirectAttemptsAndBodiesAreTheSame(Mode mode) throws Exception {
        for (int i = 0; i < 3; i++) {
            origin.then(Reply.of(503, 1000));
        }
        HttpResponse<String> response = send(mode);
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).hasSize(1000);
        assertThat(seen).containsExactly(503);
        assertThat(origin.hits()).isEqualTo(3);
        assertThat(outcomes(of(origin.uri()))).isEqualTo(Map.of(Outcome.BUSY, 3L));
    }

    /** Both keys are asked before the second attempt, and both bounds of the wait are one. */
    @ParameterizedTest
    @EnumSource
    void theWaitAtBothKeysTogetherIsBounded(Mode mode) throws Exception {
        VirtualTime time = new VirtualTime();
        throttles = TestThrottles.registry(Duration.ofMillis(1)).time(time).build();
        redirect(1);
        target.then(Reply.of(429, 10).with(TestThrottles.CLOSE_MILLIS, "800"));
        ThrottlingHttpClient impatient = ThrottlingHttpClient.newBuilder(following)
                .throttles(throttles)
                .options(CallOptions.DEFAULT.maxWait(Duration.ofMillis(1200)))
                .build();
        CompletableFuture<?> closing = inBackground(() -> {
            await().until(() -> of(target.uri()).snapshot().waiting() == 1);
            // Now the origin refuses somebody too: 800 ms at the target leave 400 ms, which are not enough.
            Calls.of(of(origin.uri()))
                    .newCall()
                    .acquireForced()
                    .complete(new dev.throttle.signal.Signal(
                            Outcome.RATE_LIMITED,
                            new dev.throttle.signal.RateHints(Duration.ofMillis(1900), List.of())));
            time.advance(Duration.ofMillis(800));
            return null;
        });
        assertThatThrownBy(() -> mode.send(
                        impatient, HttpRequest.newBuilder(origin.uri()).build(), BodyHandlers.discarding()))
                .isInstanceOf(ThrottleRejectedException.class);
        closing.join();
        assertThat(origin.hits()).isEqualTo(1);
        assertThat(impatient.pending()).isZero();
    }

    @Test
    void cancelWhileTheTargetIsWaitedForSendsNothing() throws Exception {
        redirect(2);
        target.then(Reply.of(429, 10).with(TestThrottles.CLOSE_MILLIS, "300000"));
        ThrottlingHttpClient client = client();
        CompletableFuture<?> call =
                client.sendAsync(HttpRequest.newBuilder(origin.uri()).build(), BodyHandlers.ofString());
        await().until(() -> of(target.uri()).snapshot().waiting() == 1);
        call.cancel(true);
        await().until(() -> client.pending() == 0);
        assertThat(origin.hits()).isEqualTo(1);
    }

    /** As with a download of minutes, after which nobody knows any more what is left of the quota. */
    @Test
    void whatWasSaidLongBeforeTheBodyEndedIsNotBooked() {
        for (int seconds : new int[] {1, 6}) {
            VirtualTime time = new VirtualTime();
            CompletableFuture<Void> body = new CompletableFuture<>();
            FakeClient slow = new FakeClient(new FakeClient.Script() {
                @Override
                public <T> CompletableFuture<HttpResponse<T>> answer(
                        int number, HttpRequest request, BodyHandler<T> handler) {
                    HttpResponse<T> response = FakeClient.respond(
                            request,
                            200,
                            Map.of("RateLimit-Limit", List.of("20"), "RateLimit-Remaining", List.of("7")),
                            handler);
                    return body.thenApply(ended -> response);
                }
            });
            ThrottleRegistry keyed = TestThrottles.registry(Duration.ofMillis(1))
                    .hintReader(HintReader.standard())
                    .time(time)
                    .build();
            CompletableFuture<?> call = ThrottlingHttpClient.newBuilder(slow.following(Redirect.NORMAL))
                    .throttles(keyed)
                    .time(time)
                    .build()
                    .sendAsync(HttpRequest.newBuilder(origin.uri()).build(), BodyHandlers.discarding());
            assertThat(keyed.all().get(0).snapshot().inFlight()).isEqualTo(1);
            time.advance(Duration.ofSeconds(seconds));
            body.complete(null);
            call.join();
            assertThat(keyed.all().get(0).snapshot().quotas()).hasSize(seconds == 1 ? 1 : 0);
            assertThat(keyed.all().get(0).count(Outcome.SUCCESS)).isEqualTo(1);
        }
    }

    @Test
    void withoutRedirectsTheThrottleIsToldAtTheHeaders() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{");
            exchange.hang();
        })) {
            ThrottlingHttpClient single = ThrottlingHttpClient.newBuilder(following)
                    .throttle(throttle)
                    .build();
            CompletableFuture<?> call =
                    single.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            await().until(() -> throttle.count(Outcome.SUCCESS) == 1);
            assertThat(call).isNotDone();
            call.cancel(true);
        }
    }
}
