package dev.throttle.okhttp;

import dev.throttle.client.FailureKind;
import java.io.IOException;

/** Judges the exceptions of OkHttp. */
final class OkHttpFailures {

    /** The exception of a stream that was reset is internal to OkHttp; its message is what can be gone by. */
    private static final String RESET = "stream was reset: ";

    private static final String REFUSED_STREAM = RESET + "REFUSED_STREAM";
    private static final String ENHANCE_YOUR_CALM = RESET + "ENHANCE_YOUR_CALM";
    private static final String CUT_OFF = "unexpected end of stream";

    private OkHttpFailures() {}

    /**
     * Judges an exception.
     *
     * @param failure what was thrown
     * @param isCanceled whether the call was canceled, or timed out, which cancels it
     * @param isOnWire whether it is known to come from the exchange with the server, and not from an interceptor
     */
    static FailureKind of(Throwable failure, boolean isCanceled, boolean isOnWire) {
        if (isCanceled || !(failure instanceof IOException)) {
            return FailureKind.CANCELLED;
        }
        String message = failure.getMessage() == null ? "" : failure.getMessage();
        if (message.equals(REFUSED_STREAM)) {
            return FailureKind.REFUSED;
        }
        if (message.equals(ENHANCE_YOUR_CALM)) {
            return FailureKind.OVERLOAD;
        }
        FailureKind kind = FailureKind.of(failure);
        if (kind != null) {
            return kind;
        }
        if (message.startsWith(CUT_OFF)) {
            return FailureKind.NO_ANSWER;
        }
        if (message.startsWith(RESET)) {
            return FailureKind.PASSING;
        }
        return isOnWire ? FailureKind.FATAL : FailureKind.CANCELLED;
    }
}
