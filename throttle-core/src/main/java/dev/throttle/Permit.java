package dev.throttle;

import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The right to send one request. It ends exactly once: {@linkplain #complete completed} with what became of the
 * request, or {@linkplain #release() given back} unsent. Thread-safe.
 */
public final class Permit {

    private final Engine engine;
    private final long grantedAt;
    private final GuardChain.@Nullable Passes passes;
    private @Nullable ThrottledCall call;
    private boolean ended;

    Permit(Engine engine, @Nullable ThrottledCall call, long grantedAt) {
        this.engine = engine;
        this.call = call;
        this.grantedAt = grantedAt;
        this.passes = call == null ? null : call.takePasses();
    }

    /**
     * Ends the permit with a response, as the throttle's classifier and header reader understand it.
     *
     * @param response status and headers
     * @return what becomes of the attempt; after a retry go on with {@link #call()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(ResponseHead response) {
        Preconditions.required("response", response);
        return engine.complete(this, engine.signalOf(response), response.status());
    }

    /**
     * Ends the permit with a response that says something else than its headers, because its body was looked at.
     *
     * @param response status and headers
     * @param signal how the attempt ended
     * @return what becomes of the attempt; after a retry go on with {@link #call()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(ResponseHead response, Signal signal) {
        Preconditions.required("response", response);
        return engine.complete(this, Preconditions.required("signal", signal), response.status());
    }

    /**
     * Ends the permit with a signal.
     *
     * @param signal how the attempt ended
     * @return what becomes of the attempt; after a retry go on with {@link #call()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(Signal signal) {
        return engine.complete(this, Preconditions.required("signal", signal), ThrottledCall.NO_STATUS);
    }

    /**
     * Ends the permit with the signal of a request that is not to be repeated, whatever the retry policy would say: the
     * throttle learns from it, and decides nothing. Without effect if the permit has ended.
     *
     * @param signal how the attempt ended
     */
    public void end(Signal signal) {
        Preconditions.required("signal", signal);
        if (tryEnd()) {
            tellGuards(signal);
            answered();
            engine.end(signal, this);
        }
    }

    /**
     * Gives the permit back: the request was not sent, or a cache answered it. Without effect if the permit has ended,
     * so that it can stand in a {@code finally}. A call that asks again goes on waiting from where its wait began.
     */
    public void release() {
        if (tryEnd()) {
            if (passes != null) {
                passes.leave();
            }
            if (call != null) {
                call.gaveBack();
            }
            engine.end(Signal.IGNORED, this);
        }
    }

    /** {@return the call that this permit belongs to, on which a refused attempt is repeated} */
    public ThrottledCall call() {
        synchronized (this) {
            if (call == null) {
                call = new ThrottledCall(engine, CallOptions.DEFAULT, grantedAt);
                call.admitted(grantedAt);
            }
            return call;
        }
    }

    /** The attempt is not to be repeated. */
    void answered() {
        if (call != null) {
            call.answered();
        }
    }

    /** The throttle lets the attempt go; {@return the guard that refuses it nevertheless} */
    @Nullable AdmissionGuard guardThatRefuses() {
        if (passes == null) {
            return null;
        }
        passes.admit();
        return passes.refusedBy();
    }

    void tellGuards(Signal signal) {
        if (passes != null) {
            passes.end(signal, Duration.ofNanos(engine.now() - grantedAt));
        }
    }

    long grantedAt() {
        return grantedAt;
    }

    int permits() {
        return call == null ? CallOptions.DEFAULT.permits() : call.options().permits();
    }

    void endOnce() {
        if (!tryEnd()) {
            throw new IllegalStateException("this permit has ended already: it ends exactly once");
        }
    }

    /**
     * A monitor and no compare-and-set: where the permit stays on its thread the compiler removes both it and the
     * permit.
     */
    private boolean tryEnd() {
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            return true;
        }
    }
}
