package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.time.Duration;

/**
 * Hears what a throttle does. Methods are called on the thread where it happens and should return quickly; what they
 * throw is logged and dropped. All but {@link #onEvicted} are called outside of every lock. Implementations are
 * thread-safe.
 */
public interface ThrottleListener {

    /**
     * A keyed throttle came into being.
     *
     * @param throttle the throttle
     */
    default void onCreated(Throttle throttle) {}

    /**
     * A keyed throttle was dropped because it had nothing to do. Called before its key can have a successor, and
     * therefore under a lock: it must not ask the set for a throttle. It may come before {@link #onCreated}, if the
     * throttle lived so short a time; then {@link Throttle#isEvicted()} is true there already.
     *
     * @param throttle the throttle
     */
    default void onEvicted(Throttle throttle) {}

    /**
     * A caller was let go after it had waited.
     *
     * @param throttle the throttle
     * @param reason what it waited for
     * @param wait how long it waited
     */
    default void onWaited(Throttle throttle, String reason, Duration wait) {}

    /**
     * A caller was not let go.
     *
     * @param throttle the throttle
     * @param rejection why not
     */
    default void onRejected(Throttle throttle, ThrottleRejectedException rejection) {}

    /**
     * An attempt ended with something to tell: a refusal, a fault, or hints about a quota.
     *
     * @param throttle the throttle
     * @param signal how it ended
     */
    default void onSignal(Throttle throttle, Signal signal) {}

    /**
     * It was decided whether a refused or failed attempt is repeated.
     *
     * @param throttle the throttle
     * @param decision the decision
     */
    default void onRetryDecision(Throttle throttle, RetryDecision decision) {}
}
