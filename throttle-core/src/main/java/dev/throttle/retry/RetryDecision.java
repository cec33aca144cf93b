package dev.throttle.retry;

import java.time.Duration;

/** What becomes of an attempt that ended. */
public sealed interface RetryDecision {

    /**
     * Send the request again, when the throttle lets it.
     *
     * @param backoff the least wait on top of what the throttle itself demands; zero if it demands enough
     */
    record Retry(Duration backoff) implements RetryDecision {
        /** A retry as soon as the throttle lets it. */
        public static final Retry WHEN_ADMITTED = new Retry(Duration.ZERO);
    }

    /**
     * Hand the answer or the fault to the caller.
     *
     * @param reason why it is not repeated
     */
    record Stop(StopReason reason) implements RetryDecision {}

    /** Why an attempt is not repeated. */
    enum StopReason {
        /** Nothing to repeat: the server accepted the request. */
        ANSWERED,
        /** The server says that waiting or repeating cannot mend what is wrong. */
        PERMANENT,
        /** The caller gave the call up. */
        CANCELLED,
        /** The policy does not repeat after this outcome. */
        DISABLED,
        /** The request cannot be sent again. */
        NOT_REPLAYABLE,
        /** The request may have done its work already, and doing it twice could do harm. */
        NOT_IDEMPOTENT,
        /** All attempts are used up. */
        ATTEMPTS,
        /** The wait that the next attempt needs does not fit in what the call may wait. */
        WAIT_TOO_LONG,
        /** The calls of this throttle are repeated too often already. */
        BUDGET,
        /** A guard of the throttle, such as an open circuit breaker, would refuse the next attempt. */
        GUARD,
        /** The throttle was closed: what is on the wire ends, and is not repeated. */
        CLOSED;

        @SuppressWarnings("ImmutableEnumChecker") // a record of nothing but this constant
        private final Stop decision = new Stop(this);

        /** {@return the decision to stop for this reason} */
        public Stop decision() {
            return decision;
        }
    }

    /** {@return whether the request is sent again} */
    default boolean isRetry() {
        return this instanceof Retry;
    }
}
