package dev.throttle.retry;

import java.time.Duration;

/** The decision whether a request is sent again after an attempt has ended. */
public sealed interface RetryDecision {

    /**
     * The request is sent again when the throttle allows it.
     *
     * @param backoff the least wait, in addition to what the throttle itself requires; zero if that is enough
     */
    record Retry(Duration backoff) implements RetryDecision {
        /** A retry as soon as the throttle allows it. */
        public static final Retry WHEN_ADMITTED = new Retry(Duration.ZERO);
    }

    /**
     * The request is not sent again, and the caller receives the response or the fault.
     *
     * @param reason why the request is not sent again
     */
    record Stop(StopReason reason) implements RetryDecision {}

    /** Why an attempt is not retried. */
    enum StopReason {
        /** The server accepted the request. */
        ANSWERED,
        /** The server says that neither waiting nor retrying will help. */
        PERMANENT,
        /** The caller cancelled the call. */
        CANCELLED,
        /** The policy does not retry after this outcome. */
        DISABLED,
        /** The request cannot be sent again. */
        NOT_REPLAYABLE,
        /** The request may already have taken effect, and sending it twice could do harm. */
        NOT_IDEMPOTENT,
        /** All attempts are used up. */
        ATTEMPTS,
        /** The next attempt would need a longer wait than the call may still have. */
        WAIT_TOO_LONG,
        /** The retry budget of the throttle is used up. */
        BUDGET,
        /** A guard of the throttle, such as an open circuit breaker, would refuse the next attempt. */
        GUARD,
        /** The throttle is closed. */
        CLOSED,
        /** The throttle only observes. */
        OBSERVED;

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
