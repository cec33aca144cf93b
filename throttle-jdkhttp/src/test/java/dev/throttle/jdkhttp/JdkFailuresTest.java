package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.FailureKind;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that hangs up shows itself in several exceptions, depending on what the client was doing. */
class JdkFailuresTest {

    static Stream<Throwable> closedConnections() {
        String noBytes = "HTTP/1.1 header parser received no bytes";
        return Stream.of(
                new IOException(noBytes, new IOException(noBytes, new EOFException("EOF reached while reading"))),
                // The client was still writing. The second message is the operating system's, in its language.
                new IOException(noBytes, new IOException(noBytes, new IOException("Broken pipe"))),
                new IOException(noBytes, new IOException(noBytes, new IOException("Datenübergabe unterbrochen"))),
                new IOException("Broken pipe", new IOException("Broken pipe")),
                new IOException("Connection reset by peer"),
                new SocketException("Connection reset"));
    }

    @ParameterizedTest
    @MethodSource("closedConnections")
    void aConnectionThatEndedBeforeTheAnswerMeansThatThereWasNone(Throwable failure) {
        assertThat(JdkFailures.of(failure)).isEqualTo(FailureKind.NO_ANSWER);
    }

    static Stream<Throwable> answersThatAreNotAccepted() {
        return Stream.of(
                new ProtocolException("Invalid status line"),
                new IOException("stream 3", new ProtocolException("HTTP/3: H3_FRAME_UNEXPECTED")),
                new IOException("too many authentication attempts. Limit: 3"),
                new IOException("No credentials provided"),
                new IOException("unexpected content length header with 204 response"));
    }

    @ParameterizedTest
    @MethodSource("answersThatAreNotAccepted")
    void anAnswerThatIsNotAcceptedWouldComeAgain(Throwable failure) {
        assertThat(JdkFailures.of(failure)).isEqualTo(FailureKind.FATAL);
    }

    @ParameterizedTest
    @MethodSource("others")
    void anythingElseIsAnAccident(Throwable failure) {
        assertThat(JdkFailures.of(failure)).isEqualTo(FailureKind.PASSING);
    }

    static Stream<Throwable> others() {
        return Stream.of(new IOException(), new IOException("fixed content-length: 3, bytes received: 1"));
    }
}
