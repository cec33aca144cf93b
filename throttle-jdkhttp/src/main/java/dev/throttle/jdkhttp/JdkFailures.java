package dev.throttle.jdkhttp;

import dev.throttle.client.FailureKind;
import dev.throttle.internal.Causes;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Judges the exceptions of the JDK's client. */
final class JdkFailures {

    private JdkFailures() {}

    /**
     * {@return what a failure says about the server; null if nothing was sent, as with an argument that the client does
     * not take} Repeated is only what may have been an accident on the line: not a time limit of the caller's, not a
     * certificate, and nothing that may have been the request's own body.
     */
    static @Nullable FailureKind of(Throwable failure, HttpRequest request) {
        if (isGivenUp(failure)) {
            return FailureKind.CANCELLED;
        }
        if (!(failure instanceof IOException)) {
            return null;
        }
        if (failure instanceof HttpTimeoutException || failure instanceof SSLException) {
            return FailureKind.FATAL;
        }
        FailureKind kind = of(failure);
        return kind.isUntouched() || !JdkRequests.hasBody(request) ? kind : kind.withoutRepetition();
    }

    /** {@return whether the caller has given up the request} */
    static boolean isGivenUp(Throwable failure) {
        Throwable thrown = Causes.unwrap(failure);
        return thrown instanceof InterruptedException || thrown instanceof CancellationException;
    }

    /**
     * {@return what a failure says about the server} The client wraps what the socket threw in exceptions of the same
     * or another class, so that the causes are asked too.
     */
    static FailureKind of(Throwable failure) {
        FailureKind kind = Causes.first(failure, JdkFailures::kindOf);
        return kind == null ? FailureKind.PASSING : kind;
    }

    private static @Nullable FailureKind kindOf(Throwable thrown) {
        if (!(thrown instanceof IOException)) {
            return null;
        }
        if (isHungUp(thrown.getMessage())) {
            return FailureKind.NO_ANSWER;
        }
        if (thrown instanceof ProtocolException || isAnswered(thrown.getMessage())) {
            return FailureKind.FATAL;
        }
        FailureKind kind = FailureKind.of(thrown);
        return FailureKind.NOT_CONNECTED.equals(kind) || FailureKind.NO_ANSWER.equals(kind) ? kind : null;
    }

    /**
     * {@return whether the message tells of an answer that the client did not accept} The next attempt would be
     * answered alike, and some servers lock an account after a number of wrong passwords. The client throws plain
     * IOExceptions then.
     */
    private static boolean isAnswered(@Nullable String message) {
        return message != null
                && (message.startsWith("too many authentication attempts")
                        || message.equals("No credentials provided")
                        || message.equals("unexpected content length header with 204 response"));
    }

    /**
     * {@return whether the message tells of a connection that the server closed before it answered} The client throws
     * plain IOExceptions then: its own, or those of a channel that it was writing to.
     */
    private static boolean isHungUp(@Nullable String message) {
        return message != null
                && (message.endsWith("header parser received no bytes")
                        || message.equals("Broken pipe")
                        || message.equals("Connection reset by peer"));
    }
}
