package dev.throttle.jdkhttp;

import static dev.throttle.jdkhttp.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls to a server that is away for a time. */
class OutageTest {

    private static final int CALLS = 8;

    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .overloadWait(Duration.ofHours(1))
            .time(time)
            .build();
    private final HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
            .throttles(throttles)
            .build();

    private Throttle throttle(LeavingServer server) {
        return throttles.get(Origin.of(server.uri()));
    }

    private CompletableFuture<Integer> call(Mode mode, LeavingServer server, String method) {
        HttpRequest request = HttpRequest.newBuilder(server.uri())
                .method(method, method.equals("POST") ? BodyPublishers.ofString("text") : BodyPublishers.noBody())
                .build();
        return Awaiting.inBackground(
                () -> mode.send(client, request, BodyHandlers.discarding()).statusCode());
    }

    /** Lets time pass, and each attempt end that it lets go. */
    private void pass(Throttle throttle, Duration length) {
        Duration step = Duration.ofMillis(250);
        for (Duration passed = Duration.ZERO; passed.compareTo(length) < 0; passed = passed.plus(step)) {
            time.advance(step);
            awaitWaiting(throttle);
        }
    }

    private static void awaitWaiting(Throttle throttle) {
        await().until(() -> {
            throttle.explainWait(); // which lets the first go if it is due, before its thread looks
            return throttle.snapshot().inFlight() == 0 && throttle.snapshot().waiting() == CALLS;
        });
    }

    private void finish(List<CompletableFuture<Integer>> calls) {
        await().until(() -> {
            time.advance(Duration.ofMillis(250));
            return calls.stream().allMatch(CompletableFuture::isDone);
        });
        assertThat(calls).allSatisfy(call -> assertThat(call).isCompletedWithValue(200));
    }

    @ParameterizedTest
    @EnumSource
    void callsWaitForAServerThatRefusesConnections(Mode mode) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            Throttle throttle = throttle(server);
            assertThat(call(mode, server, "GET").get()).isEqualTo(200);
            server.leave();
            List<CompletableFuture<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(call(mode, server, i % 2 == 0 ? "GET" : "POST"));
            }
            awaitWaiting(throttle);
            pass(throttle, Duration.ofSeconds(10));
            assertThat(throttle.estimateWait(CallOptions.DEFAULT).headReason()).isEqualTo("overload");
            assertThat(throttle.count(Outcome.UNREACHABLE))
                    .as("those in flight, and probes")
                    .isBetween(3 + 4L, CALLS + 8L);
            server.comeBack();
            finish(calls);
            assertThat(throttle.count(Outcome.FAILED)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsWaitForAGatewayWhoseServerIsAway(Mode mode) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            Throttle throttle = throttle(server);
            assertThat(call(mode, server, "GET").get()).isEqualTo(200);
            server.answer(502);
            assertThat(call(mode, server, "POST").get()).isEqualTo(502);
            List<CompletableFuture<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(call(mode, server, "GET"));
            }
            awaitWaiting(throttle);
            pass(throttle, Duration.ofSeconds(5));
            assertThat(throttle.count(Outcome.UNREACHABLE)).isBetween(3 + 2L, 1 + CALLS + 8L);
            server.comeBack();
            finish(calls);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPortWhereNothingHasEverAnsweredIsNotWaitedFor(Mode mode) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            server.leave();
            CompletableFuture<Integer> call = call(mode, server, "GET");
            await().until(() -> {
                time.advance(Duration.ofMillis(250));
                return call.isDone();
            });
            assertThat(call)
                    .failsWithin(Duration.ZERO)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(ConnectException.class);
            assertThat(throttle(server).count(Outcome.UNREACHABLE)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void afterTheBoundTheCallerGetsTheLastAnswer(Mode mode) throws Exception {
        throttles.reconfigure(settings -> settings.overloadWait(Duration.ofSeconds(5)));
        try (LeavingServer server = new LeavingServer()) {
            assertThat(call(mode, server, "GET").get()).isEqualTo(200);
            server.answer(504);
            CompletableFuture<Integer> call = call(mode, server, "GET");
            long began = time.nanoTime();
            await().until(() -> {
                time.advance(Duration.ofMillis(250));
                return call.isDone();
            });
            assertThat(call).isCompletedWithValue(504);
            assertThat(time.nanoTime() - began).isGreaterThanOrEqualTo(5_000_000_000L);
        }
    }
}
