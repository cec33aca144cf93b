package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which requests are sent again, after refusals and after faults. */
class RepetitionTest {

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
            .throttle(throttle)
            .build();

    private HttpRequest post(ScriptedServer server, BodyPublisher body) {
        return HttpRequest.newBuilder(server.uri()).POST(body).build();
    }

    @ParameterizedTest
    @EnumSource
    void r14_aBodyOfKnownLengthIsSentAgain(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            mode.send(client, post(server, BodyPublishers.ofString("payload")), BodyHandlers.discarding());
            assertThat(server.bodies).containsExactly("payload", "payload");
        }
    }

    @ParameterizedTest
    @EnumSource
    void r14_aBodyOfUnknownLengthIsNotSentAgain(Mode mode) throws Exception {
        InputStream once = new ByteArrayInputStream("payload".getBytes(StandardCharsets.UTF_8));
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            HttpResponse<String> response =
                    mode.send(client, post(server, BodyPublishers.ofInputStream(() -> once)), BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.body()).hasSize(10);
            assertThat(server.bodies).containsExactly("payload");
        }
    }

    @ParameterizedTest
    @EnumSource
    void r14_aPredicateKnowsBetter(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            HttpRequest request = post(
                    server,
                    BodyPublishers.ofInputStream(
                            () -> new ByteArrayInputStream("payload".getBytes(StandardCharsets.UTF_8))));
            ThrottlingHttpClient knowing = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .options(CallOptions.DEFAULT.replayable(true))
                    .build();
            assertThat(mode.send(knowing, request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
            assertThat(server.bodies).containsExactly("payload", "payload");
        }
    }

    @ParameterizedTest
    @EnumSource
    void r15_aBodyThatCannotBeReadAgainFailsTheCallAtOnce(Mode mode) throws Exception {
        InputStream[] streams = {new ByteArrayInputStream("payload".getBytes(StandardCharsets.UTF_8)), null, null};
        int[] asked = {0};
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri())
                    .PUT(BodyPublishers.ofInputStream(() -> streams[asked[0]++]))
                    .build();
            ThrottlingHttpClient mistaken = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .options(CallOptions.DEFAULT.replayable(true))
                    .build();
            assertThatThrownBy(() -> mode.send(mistaken, request, BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class)
                    .hasStackTraceContaining("streamSupplier returned null");
            assertThat(asked[0]).isEqualTo(2);
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void faultsOfRequestsThatAreIdempotentAndHaveNoBodyAreRepeated(Mode mode) throws Exception {
        URI closed;
        try (ServerSocket socket = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            closed = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
        }
        assertThatThrownBy(
                        () -> mode.send(client, HttpRequest.newBuilder(closed).build(), BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(3);
        assertThatThrownBy(() -> mode.send(
                        client,
                        HttpRequest.newBuilder(closed)
                                .PUT(BodyPublishers.ofString("x"))
                                .build(),
                        BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(4);
        assertThatThrownBy(() -> mode.send(
                        client,
                        HttpRequest.newBuilder(closed)
                                .POST(BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(5);
    }
}
