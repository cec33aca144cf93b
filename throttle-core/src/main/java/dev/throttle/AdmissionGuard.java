package dev.throttle;

import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stands beside a throttle and may refuse attempts that the throttle would let go: a circuit breaker, a bulkhead.
 *
 * <p>An attempt asks its guards before it waits, and once more when the throttle lets it go. What a guard refuses fails
 * at once with a {@link ThrottleRejectedException}. Every pass that a guard gave ends exactly once, whatever becomes of
 * the attempt. Guards are called outside of every lock, on the threads of callers, and must not block. What they throw
 * is logged, and the attempt goes on. Implementations are thread-safe.
 */
public interface AdmissionGuard {

    /** {@return the guard's name, shown as the reason of what it refuses} */
    String name();

    /** {@return a pass for one attempt; null to refuse it} */
    @Nullable Pass tryEnter();

    /** {@return whether it would refuse an attempt now, so that nobody need try again} A query: it changes nothing. */
    default boolean isRefusing() {
        return false;
    }

    /** {@return how long it will go on refusing; zero if that is not known} */
    default Duration retryAfter() {
        return Duration.ZERO;
    }

    /** The way of one attempt past a guard. */
    interface Pass {

        /**
         * The throttle lets the attempt go, perhaps after a long wait.
         *
         * @return false to refuse it after all; then {@link #onLeft} follows
         */
        default boolean onAdmitted() {
            return true;
        }

        /**
         * The attempt was sent and has ended.
         *
         * @param signal how it ended
         * @param duration how long it took from when it was let go
         */
        void onEnd(Signal signal, Duration duration);

        /** The attempt was never sent: refused, cancelled while it waited, or given back. */
        void onLeft();
    }
}
