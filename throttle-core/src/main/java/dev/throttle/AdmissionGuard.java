package dev.throttle;

import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Refuses attempts that the throttle itself would send. Circuit breakers and bulkheads are guards. Add one with
 * {@link Throttle.Builder#guard} or {@link Throttle.Builder#guardPerKey}.
 *
 * <p>An attempt asks its guards before it waits, and again before it is sent. An attempt that a guard refuses fails at
 * once with a {@link ThrottleRejectedException}. Every pass that a guard has given ends exactly once. Guards are called
 * without any lock, on the threads of callers, and must not block. Exceptions that they throw are logged, and the
 * attempt continues. Implementations must be thread-safe.
 */
public interface AdmissionGuard {

    /** {@return the guard's name, shown as the reason of its refusals} */
    String name();

    /** {@return a pass for one attempt; null to refuse it} */
    @Nullable Pass tryEnter();

    /**
     * {@return whether the guard would refuse an attempt now, so that a retry would be useless} This method must not
     * change any state.
     */
    default boolean isRefusing() {
        return false;
    }

    /** {@return how long the guard will keep refusing; zero if that is not known} */
    default Duration retryAfter() {
        return Duration.ZERO;
    }

    /** A guard's permission for one attempt. */
    interface Pass {

        /**
         * Called before the attempt is sent, perhaps after a long wait.
         *
         * @return false to refuse it after all; then {@link #onLeft} follows
         */
        default boolean onAdmitted() {
            return true;
        }

        /**
         * Called when the attempt was sent and has ended.
         *
         * @param signal how it ended
         * @param duration the time since it was sent
         */
        void onEnd(Signal signal, Duration duration);

        /** Called when the attempt is not sent, because it was refused, cancelled or given back. */
        void onLeft();
    }
}
