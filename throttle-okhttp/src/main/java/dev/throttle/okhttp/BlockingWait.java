package dev.throttle.okhttp;

import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;

/** Waits on the calling thread, and fails with nothing but {@link IOException}. */
final class BlockingWait {

    private BlockingWait() {}

    /** Waits until a journey holds the permits of its next attempt. */
    static void acquire(Journey journey, Config config) throws IOException {
        try {
            for (String key = journey.nextKey(); key != null; key = journey.nextKey()) {
                Permit permit = journey.callOf(key).acquire();
                journey.hold(key, permit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted("interrupted while waiting for the throttle", e);
        } catch (ThrottleRejectedException e) {
            // The call's timeout and the end of its patience are the same instant: whichever comes first, it timed out.
            throw journey.isTimedOut() ? interrupted("timeout", e) : e;
        } catch (CancellationException e) {
            throw canceled();
        } catch (RuntimeException e) {
            config.faults().report(e);
        }
        if (journey.isCanceled()) {
            throw canceled();
        }
    }

    private static InterruptedIOException interrupted(String message, Exception cause) {
        InterruptedIOException interrupted = new InterruptedIOException(message);
        interrupted.initCause(cause);
        return interrupted;
    }

    /** {@return what OkHttp throws out of a call that was canceled} */
    static IOException canceled() {
        return new IOException("Canceled");
    }
}
