package dev.throttle.client;

import dev.throttle.internal.CallContext;
import org.jspecify.annotations.Nullable;

/** Which throttled call a thread is sending, so that a door below another one finds the call that leads. */
final class Sending {

    private static final ThreadLocal<@Nullable KeyedCall> CALL = new ThreadLocal<>();

    private Sending() {}

    /** {@return the call that this thread is sending; null if there is none} */
    static @Nullable KeyedCall call() {
        return CALL.get();
    }

    /** Sends an attempt of a call. */
    static <R, E extends Exception, F extends Exception> R send(KeyedCall call, CallContext.Task<R, E, F> attempt)
            throws E, F {
        KeyedCall around = CALL.get();
        CALL.set(call);
        try {
            return attempt.run();
        } finally {
            CALL.set(around);
        }
    }
}
