package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/** One call as an engine knows it, over all its attempts. One thread at a time uses it. */
public abstract class EngineCall {

    final CallState state;
    /** The engine of its key; changes when that one retires while the call asks. */
    Engine engine;

    EngineCall(Engine engine, CallOptions options, long arrivedAt) {
        engine.costs().check(Preconditions.required("options", options).cost());
        this.engine = engine;
        this.state = new CallState(options, arrivedAt);
    }

    /** Keeps the context of this thread, the caller's, if the throttle keeps any and the call has none. */
    public final void captureContext() {
        if (state.context() == null) {
            state.context(engine.captureContext());
        }
    }

    /**
     * Takes the context of another call over.
     *
     * @param caller the context; null for none
     */
    public final void context(@Nullable CallContext caller) {
        state.context(caller);
    }

    /** {@return the context of the caller; null if none was kept} */
    public final @Nullable CallContext context() {
        return state.context();
    }

    /** {@return the engine of its key} */
    public final Engine engine() {
        return engine;
    }

    /** {@return whether the call was given up} */
    public final boolean isCancelled() {
        return state.isCancelled();
    }

    /** {@return how many attempts were let go so far} */
    public final int attempts() {
        return state.attempts();
    }

    protected final long waitedNanos() {
        return state.waitedNanos();
    }

    protected final long waitingNanos() {
        return state.waitingNanos(engine.now());
    }

    /**
     * Turns the call away for a reason that the throttle does not know, such as a client that had no connection for it.
     * Counted and told like the throttle's own rejections. Not while the call waits.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    public final ThrottleRejectedException reject(String reason) {
        return engine.rejections().reject(state, reason);
    }

    /** {@return whether it matters to its engine what requests cost beside their number, as far as that is known} */
    public final boolean countsCosts() {
        return engine.costs().areCounted();
    }

    /** {@return what the attempt takes that asked last} */
    public final Cost cost() {
        return state.cost();
    }

    /** {@return whether the controllers heard of the attempt that was let go last; at rest they do not} */
    public final boolean isBooked() {
        return state.isBooked();
    }

    /** {@return what the throttle was told about this call} */
    public final CallOptions options() {
        return state.options();
    }

    protected final void options(CallOptions revised) {
        state.options(revised);
    }

    /**
     * Foretells what the end of a permit with a signal would answer, while the throttle learns nothing: for a client
     * that must know what becomes of a response before it knows who sent it, as when it may have been redirected. Not
     * foreseen is by how much the throttle's strategy would slow down, so that a retry foretold can turn out to need
     * too long a wait. A retry that is foretold is taken from the retry budget; the next decision uses it or gives it
     * back, as does {@link #forgetPreview}.
     *
     * @param signal how an attempt of this call ended
     * @return whether the attempt would be repeated
     */
    public final boolean previewRetry(Signal signal) {
        return engine.endings().previewRetry(state, Preconditions.required("signal", signal));
    }

    /**
     * The attempt that was asked about ends without a decision. Gives back what was reserved. Without effect if not.
     */
    public final void forgetPreview() {
        state.giveBackReserved();
    }

    /**
     * Keeps everybody waiting who wants to go to this key, before it is known whether it was this key that refused: as
     * long as the signal demands, or for a second if it names no time, up to a day. Shown like a wait that the server
     * named.
     *
     * @param signal a refusal
     * @return lifts the hold; to be run once what the sender said was learned, or the attempt has failed. May be run
     *     more than once, by any thread
     */
    public final Runnable holdWhileUnknown(Signal signal) {
        return engine.endings().hold(Preconditions.required("signal", signal));
    }

    /** The permit of an attempt goes back unsent. */
    public final void gaveBack() {
        state.gaveBack();
    }

    /** An attempt has ended that is not to be repeated. */
    public final void answered() {
        state.answered();
    }

    /** An attempt was refused or failed; {@return what becomes of its request} */
    public final RetryDecision failed(Signal signal, int status, Cost cost, long admittedAt) {
        return engine.endings().fail(state, signal, status, cost, admittedAt);
    }
}
