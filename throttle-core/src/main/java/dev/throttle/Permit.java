package dev.throttle;

import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.engine.GuardChain;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The right to send one request. It ends exactly once: {@linkplain #complete completed} with what became of the
 * request, or {@linkplain #release() given back} unsent. Thread-safe.
 */
public final class Permit {

    private static final int NO_STATUS = 0;

    static final Acquisition.Permits<Permit> PERMITS = new Acquisition.Permits<>() {
        @Override
        public Permit permit(Acquisition<Permit> call, long admittedAt) {
            return new Permit(call.engine(), call, admittedAt);
        }

        @Override
        public void release(Permit permit) {
            permit.release();
        }
    };

    private final Engine engine;
    private final long admittedAt;
    private final GuardChain.@Nullable Passes passes;
    /** Null as long as nobody asks for more than this one attempt. */
    private @Nullable Acquisition<Permit> call;

    private boolean ended;

    Permit(Engine engine, @Nullable Acquisition<Permit> call, long admittedAt) {
        this.engine = engine;
        this.call = call;
        this.admittedAt = admittedAt;
        this.passes = call == null ? null : call.takePasses();
    }

    /**
     * Ends the permit with a response, as the throttle's classifier and header reader understand it.
     *
     * @param response status and headers
     * @return what becomes of the attempt; after a retry go on with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(ResponseHead response) {
        Preconditions.required("response", response);
        int status = response.status();
        return complete(engine.signalOf(response), status);
    }

    /**
     * Ends the permit with a response that says something else than its headers, because its body was looked at.
     *
     * @param response status and headers
     * @param signal how the attempt ended
     * @return what becomes of the attempt; after a retry go on with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(ResponseHead response, Signal signal) {
        Preconditions.required("response", response);
        return complete(Preconditions.required("signal", signal), response.status());
    }

    /**
     * Ends the permit with a signal.
     *
     * @param signal how the attempt ended
     * @return what becomes of the attempt; after a retry go on with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(Signal signal) {
        return complete(Preconditions.required("signal", signal), NO_STATUS);
    }

    private RetryDecision complete(Signal signal, int status) {
        if (!tryEnd()) {
            throw new IllegalStateException("this permit has ended already: it ends exactly once");
        }
        tellGuards(signal);
        Outcome outcome = signal.outcome();
        if (outcome.isRefusal() || outcome == Outcome.FAILED || outcome == Outcome.DENIED) {
            return call().failed(signal, status, admittedAt);
        }
        finish(signal);
        return outcome == Outcome.CANCELLED ? StopReason.CANCELLED.decision() : StopReason.ANSWERED.decision();
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
            finish(signal);
        }
    }

    private void finish(Signal signal) {
        Acquisition<Permit> own = call;
        if (own != null) {
            own.answered();
        }
        engine.end(signal, own == null ? 1 : own.permits(), admittedAt);
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
            Acquisition<Permit> own = call;
            if (own != null) {
                own.gaveBack();
            }
            engine.end(Signal.IGNORED, own == null ? 1 : own.permits(), admittedAt);
        }
    }

    /**
     * Waits on the calling thread for the permit of the next attempt of the same request, after {@code complete}
     * answered that it is to be repeated. The request keeps its place: it goes before all that came later.
     *
     * @return the permit, which must be ended
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     * @throws IllegalStateException if this permit has not ended
     */
    public Permit acquireAgain() throws InterruptedException, ThrottleRejectedException {
        return ended().acquire();
    }

    /**
     * Asks for the permit of the next attempt of the same request without blocking, as {@link #acquireAgain()} does.
     *
     * @return completes as the future of {@link Throttle#acquireAsync()} does
     * @throws IllegalStateException if this permit has not ended
     */
    public CompletableFuture<Permit> acquireAgainAsync() {
        return ended().acquireAsync();
    }

    private Acquisition<Permit> ended() {
        synchronized (this) {
            if (!ended) {
                throw new IllegalStateException("this permit has not ended yet: the attempt is still under way");
            }
        }
        return call();
    }

    private Acquisition<Permit> call() {
        synchronized (this) {
            if (call == null) {
                call = Acquisition.ofPermit(engine, admittedAt, PERMITS);
            }
            return call;
        }
    }

    long admittedAt() {
        return admittedAt;
    }

    private void tellGuards(Signal signal) {
        if (passes != null) {
            passes.end(signal, Duration.ofNanos(engine.now() - admittedAt));
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
