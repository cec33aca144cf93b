package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where one call gets the permits of its attempts from: one throttle, or the members of a pool. One thread at a time
 * uses it; {@link #cancel} may come from any thread at any time.
 */
public interface CallPermits {

    /**
     * Waits for the permit of the next attempt on the calling thread.
     *
     * @return the permit
     * @throws ThrottleRejectedException if the wait would be longer than the call may wait; at once, where that is
     *     known
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     * @throws CancellationException if the call is or gets cancelled
     */
    Permit acquire() throws InterruptedException, ThrottleRejectedException;

    /**
     * Asks for the permit of the next attempt without blocking.
     *
     * @param isBounded whether it also waits while as many requests are in flight as asynchronous calls may have
     * @return completes with the permit, or with {@link ThrottleRejectedException}, on the throttle's executor if not
     *     already completed; cancelling it gives up the place in the line
     */
    CompletableFuture<Permit> acquireAsync(boolean isBounded);

    /**
     * {@return the permit of the next attempt if it is there at once and costs no thought; null if not}
     *
     * @param isBounded whether it may not go while as many requests are in flight as asynchronous calls may have
     */
    @Nullable Permit tryAcquireFast(boolean isBounded);

    /** {@return a permit for an attempt that cannot be held back, to where the last one went} */
    Permit acquireForced();

    /** Gives the call up: a wait ends at once with {@link CancellationException}. Never blocks. */
    void cancel();

    /** The call has come, even if it asks later. */
    void arrive();

    /**
     * Tells the route of its request. Before the call asks.
     *
     * @param route finds it out if it matters
     */
    void route(CallRoute route);

    /**
     * Corrects what was told about the call, from the next decision and the next wait on. Not while the call waits.
     *
     * @param revised the new options, with the same cost
     */
    void updateOptions(CallOptions revised);

    /** Keeps the context of this thread, the caller's, if any is kept and the call has none. */
    void captureContext();

    /**
     * Takes the context of another call over.
     *
     * @param caller the context; null for none
     */
    void context(@Nullable CallContext caller);

    /** {@return the context of the caller; null if none was kept} */
    @Nullable CallContext context();

    /** {@return how long the call may wait in total if its options do not say; at most {@code Nanos.MAX}} */
    long maxWaitNanos();

    /** {@return how long the call has waited in total so far} */
    Duration waited();

    /** {@return how long the wait under way has lasted; zero if none has begun} */
    Duration waiting();

    /** {@return when the attempt was let go that was let go last} */
    long admittedAt();

    /** {@return whether the last attempt was refused for longer than the call may wait} */
    boolean isTurnedAway();

    /** {@return whether nothing holds the call back, as its throttle only observes} */
    boolean isObserved();

    /** {@return the time that it lives by} */
    TimeSource time();

    /** {@return whether it matters what requests cost beside their number} */
    boolean countsCosts();

    /**
     * {@return what a response says} Nothing is learned from it.
     *
     * @param response status and headers of the answer to the attempt that was let go last
     */
    Signal read(ResponseHead response);

    /**
     * Turns the call away for a reason that the throttle does not know.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    ThrottleRejectedException reject(String reason);

    /**
     * Keeps all calls of the key waiting until it is known whether this key refused.
     *
     * @param signal a refusal
     * @return lifts the hold
     */
    Runnable holdWhileUnknown(Signal signal);
}
