package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottleState;
import dev.throttle.internal.CallContext;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Receives the events of an engine, outside of its lock. Its methods must not throw. */
public interface Events {

    /** {@return whether there are listeners, so that an event need be told} */
    boolean isHeard();

    /** {@return whether a listener wants to be told of {@link #onIdle}, which may come after every call} */
    boolean isIdleHeard();

    /** {@return the context of this thread, in which what the user wrote is to run; null if none is kept} */
    @Nullable CallContext captureContext();

    /** A caller begins to wait. */
    void onWaiting(Priority priority, String reason, Duration atLeast);

    /** A caller begins to wait; {@return what observes this wait; null if nothing does} */
    WaitTrail.@Nullable Follower onWaitStart(Priority priority, String reason, Duration atLeast);

    void onWaited(Priority priority, String reason, Duration wait);

    void onRejected(ThrottleRejectedException rejection);

    void onSignal(Signal signal);

    void onRetryDecision(RetryDecision decision);

    /** The rate began or ceased to be limited. */
    void onRateLimited(boolean limited);

    /** The server says that nothing is left of a quota of which something was left, or nothing known. */
    void onQuotaExhausted(Quota quota);

    /** It was paused, resumed, drained or closed. */
    void onStateChanged(ThrottleState state);

    /** No call waits any more, and no request is on the wire. */
    void onIdle();
}
