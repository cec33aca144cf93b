package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a throttle does. Methods are called outside of every lock, on the thread where it happens, and should
 * return quickly; what they throw is logged and dropped. Implementations are thread-safe.
 */
public interface ThrottleListener {

    /** The throttle that an event is about, to be looked at. */
    interface Source {

        /** {@return the name given by the builder} */
        String name();

        /** {@return the key whose requests the throttle paces} */
        String key();

        /** {@return the key as it is shown: in metrics, logs and exceptions} */
        String label();

        /** {@return what the throttle is doing now} */
        ThrottleSnapshot snapshot();

        /**
         * {@return how many attempts have ended in one way so far}
         *
         * @param outcome the way
         */
        long count(Outcome outcome);

        /** {@return whether the registry that this throttle was made by has dropped it because it was idle} */
        boolean isEvicted();
    }

    /** One wait of one caller, to somebody who follows it. */
    @FunctionalInterface
    interface FollowedWait {

        /**
         * The wait has ended. Called once, before the caller goes on, on any thread.
         *
         * @param reason what the caller waited for
         * @param wait how long it waited
         * @param failure why it was not let go: a {@link ThrottleRejectedException}, or a
         *     {@link java.util.concurrent.CancellationException} if it gave up; null if it was let go
         */
        void ended(String reason, Duration wait, @Nullable Throwable failure);
    }

    /**
     * A keyed throttle came into being.
     *
     * @param throttle the throttle
     */
    default void onCreated(Source throttle) {}

    /**
     * A keyed throttle was dropped because it had nothing to do. Its key may have a successor already. It may come
     * before {@link #onCreated}, if the throttle lived so short a time; then {@link Source#isEvicted()} is true there
     * already.
     *
     * @param throttle the throttle
     */
    default void onEvicted(Source throttle) {}

    /**
     * A caller begins to wait, for its first attempt or for a further one. What follows is {@link #onWaited} or
     * {@link #onRejected}, or nothing if it gives up; with several threads it may be told before this.
     *
     * @param throttle the throttle
     * @param reason what it waits for, as far as it is known
     * @param atLeast how long it will wait at least, as far as it is known; zero if only the end of other requests can
     *     tell
     */
    default void onWaiting(Source throttle, String reason, Duration atLeast) {}

    /**
     * The same with the class of the caller, which is what throttles tell; passes it on to {@link #onWaiting(Source,
     * String, Duration)} by default.
     *
     * @param throttle the throttle
     * @param priority the class of the caller
     * @param reason what it waits for, as far as it is known
     * @param atLeast how long it will wait at least, as far as it is known
     */
    default void onWaiting(Source throttle, Priority priority, String reason, Duration atLeast) {
        onWaiting(throttle, reason, atLeast);
    }

    /**
     * A caller begins to wait; comes after {@link #onWaiting}. For a listener that has to know which end belongs to
     * which beginning. It runs in the context of the caller, if {@linkplain ThrottleSettings#context that is kept}.
     *
     * @param throttle the throttle
     * @param priority the class of the caller
     * @param reason what it waits for, as far as it is known
     * @param atLeast how long it will wait at least, as far as it is known
     * @return hears of the end of this wait; null, as by default, if that is of no interest
     */
    default @Nullable FollowedWait follow(Source throttle, Priority priority, String reason, Duration atLeast) {
        return null;
    }

    /**
     * A caller was let go after it had waited.
     *
     * @param throttle the throttle
     * @param reason what it waited for
     * @param wait how long it waited
     */
    default void onWaited(Source throttle, String reason, Duration wait) {}

    /**
     * The same with the class of the caller, which is what throttles tell; passes it on to {@link #onWaited(Source,
     * String, Duration)} by default.
     *
     * @param throttle the throttle
     * @param priority the class of the caller
     * @param reason what it waited for
     * @param wait how long it waited
     */
    default void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
        onWaited(throttle, reason, wait);
    }

    /**
     * A caller was not let go.
     *
     * @param throttle the throttle
     * @param rejection why not
     */
    default void onRejected(Source throttle, ThrottleRejectedException rejection) {}

    /**
     * An attempt ended with something to tell: a refusal, a fault, or hints about a quota.
     *
     * @param throttle the throttle
     * @param signal how it ended
     */
    default void onSignal(Source throttle, Signal signal) {}

    /**
     * It was decided whether a refused or failed attempt is repeated.
     *
     * @param throttle the throttle
     * @param decision the decision
     */
    default void onRetryDecision(Source throttle, RetryDecision decision) {}

    /**
     * The throttle began to limit the rate of requests, or ceased to.
     *
     * @param throttle the throttle
     * @param limited whether there is a limit now; when events overtake each other, the snapshot tells the latest
     */
    default void onRateLimited(Source throttle, boolean limited) {}

    /**
     * The server said that nothing is left of a quota, of which something was left when it last told, or whose reset
     * has passed since, or that it tells for the first time.
     *
     * @param throttle the throttle
     * @param quota what the server said
     */
    default void onQuotaExhausted(Source throttle, Quota quota) {}

    /**
     * The throttle was paused, resumed, drained or closed, by itself or with the registry that it belongs to. A
     * throttle that comes into being in a paused registry is paused from the start, and does not tell.
     *
     * @param throttle the throttle
     * @param state the state from now on; when events overtake each other, the snapshot tells the latest
     */
    default void onStateChanged(Source throttle, ThrottleState state) {}

    /**
     * The throttle has nothing to do any more: nobody waits, no request is on the wire, and the last one that ended is
     * not repeated. Told once, until somebody comes.
     *
     * @param throttle the throttle
     */
    default void onIdle(Source throttle) {}
}
