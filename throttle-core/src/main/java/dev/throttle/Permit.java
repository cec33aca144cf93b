package dev.throttle;

import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.engine.GuardChain;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permission to send one request. Every permit must be ended exactly once: {@linkplain #complete completed} with
 * the outcome of the request, or {@linkplain #release() released} if the request was not sent. Thread-safe.
 *
 * <pre>{@code
 * Permit permit = throttle.acquire();
 * try {
 *     int status = send(request);
 *     permit.end(Signal.of(status == 429 ? Outcome.RATE_LIMITED : Outcome.SUCCESS));
 * } finally {
 *     permit.release(); // has no effect if the permit has ended
 * }
 * }</pre>
 */
public final class Permit {

    private static final int NO_STATUS = 0;

    static final Acquisition.Permits<Permit> PERMITS = new Acquisition.Permits<>() {
        @Override
        public Permit permit(Acquisition<Permit> call, long admittedAt) {
            return new Permit(call, admittedAt);
        }

        @Override
        public void release(Permit permit) {
            permit.release();
        }
    };

    private final Engine engine;
    private final long admittedAt;
    private final GuardChain.@Nullable Passes passes;
    private final Acquisition<Permit> call;

    /** What the request takes; once it is settled, what it truly took. */
    private Cost cost;
    /** Identifies the request to controllers; 0 if they were not told of it. */
    private final long id;

    private boolean isSettled;

    private boolean ended;

    private Permit(Acquisition<Permit> call, long admittedAt) {
        this.engine = call.engine();
        this.call = call;
        this.cost = call.cost();
        this.id = call.permitId();
        this.admittedAt = admittedAt;
        this.passes = call.takePasses();
    }

    /**
     * Ends the permit with a response, which the throttle's classifier and header reader interpret.
     *
     * @param response status and headers
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(ResponseHead response) {
        Preconditions.required("response", response);
        int status = response.status();
        return complete(engine.signalOf(response), status);
    }

    /**
     * Ends the permit with a response and its interpretation, for callers that have read the body.
     *
     * @param response status and headers
     * @param signal how the attempt ended
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
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
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    public RetryDecision complete(Signal signal) {
        return complete(Preconditions.required("signal", signal), NO_STATUS);
    }

    private RetryDecision complete(Signal signal, int status) {
        Cost taken = tryEnd();
        if (taken == null) {
            throw new IllegalStateException("this permit has already ended; a permit ends exactly once");
        }
        tellGuards(signal);
        Outcome outcome = signal.outcome();
        if (outcome.isRefusal() || outcome.isFault() || outcome == Outcome.DENIED) {
            return call.failed(signal, status, id, taken, admittedAt);
        }
        finish(signal, taken);
        return outcome == Outcome.CANCELLED ? StopReason.CANCELLED.decision() : StopReason.ANSWERED.decision();
    }

    /**
     * Ends the permit of a request that will not be repeated, whatever the retry policy says. The throttle learns from
     * the signal. Has no effect if the permit has ended.
     *
     * @param signal how the attempt ended
     */
    public void end(Signal signal) {
        Preconditions.required("signal", signal);
        Cost taken = tryEnd();
        if (taken != null) {
            tellGuards(signal);
            finish(signal, taken);
        }
    }

    private void finish(Signal signal, Cost taken) {
        call.answered();
        engine.end(counted(signal), id, taken, admittedAt);
    }

    /**
     * Reports the actual cost of the request, as the server counted it. If it is higher than the cost taken, the
     * difference is owed, and later callers wait for it. If it is lower, the difference is available again at once.
     * Units that the cost does not name stay as they are. The number of requests is known beforehand and is ignored
     * here.
     *
     * <p>This does not end the permit. It can be called before the end or long after it, for example at the end of a
     * stream. Only the first call has an effect. A request that the server has counted cannot be given back: a permit
     * that is settled and then released, or ended as ignored, ends as cancelled. A permit that was released first stays
     * released. Never blocks.
     *
     * @param actual what the request cost
     */
    public void settle(Cost actual) {
        Preconditions.required("actual", actual);
        Cost admitted;
        synchronized (this) {
            if (isSettled) {
                return;
            }
            isSettled = true;
            admitted = cost;
            cost = admitted.without(actual).orElse(actual);
        }
        engine.settle(call.options(), id, id == 0 ? Cost.NONE : admitted, actual, admittedAt);
    }

    /**
     * Reports what else the response says about the server's limits, such as a quota in its body. This does not end the
     * permit, can be called before or after the end, and does not count as a response. If the hints tell how long to
     * stay away, all callers wait, as after a refusal.
     *
     * @param hints what was learned
     */
    public void observe(RateHints hints) {
        if (!Preconditions.required("hints", hints).isEmpty()) {
            engine.observe(Signal.of(Outcome.SUCCESS, hints), id, cost(), admittedAt);
        }
    }

    /**
     * Gives the permit back because the request was not sent, or because a cache answered it. Has no effect if the
     * permit has ended, so it can be called in a {@code finally} block. If the call asks again, its wait counts from
     * its beginning.
     */
    public void release() {
        Cost taken = tryEnd();
        if (taken != null) {
            if (passes != null) {
                passes.leave();
            }
            call.gaveBack();
            engine.end(counted(Signal.IGNORED), id, taken, admittedAt);
        }
    }

    /**
     * Waits on the calling thread for the permit of the next attempt of the same request, after {@code complete}
     * returned a retry. The request keeps its place before all that arrived later.
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
     * @return a future that completes as that of {@link Throttle#acquireAsync()} does
     * @throws IllegalStateException if this permit has not ended
     */
    public CompletableFuture<Permit> acquireAgainAsync() {
        return ended().acquireAsync();
    }

    private Acquisition<Permit> ended() {
        synchronized (this) {
            if (!ended) {
                throw new IllegalStateException("this permit has not ended: its attempt is still under way");
            }
        }
        return call;
    }

    /** A request that was settled is one that the server has counted; one that it never counted is settled by that. */
    private Signal counted(Signal signal) {
        if (signal.outcome() != Outcome.IGNORED) {
            return signal;
        }
        synchronized (this) {
            boolean wasSettled = isSettled;
            isSettled = true;
            return wasSettled ? Signal.CANCELLED : signal;
        }
    }

    private Cost cost() {
        synchronized (this) {
            return cost;
        }
    }

    private void tellGuards(Signal signal) {
        if (passes != null) {
            passes.end(signal, Duration.ofNanos(engine.now() - admittedAt));
        }
    }

    /** {@return what the request takes; null if the permit has ended already} */
    private @Nullable Cost tryEnd() {
        synchronized (this) {
            if (ended) {
                return null;
            }
            ended = true;
            return cost;
        }
    }
}
