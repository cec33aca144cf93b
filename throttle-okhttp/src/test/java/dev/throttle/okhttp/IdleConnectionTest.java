package dev.throttle.okhttp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that the server closes while they are idle. OkHttp sends the request again on a fresh one by itself. */
@Timeout(60)
class IdleConnectionTest extends LoopbackTest {

    private final ThrottleRegistry throttles =
            throttle().overloadWait(Duration.ZERO).build();
    /** Connections that were closed after an answer that had promised to keep them. */
    private final Semaphore closed = new Semaphore(0);

    private ServerSocket socket;
    private volatile int answers;

    @BeforeEach
    void listen() throws IOException {
        socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve);
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void stop() throws IOException {
        socket.close();
    }

    private void serve() {
        try {
            for (int i = 0; ; i++) {
                try (Socket connection = socket.accept()) {
                    if (i < answers) {
                        BufferedReader reader =
                                new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
                        while (!reader.readLine().isEmpty()) {
                            // the head of the request
                        }
                        connection
                                .getOutputStream()
                                .write("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
                                        .getBytes(US_ASCII));
                    }
                }
                closed.release();
            }
        } catch (SocketException e) {
            // the test is over
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Request request() {
        return new Request.Builder()
                .url("http://idle.test:" + socket.getLocalPort())
                .build();
    }

    @Test
    void aRepetitionThatWorkedIsNoFailure() throws Exception {
        answers = 3;
        for (int i = 0; i < 3; i++) {
            assertThat(statusOf(throttled(throttles).newCall(request()))).isEqualTo(200);
            closed.acquire();
        }
        Throttle throttle = throttles.get(keyOf(request()));
        assertThat(throttle.count(Outcome.FAILED) + throttle.count(Outcome.UNREACHABLE))
                .isZero();
        assertThat(throttle.count(Outcome.CANCELLED)).isEqualTo(2);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(3);
        assertThat(throttle.snapshot().retried()).isZero();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aRepetitionThatFailsIsAFailure() throws Exception {
        answers = 1;
        assertThat(statusOf(throttled(throttles).newCall(request()))).isEqualTo(200);
        closed.acquire();
        assertThatThrownBy(() -> statusOf(throttled(throttles).newCall(request())))
                .isInstanceOf(IOException.class);
        Throttle throttle = throttles.get(keyOf(request()));
        assertThat(throttle.count(Outcome.CANCELLED)).isPositive();
        assertThat(throttle.count(Outcome.UNREACHABLE))
                .isEqualTo(throttle.snapshot().retried() + 1);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
