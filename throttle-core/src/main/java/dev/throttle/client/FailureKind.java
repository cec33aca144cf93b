package dev.throttle.client;

import dev.throttle.internal.Causes;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What the failure of an attempt says about the server. Adapters judge the exceptions of their client; those that all
 * clients throw are judged here.
 *
 * @param signal how the attempt ended
 * @param isPassing whether the failure may be gone at the next attempt
 * @param isUntouched whether the server has certainly not processed the request, so that any method may be repeated
 */
public record FailureKind(Signal signal, boolean isPassing, boolean isUntouched) {

    /** Given up by the caller: it says nothing about the server. */
    public static final FailureKind CANCELLED = new FailureKind(Signal.CANCELLED, false, false);

    /** A failure that another attempt would meet again, or that took all the time there was. */
    public static final FailureKind FATAL = new FailureKind(Signal.FAILED, false, false);

    /** An accident on the line. */
    public static final FailureKind PASSING = new FailureKind(Signal.FAILED, true, false);

    /** No connection could be made, so that the request was certainly not sent. */
    public static final FailureKind NOT_CONNECTED = new FailureKind(Signal.UNREACHABLE, true, true);

    /** The connection ended before any byte of an answer. */
    public static final FailureKind NO_ANSWER = new FailureKind(Signal.UNREACHABLE, true, false);

    /** An overload of which the server said that it has not begun with the request. */
    public static final FailureKind REFUSED = new FailureKind(Signal.BUSY, true, true);

    /** An overload. */
    public static final FailureKind OVERLOAD = new FailureKind(Signal.BUSY, true, false);

    /**
     * Judges an exception of {@code java.io}, {@code java.net} or {@code javax.net}.
     *
     * @param failure what was thrown
     * @return its kind; null if these packages do not tell
     */
    public static @Nullable FailureKind of(Throwable failure) {
        if (failure instanceof CancellationException || failure instanceof InterruptedException) {
            return CANCELLED;
        }
        if (!(failure instanceof IOException)) {
            return CANCELLED; // the caller's mistake, or an interceptor's
        }
        if (failure instanceof SocketTimeoutException
                || failure instanceof SSLException
                || failure instanceof ProtocolException) {
            return FATAL;
        }
        if (failure instanceof InterruptedIOException) {
            return CANCELLED;
        }
        if (failure instanceof UnknownHostException || isUnresolved(failure) || isOfThisMachine(failure)) {
            return PASSING;
        }
        if (failure instanceof ConnectException || failure instanceof NoRouteToHostException) {
            return NOT_CONNECTED;
        }
        return failure instanceof SocketException || failure instanceof EOFException ? NO_ANSWER : null;
    }

    /**
     * {@return what an exception says of which no more is known than its class}
     *
     * @param failure what was thrown
     */
    public static Signal signalOf(Throwable failure) {
        if (!(failure instanceof IOException)) {
            return Signal.IGNORED;
        }
        FailureKind kind = of(failure);
        boolean isUnreachable = kind != null && kind.signal().outcome() == Outcome.UNREACHABLE;
        return isUnreachable ? Signal.UNREACHABLE : Signal.FAILED;
    }

    /** {@return whether no socket was to be had here, which says nothing about the server} */
    private static boolean isOfThisMachine(Throwable failure) {
        String message = failure.getMessage();
        return failure instanceof BindException || (message != null && message.contains("Too many open files"));
    }

    /** {@return whether a name could not be looked up, which the JDK's client tells as a failed connection} */
    private static boolean isUnresolved(Throwable failure) {
        return Causes.chain(failure).stream().anyMatch(UnresolvedAddressException.class::isInstance);
    }

    /** {@return this kind for a client that does not repeat after faults, unless the server refused the request} */
    public FailureKind withoutRepetition() {
        boolean isRefused = isUntouched && signal.outcome().isRefusal();
        return isPassing && !isRefused ? new FailureKind(signal, false, false) : this;
    }
}
