package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
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
    private final ThrottlingInterceptor interceptor = ThrottlingInterceptor.create(throttles);
    private final OkHttpClient client = client();

    private static OkHttpClient client() {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequestsPerHost(CALLS);
        return new OkHttpClient.Builder().dispatcher(dispatcher).build();
    }

    /** The ways through the throttle. */
    enum Door {
        INTERCEPTOR,
        FACTORY
    }

    @AfterEach
    void closesTheClient() {
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    private Throttle throttle(LeavingServer server) {
        return throttles.get(Origin.of(server.uri()));
    }

    private CompletableFuture<Integer> call(Door door, LeavingServer server, String method) {
        RequestBody body = method.equals("POST") ? RequestBody.create("text", null) : null;
        Request request = new Request.Builder()
                .url(server.uri().toString())
                .method(method, body)
                .build();
        Call.Factory factory = door == Door.FACTORY
                ? interceptor.callFactory(client)
                : client.newBuilder()
                        .addInterceptor(interceptor)
                        .addNetworkInterceptor(interceptor.observer())
                        .build();
        CompletableFuture<Integer> status = new CompletableFuture<>();
        factory.newCall(request).enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                status.complete(response.code());
                response.close();
            }

            @Override
            public void onFailure(Call call, IOException e) {
                status.completeExceptionally(e);
            }
        });
        return status;
    }

    private static ConditionFactory await() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2));
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
    void callsWaitForAServerThatRefusesConnections(Door door) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            Throttle throttle = throttle(server);
            assertThat(call(door, server, "GET").get()).isEqualTo(200);
            server.leave();
            client.connectionPool().evictAll(); // a POST over a connection that was cut is not sent again
            List<CompletableFuture<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(call(door, server, i % 2 == 0 ? "GET" : "POST"));
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
    void aCallOverAConnectionThatWasCutWaitsToo(Door door) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            Throttle throttle = throttle(server);
            assertThat(call(door, server, "GET").get()).isEqualTo(200);
            server.leave();
            CompletableFuture<Integer> call = call(door, server, "GET");
            await().until(() -> {
                time.advance(Duration.ofMillis(250));
                return throttle.count(Outcome.UNREACHABLE) >= 4;
            });
            assertThat(call).isNotDone();
            server.comeBack();
            finish(List.of(call));
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsWaitForAGatewayWhoseServerIsAway(Door door) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            Throttle throttle = throttle(server);
            assertThat(call(door, server, "GET").get()).isEqualTo(200);
            server.answer(502);
            assertThat(call(door, server, "POST").get()).isEqualTo(502);
            List<CompletableFuture<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(call(door, server, "GET"));
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
    void aPortWhereNothingHasEverAnsweredIsNotWaitedFor(Door door) throws Exception {
        try (LeavingServer server = new LeavingServer()) {
            server.leave();
            CompletableFuture<Integer> call = call(door, server, "GET");
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
    void afterTheBoundTheCallerGetsTheLastAnswer(Door door) throws Exception {
        throttles.reconfigure(settings -> settings.overloadWait(Duration.ofSeconds(5)));
        try (LeavingServer server = new LeavingServer()) {
            assertThat(call(door, server, "GET").get()).isEqualTo(200);
            server.answer(504);
            CompletableFuture<Integer> call = call(door, server, "GET");
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
