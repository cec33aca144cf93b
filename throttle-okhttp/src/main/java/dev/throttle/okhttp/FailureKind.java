package dev.throttle.okhttp;

import dev.throttle.signal.Signal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/**
 * What an exception says about the server.
 *
 * @param signal how the attempt ended
 * @param isPassing whether it may be gone at the next attempt
 * @param isUntouched whether the server has certainly not processed the request, so that any method may be repeated
 */
record FailureKind(Signal signal, boolean isPassing, boolean isUntouched) {

    private static final FailureKind NOTHING = new FailureKind(Signal.CANCELLED, false, false);
    private static final FailureKind FATAL = new FailureKind(Signal.FAILED, false, false);
    private static final FailureKind PASSING = new FailureKind(Signal.FAILED, true, false);
    private static final FailureKind REFUSED = new FailureKind(Signal.BUSY, true, true);
    private static final FailureKind CALM_DOWN = new FailureKind(Signal.BUSY, true, false);

    /** The exception of a stream that was reset is internal to OkHttp; its message is what can be gone by. */
    private static final String RESET = "stream was reset: ";

    private static final String REFUSED_STREAM = RESET + "REFUSED_STREAM";
    private static final String ENHANCE_YOUR_CALM = RESET + "ENHANCE_YOUR_CALM";
    private static final String CUT_OFF = "unexpected end of stream";

    /** {@return the terms of a request that ended so} */
    RequestTraits apply(RequestTraits terms, boolean mayRepeatFaults) {
        if (isUntouched) {
            return terms.untouched();
        }
        return isPassing && mayRepeatFaults ? terms : terms.once();
    }

    /**
     * Judges an exception.
     *
     * @param failure what was thrown
     * @param isCanceled whether the call was canceled, or timed out, which cancels it
     * @param isOnWire whether it is known to come from the exchange with the server, and not from an interceptor
     */
    static FailureKind of(Throwable failure, boolean isCanceled, boolean isOnWire) {
        if (isCanceled || !(failure instanceof IOException)) {
            return NOTHING;
        }
        String message = failure.getMessage() == null ? "" : failure.getMessage();
        if (message.equals(REFUSED_STREAM)) {
            return REFUSED;
        }
        if (message.equals(ENHANCE_YOUR_CALM)) {
            return CALM_DOWN;
        }
        if (failure instanceof InterruptedIOException) {
            return failure instanceof SocketTimeoutException ? FATAL : NOTHING;
        }
        if (failure instanceof SSLException || failure instanceof ProtocolException) {
            return FATAL;
        }
        if (failure instanceof SocketException
                || failure instanceof UnknownHostException
                || failure instanceof EOFException
                || message.startsWith(RESET)
                || message.startsWith(CUT_OFF)) {
            return PASSING;
        }
        return isOnWire ? FATAL : NOTHING;
    }
}
