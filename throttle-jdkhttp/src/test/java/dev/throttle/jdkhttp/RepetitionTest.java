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
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.PasswordAuthentication;
import java.net.ServerSocket;
import java.net.Socket;
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
import org.junit.jupiter.params.provider.ValueSource;

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
    void aBodyOfKnownLengthIsSentAgain(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 10))) {
            mode.send(client, post(server, BodyPublishers.ofString("payload")), BodyHandlers.discarding());
            assertThat(server.bodies).containsExactly("payload", "payload");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBodyOfUnknownLengthIsNotSentAgain(Mode mode) throws Exception {
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
    void aBodyOfUnknownLengthIsSentAgainIfTheOptionsAllowIt(Mode mode) throws Exception {
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
    void aBodyThatCannotBeReadAgainFailsTheCallAtOnce(Mode mode) throws Exception {
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
    void aRequestWhoseConnectionWasRefusedIsRepeatedWhateverItIs(Mode mode) throws Exception {
        URI closed;
        try (ServerSocket socket = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            closed = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
        }
        assertThatThrownBy(
                        () -> mode.send(client, HttpRequest.newBuilder(closed).build(), BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.UNREACHABLE)).isEqualTo(3);
        assertThatThrownBy(() -> mode.send(
                        client,
                        HttpRequest.newBuilder(closed)
                                .PUT(BodyPublishers.ofString("x"))
                                .build(),
                        BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.UNREACHABLE)).isEqualTo(6);
        assertThatThrownBy(() -> mode.send(
                        client,
                        HttpRequest.newBuilder(closed)
                                .POST(BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding()))
                .isInstanceOf(ConnectException.class);
        assertThat(throttle.count(Outcome.UNREACHABLE)).isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatMayHaveBeenServedIsRepeatedOnlyIfThatDoesNoHarm(Mode mode) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 50, java.net.InetAddress.getLoopbackAddress())) {
            closeEachConnection(socket);
            URI uri = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
            assertThatThrownBy(
                            () -> mode.send(client, HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
            assertThat(throttle.count(Outcome.UNREACHABLE)).isEqualTo(3);
            assertThatThrownBy(() -> mode.send(
                            client,
                            HttpRequest.newBuilder(uri)
                                    .PUT(BodyPublishers.ofString("x"))
                                    .build(),
                            BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
            assertThat(throttle.count(Outcome.UNREACHABLE))
                    .as("it may be the body's fault")
                    .isEqualTo(4);
            assertThatThrownBy(() -> mode.send(
                            client,
                            HttpRequest.newBuilder(uri)
                                    .POST(BodyPublishers.noBody())
                                    .build(),
                            BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
            assertThat(throttle.count(Outcome.UNREACHABLE)).isEqualTo(5);
        }
    }

    /** Some servers lock an account after a number of wrong passwords. */
    @ParameterizedTest
    @EnumSource
    void aWrongPasswordIsTriedAsOftenAsWithoutTheThrottle(Mode mode) throws Exception {
        String unauthorized =
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n";
        HttpClient mistaken = HttpClient.newBuilder()
                .authenticator(new Authenticator() {
                    @Override
                    protected PasswordAuthentication getPasswordAuthentication() {
                        return new PasswordAuthentication("user", "wrong".toCharArray());
                    }
                })
                .build();
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(unauthorized))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThatThrownBy(() -> mode.send(mistaken, request, BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
            int bare = server.requests.getAndSet(0);
            ThrottlingHttpClient throttled =
                    ThrottlingHttpClient.newBuilder(mistaken).throttle(throttle).build();
            assertThatThrownBy(() -> mode.send(throttled, request, BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too many authentication attempts");
            assertThat(server.requests.get()).isLessThanOrEqualTo(bare);
        }
    }

    /** What the server has answered once, it would answer again. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n",
                "HTTP/1.1 20x OK\r\nContent-Length: 0\r\n\r\n",
            })
    void anAnswerThatTheClientDoesNotAcceptIsNotAskedForAgain(String invalid) throws Exception {
        for (Mode mode : Mode.values()) {
            try (RawServer server = new RawServer((number, exchange) -> exchange.send(invalid))) {
                HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
                assertThatThrownBy(() -> mode.send(client, request, BodyHandlers.discarding()))
                        .isInstanceOf(IOException.class);
                assertThat(server.requests).hasValue(1);
            }
        }
    }

    private static void closeEachConnection(ServerSocket socket) {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (true) {
                            try (Socket connection = socket.accept()) {
                                connection.getInputStream().read();
                            }
                        }
                    } catch (IOException e) {
                        // The test is over.
                    }
                },
                "closes-each-connection");
        thread.setDaemon(true);
        thread.start();
    }
}
