package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of throttles. The events of one throttle are told one after the other, in the order in which they
 * happened. Methods are called without any lock, on the thread that causes the event or, if that is the timer's or
 * another event is being told, on the throttle's executor. They should return quickly: a listener that blocks delays
 * the later events of its throttle, but no other call. Exceptions that they throw are logged and ignored.
 * Implementations must be thread-safe, as throttles are independent of each other.
 *
 * <pre>{@code
 * ThrottleListener listener = new ThrottleListener() {
 *     @Override
 *     public void onQuotaExhausted(Source throttle, Quota quota) {
 *         LOG.warn("{}: {}", throttle.label(), quota);
 *     }
 * };
 * }</pre>
 */
public interface ThrottleListener {

    /** The throttle that an event is about. */
    interface Source {

        /** {@return the name set with the builder} */
        String name();

        /** {@return the key whose requests the throttle limits} */
        String key();

        /** {@return the key as shown in metrics, logs and exceptions} */
        String label();

        /** {@return the current state of the throttle} */
        ThrottleSnapshot snapshot();

        /**
         * {@return how many attempts have ended with an outcome so far}
         *
         * @param outcome the outcome
         */
        long count(Outcome outcome);

        /** {@return whether the registry that made this throttle has dropped it because it was idle} */
        boolean isEvicted();
    }

    /** Is told when one wait of one caller ends. See {@link #onWaitStart}. */
    @FunctionalInterface
    interface WaitObserver {

        /**
         * Called once when the wait has ended, before the caller continues, on any thread.
         *
         * @param reason what the caller waited for
         * @param wait how long the caller waited
         * @param failure null if the request may be sent; otherwise a {@link ThrottleRejectedException}, or a
         *     {@link java.util.concurrent.CancellationException} if the caller gave up
         */
        void ended(String reason, Duration wait, @Nullable Throwable failure);
    }

    /**
     * Called when a registry has made a throttle.
     *
     * @param throttle the throttle
     */
    default void onCreated(Source throttle) {}

    /**
     * Called when a registry has dropped an idle throttle. Its key may already have a new one. If the throttle existed
     * only briefly, this may be called before {@link #onCreated}; then {@link Source#isEvicted()} is already true
     * there.
     *
     * @param throttle the throttle
     */
    default void onEvicted(Source throttle) {}

    /**
     * Called when a caller begins to wait, for its first attempt or a later one. {@link #onWaited} or
     * {@link #onRejected} follows, or nothing if the caller gives up.
     *
     * @param throttle the throttle
     * @param priority the priority of the caller
     * @param reason what the caller waits for, as far as it is known
     * @param atLeast the least wait, as far as it is known; zero if it depends on the end of other requests
     */
    default void onWaiting(Source throttle, Priority priority, String reason, Duration atLeast) {}

    /**
     * Called after {@link #onWaiting}, for listeners that have to match the end of a wait with its beginning, such as
     * tracers. It runs in the context of the caller if {@link Throttle.Builder#context} captures it.
     *
     * @param throttle the throttle
     * @param priority the priority of the caller
     * @param reason what the caller waits for, as far as it is known
     * @param atLeast the least wait, as far as it is known
     * @return an observer of this wait, which is called when it ends; null, the default, for none
     */
    default @Nullable WaitObserver onWaitStart(Source throttle, Priority priority, String reason, Duration atLeast) {
        return null;
    }

    /**
     * Called when the wait of a caller is over and its request may be sent.
     *
     * @param throttle the throttle
     * @param priority the priority of the caller
     * @param reason what the caller waited for
     * @param wait how long the caller waited
     */
    default void onWaited(Source throttle, Priority priority, String reason, Duration wait) {}

    /**
     * Called when a caller is rejected.
     *
     * @param throttle the throttle
     * @param rejection why
     */
    default void onRejected(Source throttle, ThrottleRejectedException rejection) {}

    /**
     * Called when an attempt ended with a refusal, a fault, or hints about a quota. Hints that the throttle does not go
     * by, such as those of a cached response, are left out.
     *
     * @param throttle the throttle
     * @param signal how the attempt ended
     */
    default void onSignal(Source throttle, Signal signal) {}

    /**
     * Called when it is decided whether a refused or failed attempt is retried.
     *
     * @param throttle the throttle
     * @param decision the decision
     */
    default void onRetryDecision(Source throttle, RetryDecision decision) {}

    /**
     * Called when the throttle begins or stops limiting the rate of requests.
     *
     * @param throttle the throttle
     * @param limited whether there is a limit now; if events arrive out of order, the snapshot has the latest state
     */
    default void onRateLimited(Source throttle, boolean limited) {}

    /**
     * Called when the server says that a quota is used up, and something was left when it last spoke of that quota, its
     * reset has passed since, or it speaks of it for the first time.
     *
     * @param throttle the throttle
     * @param quota what the server said
     */
    default void onQuotaExhausted(Source throttle, Quota quota) {}

    /**
     * Called when the throttle was paused, resumed, drained or closed, individually or with its registry. It is not
     * called for a throttle that is made in a paused registry and so starts paused.
     *
     * @param throttle the throttle
     * @param state the new state; if events arrive out of order, the snapshot has the latest one
     */
    default void onStateChanged(Source throttle, ThrottleState state) {}

    /**
     * Called when the throttle becomes idle: no caller is waiting, no request is in flight, and the last one that ended
     * is not retried. It is called once, until the next call arrives.
     *
     * @param throttle the throttle
     */
    default void onIdle(Source throttle) {}
}
