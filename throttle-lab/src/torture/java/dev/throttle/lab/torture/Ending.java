package dev.throttle.lab.torture;

import dev.throttle.ThrottleRejectedException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended for its caller.
 *
 * @param status the status of the answer; 0 if there was none
 * @param isWhole whether its body was read to the end
 * @param isRight whether what was read of it is what was sent
 * @param thrown what the call failed with, or the reading of its answer
 */
record Ending(
        int status,
        boolean isWhole,
        boolean isRight,
        @Nullable Throwable thrown) {

    static Ending thrown(Throwable thrown) {
        return new Ending(0, false, true, thrown);
    }

    boolean isRejected() {
        return thrown instanceof ThrottleRejectedException;
    }

    boolean isCancelled() {
        return thrown instanceof CancellationException
                || thrown instanceof InterruptedException
                || (thrown instanceof InterruptedIOException && !(thrown instanceof java.net.SocketTimeoutException))
                || (thrown != null && "Canceled".equals(thrown.getMessage()));
    }

    @Override
    public String toString() {
        return thrown == null
                ? "answered " + status + (isWhole ? ", whole" : "") + (isRight ? "" : ", not what was sent")
                : (status == 0 ? "" : "answered " + status + ", then ") + "failed with " + thrown;
    }
}
