package dev.throttle.control;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;

/**
 * A limit that adapts to what the server says. It decides as a {@link RateLimit} and learns as a {@link Learner}. A
 * limit that does not learn need only be a {@link RateLimit}.
 */
public interface RateController extends RateLimit, Learner {

    /**
     * {@inheritDoc} The default only calls {@link #onReleased} for a request that the server did not count. A
     * controller that overrides this method gets no other call for such a request.
     */
    @Override
    default void onSignal(Signal signal, Load load, long nowNanos) {
        if (signal.outcome() == Outcome.IGNORED) {
            onReleased(load.cost(), load.admittedAtNanos(), nowNanos);
        }
    }
}
