package dev.throttle.control;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit that adapts to what the server says. It decides as a {@link RateLimit}, and learns in {@link #onSignal}. All
 * other methods have defaults. A limit that does not learn need only be a {@link RateLimit}.
 */
public interface RateController extends RateLimit {

    /**
     * Returns when a request may be sent that only some quotas of the server count. The default ignores the scope.
     * Controllers that keep a state for each quota leave out those that do not count the request.
     *
     * @param ahead the total cost of the callers before this one that have the same scope
     * @param cost the cost of the request
     * @param reserve the share to leave; see {@link #dueNanos(Cost, Cost, double, long)}
     * @param scope which quotas count the request
     * @param nowNanos the time
     * @return the time at which the request may be sent, as in {@link RateLimit#dueNanos(Cost, Cost, long)}
     */
    default long dueNanos(Cost ahead, Cost cost, double reserve, Scope scope, long nowNanos) {
        return reserve <= 0 ? dueNanos(ahead, cost, nowNanos) : dueNanos(ahead, cost, reserve, nowNanos);
    }

    /**
     * Called when a request is admitted that only some quotas of the server count. The default ignores the scope.
     *
     * @param cost the cost of the request
     * @param permitId identifies the request
     * @param scope which quotas count the request
     * @param nowNanos the time
     */
    default void onAdmitted(Cost cost, long permitId, Scope scope, long nowNanos) {
        onAdmitted(cost, permitId, nowNanos);
    }

    /**
     * {@return the name of the quota that holds a request back longest; null if none does, or if it has no name} Called
     * to explain a wait, and seldom.
     *
     * @param ahead the total cost of the callers before this one
     * @param cost the cost of the request
     * @param scope which quotas count the request
     * @param nowNanos the time
     */
    default @Nullable String heldBy(Cost ahead, Cost cost, Scope scope, long nowNanos) {
        return null;
    }

    /**
     * {@return what this controller takes the server's quotas for, a sentence each, such as "Quota core is taken for a
     * window: 12 are left, and it ends in 34 s."} The default has nothing to say. Called to explain a wait, and seldom.
     *
     * @param nowNanos the time
     */
    default List<String> explain(long nowNanos) {
        return List.of();
    }

    /**
     * Called when an attempt has ended. The default only calls {@link #onReleased} for a request that the server did
     * not count. A controller that overrides this method gets no other call for such a request.
     *
     * @param signal how it ended; every admitted request ends with exactly one signal. With
     *     {@link dev.throttle.signal.Outcome#IGNORED} the server did not count it, so its cost is available again
     * @param load the state of the throttle
     * @param nowNanos the time
     */
    default void onSignal(Signal signal, Load load, long nowNanos) {
        if (signal.outcome() == Outcome.IGNORED) {
            onReleased(load.cost(), load.admittedAtNanos(), nowNanos);
        }
    }

    /**
     * Called with information about the server that does not end an attempt: a quota in the body of a response whose
     * attempt has already ended, or something that the program knows from elsewhere.
     *
     * @param signal the information; its outcome must not be counted as a response
     * @param load the state of the throttle; cost and time of admission are those of the request that the information
     *     is from, or {@link Cost#NONE} and the time of the call
     * @param nowNanos the time
     */
    default void onHeard(Signal signal, Load load, long nowNanos) {}

    /**
     * Called with the number of processes that share the server's quota for the key, if they are counted. It can be
     * called at any time and repeatedly. Controllers that guess the number should use it instead. The default does
     * nothing.
     *
     * @param processes how many processes are active now, including this one; 0 if they are no longer counted, so that
     *     the number is unknown
     * @param perSecond how many requests per second they send together at their current limits; NaN if unknown
     * @param nowNanos the time
     */
    default void onShared(int processes, double perSecond, long nowNanos) {}

    /**
     * Tells whether the limit adapts to refusals. If only limits that do not adapt hold back a refused request, the
     * backoff of the retry policy also applies to its retries, because a fixed limit would send it again and again.
     *
     * @return true by default
     */
    default boolean isAdaptive() {
        return true;
    }

    /**
     * {@return whether this controller itself makes a quota last until its reset} If so, the throttle does not wait for
     * the reset of a quota that is used up, which would be too late for a rolling quota. It still waits for a
     * {@code Retry-After}. The value must never change.
     */
    default boolean plansResets() {
        return false;
    }

    /**
     * {@return the cost of the next attempt of a refused call, as far as the refusal tells; unchanged by default}
     * Called right after {@link #onSignal} for the refusal.
     *
     * @param cost the cost taken for the refused attempt
     */
    default Cost costAfterRefusal(Cost cost) {
        return cost;
    }

    /**
     * {@return how long a refused call steps aside, in nanoseconds, so that other callers go first; 0 by default} It is
     * meant for a request that is larger than most and would hold up all callers behind it. Called right after
     * {@link #costAfterRefusal}.
     *
     * @param refusals how many attempts of this call the server has refused in a row, including this one
     */
    default long standAsideNanos(int refusals) {
        return 0;
    }
}
