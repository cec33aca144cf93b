package dev.throttle.reality.answers;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An answer to the letter, which clients do not show.
 *
 * @param sentMillis the time of day before the request went
 * @param receivedMillis the time of day after the answer came
 * @param sentNanos the same on the clock of {@link System#nanoTime}
 * @param receivedNanos the same
 * @param head the status line and the headers
 */
public record RawAnswer(long sentMillis, long receivedMillis, long sentNanos, long receivedNanos, List<String> head) {

    private static final Pattern ABOUT_LIMITS = Pattern.compile("(?i)[^:]*(rate|retry)[^:]*:.*");

    /** {@return the answer to a GET on a connection of its own} */
    public static RawAnswer get(URI uri) throws IOException {
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            String request = "GET " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                    + "\r\nConnection: close\r\n\r\n";
            long sentMillis = System.currentTimeMillis();
            long sentNanos = System.nanoTime();
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            long receivedNanos = System.nanoTime();
            long receivedMillis = System.currentTimeMillis();
            int end = answer.indexOf("\r\n\r\n");
            if (end < 0) {
                throw new IOException("no answer: " + answer);
            }
            List<String> head = List.of(answer.substring(0, end).split("\r\n"));
            return new RawAnswer(sentMillis, receivedMillis, sentNanos, receivedNanos, head);
        }
    }

    /** {@return the status code} */
    public int status() {
        return Integer.parseInt(head.get(0).split(" ")[1]);
    }

    /** {@return whether it is a 200} */
    public boolean isAccepted() {
        return status() == 200;
    }

    /** {@return the headers about limits} */
    public List<String> limitHeaders() {
        return head.stream()
                .skip(1)
                .filter(line -> ABOUT_LIMITS.matcher(line).matches())
                .toList();
    }

    /** {@return the status and the headers about limits, with vertical bars between them} */
    public String aboutLimits() {
        String status = head.get(0).substring("HTTP/1.1 ".length());
        return Stream.concat(Stream.of(status), limitHeaders().stream()).collect(joining(" | "));
    }
}
