package dev.throttle.client;

import dev.throttle.signal.Signal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
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
        return failure instanceof SocketException
                        || failure instanceof UnknownHostException
                        || failure instanceof EOFException
                ? PASSING
                : null;
    }

    /** {@return this kind for a client that does not repeat after faults, unless the request was not processed} */
    public FailureKind withoutRepetition() {
        return isPassing && !isUntouched ? new FailureKind(signal, false, false) : this;
    }
}
