package dev.throttle.lab.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is read of an application that does not behave, over real sockets. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScraperTest {

    private static final String LINE = "throttle_sleep_seconds{key=\"a\",throttle=\"shop\"} 1\n";

    private static String scrape(ServerSocket server, Duration patience, InstantSource clock) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/metrics");
        return new Scraper(address, clock, patience).scrape();
    }

    /** A server that tells a length, sends so many lines, and then nothing more; the connection stays open. */
    private static ServerSocket server(long length, int lines) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> answer(server, length, lines), "half-an-answer");
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    private static void answer(ServerSocket server, long length, int lines) {
        try (Socket socket = server.accept()) {
            OutputStream out = socket.getOutputStream();
            out.write(
                    ("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            byte[] line = LINE.getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < lines; i++) {
                out.write(line);
            }
            out.flush();
            long unused = socket.getInputStream().transferTo(OutputStream.nullOutputStream()); // until the client goes
        } catch (IOException e) {
            // the client has gone
        }
    }

    @Test
    void anApplicationThatStopsInTheMiddleHoldsNobody() throws Exception {
        try (ServerSocket server = server(10_000, 3)) {
            assertThat(scrape(server, Duration.ofMillis(300), InstantSource.system()))
                    .contains("\"error\":\"it cannot be read: ");
        }
    }

    @Test
    void aWholeAnswerIsRead() throws Exception {
        try (ServerSocket server = server(LINE.length() * 2L, 2)) {
            assertThat(scrape(server, Duration.ofSeconds(30), InstantSource.system()))
                    .contains("\"error\":null", "\"sleep\":2.0");
        }
    }

    @Test
    void anAnswerWithoutEndIsNotKept() throws Exception {
        try (ServerSocket server = server(1L << 40, (17 << 20) / LINE.length())) {
            assertThat(scrape(server, Duration.ofSeconds(30), InstantSource.system()))
                    .contains("it is longer than 16777216 bytes");
        }
    }

    @Test
    void whatFailsUnexpectedlyIsAFailedSample() throws Exception {
        InstantSource broken = new InstantSource() {
            private boolean isAsked;

            @Override
            public Instant instant() {
                if (isAsked) {
                    return Instant.EPOCH;
                }
                isAsked = true;
                throw new IllegalStateException("no time");
            }
        };
        try (ServerSocket server = server(LINE.length(), 1)) {
            assertThat(scrape(server, Duration.ofSeconds(30), broken)).contains("it cannot be read: no time");
        }
    }
}
