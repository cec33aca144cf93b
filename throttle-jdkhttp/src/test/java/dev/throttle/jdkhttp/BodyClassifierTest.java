package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals that only the body tells: the beginning is looked at, and the caller misses nothing of it. */
class BodyClassifierTest {

    private static final String SLOW_DOWN = "{\"error\": \"slow down\"}";

    /** 403 with a text that says so is a refusal. */
    private static final BodyClassifier CLASSIFIER = new BodyClassifier() {
        @Override
        public boolean needsBody(ResponseHead response, Signal signal) {
            return response.status() == 403;
        }

        @Override
        public Signal classify(ResponseHead response, Signal signal, String start) {
            return start.contains("slow down") ? Signal.RATE_LIMITED : null;
        }
    };

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final List<Integer> seen = new CopyOnWriteArrayList<>();
    private final CountingTime time = new CountingTime();
    private final HttpClient plain = HttpClient.newHttpClient();

    /** What it looks at comes in time, however busy the machine is. */
    private ThrottlingHttpClient client(BodyClassifier classifier) {
        return client(classifier, Duration.ofMinutes(1));
    }

    private ThrottlingHttpClient client(BodyClassifier classifier, Duration limit) {
        return ThrottlingHttpClient.newBuilder(plain)
                .throttle(throttle)
                .bodyClassifier(classifier)
                .drainLimits(65_536, limit)
                .time(time)
                .build();
    }

    private <T> HttpResponse<T> send(Mode mode, ScriptedServer server, BodyHandler<T> handler) throws Exception {
        return mode.send(
                client(CLASSIFIER), HttpRequest.newBuilder(server.uri()).build(), info -> {
                    seen.add(info.statusCode());
                    return handler.apply(info);
                });
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalThatTheBodyTellsIsRepeated(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(403, SLOW_DOWN), Reply.of(403, SLOW_DOWN))) {
            assertThat(send(mode, server, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
            assertThat(seen).containsExactly(200);
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(2);
            assertThat(new HashSet<>(server.clientPorts)).hasSize(1);
        }
        assertThat(time.entries()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void gitHubsSecondaryLimitIsKnownByDefault(Mode mode) throws Exception {
        Reply refusal = Reply.of(403, "{\"message\": \"You have exceeded a secondary rate limit.\"}");
        try (ScriptedServer server = new ScriptedServer(refusal)) {
            ThrottlingHttpClient byDefault = ThrottlingHttpClient.newBuilder(plain)
                    .throttle(throttle)
                    .options(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(1))) // it asks for a minute
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThatThrownBy(() -> mode.send(byDefault, request, BodyHandlers.ofString()))
                    .isInstanceOf(ThrottleRejectedException.class);
        }
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle.snapshot().blocked()).isGreaterThan(Duration.ofSeconds(50));
    }

    @ParameterizedTest
    @EnumSource
    void aCompressedBodyIsLookedAtDecompressedAndHandedOverAsItIs(Mode mode) throws Exception {
        byte[] long403 = gzip(SLOW_DOWN + " ".repeat(100_000));
        byte[] innocent = gzip("no entry");
        Map<String, String> gzip = Map.of("Content-Encoding", "gzip");
        try (ScriptedServer server =
                new ScriptedServer(new Reply(403, long403, gzip), new Reply(403, innocent, gzip))) {
            HttpResponse<byte[]> response = send(mode, server, BodyHandlers.ofByteArray());
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).isEqualTo(innocent);
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        }
    }

    private static byte[] gzip(String text) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void everyByteReachesTheCaller(Mode mode) throws Exception {
        for (int length : new int[] {0, 1, 8191, 8192, 8193, 1_000_000}) {
            Reply reply = Reply.of(403, length);
            try (ScriptedServer server = new ScriptedServer(reply, reply)) {
                assertThat(send(mode, server, BodyHandlers.ofByteArray()).body())
                        .isEqualTo(reply.body());
                try (InputStream stream =
                        send(mode, server, BodyHandlers.ofInputStream()).body()) {
                    assertThat(stream.readAllBytes()).isEqualTo(reply.body());
                }
            }
        }
        assertThat(time.entries()).isZero();
    }

    /** A mapping that reads its stream blocks while the result of the subscriber is asked for. */
    @ParameterizedTest
    @EnumSource
    void aSubscriberWhoseResultBlocksBlocksNothing(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(403, 300_000))) {
            BodyHandler<Integer> counting = info -> BodySubscribers.mapping(BodySubscribers.ofInputStream(), stream -> {
                try (stream) {
                    return stream.readAllBytes().length;
                } catch (java.io.IOException e) {
                    return -1;
                }
            });
            CompletableFuture<Integer> length =
                    inBackground(() -> send(mode, server, counting).body());
            assertThat(length.get(30, TimeUnit.SECONDS)).isEqualTo(300_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBodyThatDribblesIsHeldBackNoLongerThanTheTimeLimit(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno");
            exchange.hang();
        })) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<HttpResponse<InputStream>> call = inBackground(
                    () -> mode.send(client(CLASSIFIER, Duration.ofMillis(500)), request, BodyHandlers.ofInputStream()));
            try (InputStream body = call.get(30, TimeUnit.SECONDS).body()) {
                assertThat(body.readNBytes(2)).isEqualTo(new byte[] {'n', 'o'});
            }
            assertThat(server.seesTheClientGo()).isTrue();
        }
        assertThat(time.entries()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalThatDribblesIsRepeated(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nslow down");
                exchange.hang();
            } else {
                exchange.send(RawServer.OK);
            }
        })) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<HttpResponse<String>> call = inBackground(
                    () -> mode.send(client(CLASSIFIER, Duration.ofMillis(500)), request, BodyHandlers.ofString()));
            assertThat(call.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
        await().until(() -> time.entries() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aBodyCutOffFailsAsItDoesBare(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno");
            exchange.close();
        })) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            Throwable bare = catchThrowable(() -> mode.send(plain, request, BodyHandlers.ofString()));
            assertThat(catchThrowable(() -> mode.send(client(CLASSIFIER), request, BodyHandlers.ofString())))
                    .hasSameClassAs(bare)
                    .hasMessage(bare.getMessage());
        }
        await().until(() -> throttle.snapshot().inFlight() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aHandlerThatFailsFailsAsItDoesBare(Mode mode) throws Exception {
        BodyHandler<String> failing = info -> {
            throw new IllegalStateException("handler");
        };
        try (ScriptedServer server = new ScriptedServer(Reply.of(403, 10), Reply.of(403, 10))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            Throwable bare = catchThrowable(() -> mode.send(plain, request, failing));
            assertThat(catchThrowable(() -> mode.send(client(CLASSIFIER), request, failing)))
                    .hasSameClassAs(bare)
                    .hasMessage(bare.getMessage());
        }
        await().until(() -> throttle.snapshot().inFlight() == 0);
    }

    @Test
    void cancelWhileTheBodyIsLookedAtEndsTheExchange() throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno");
            exchange.hang();
        })) {
            ThrottlingHttpClient patient = ThrottlingHttpClient.newBuilder(plain)
                    .throttle(throttle)
                    .bodyClassifier(CLASSIFIER)
                    .drainLimits(1000, Duration.ofMinutes(1))
                    .time(time)
                    .build();
            CompletableFuture<?> call =
                    patient.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            await().until(() -> time.entries() == 1);
            call.cancel(true);
            assertThat(server.seesTheClientGo()).isTrue();
            await().until(() -> patient.pending() == 0);
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClassifierThatThrowsIsPassedOver(Mode mode) throws Exception {
        for (boolean early : new boolean[] {true, false}) {
            BodyClassifier broken = new BodyClassifier() {
                @Override
                public boolean needsBody(ResponseHead response, Signal signal) {
                    if (early) {
                        throw new StackOverflowError("needsBody");
                    }
                    return true;
                }

                @Override
                public Signal classify(ResponseHead response, Signal signal, String start) {
                    throw new StackOverflowError("classify");
                }
            };
            try (ScriptedServer server = new ScriptedServer(Reply.of(403, "no"))) {
                assertThat(mode.send(
                                        client(broken),
                                        HttpRequest.newBuilder(server.uri()).build(),
                                        BodyHandlers.ofString())
                                .body())
                        .isEqualTo("no");
            }
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
