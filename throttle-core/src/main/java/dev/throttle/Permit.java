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
 * The right to send one request. It ends exactly once: {@linkplain #complete completed} with what became of the
 * request, or {@linkplain #release() given back} unsent. Thread-safe.
 */
public final class Permit {

    private static final int NO_STATUS = 0;

    static final Acquisition.Permits<Permit> PERMITS = new Acquisition.Permits<>() {
        @Override
        public Permit permit(Acquisition<Permit> call, long admittedAt) {
            return new Permit(call.engine(), call, call.cost(), call.isBooked(), admittedAt);
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

    /** What the request takes; once it is settled, what it truly took. */
    private Cost cost;
    /** Whether the controllers heard of the admission; at rest they do not. */
    private final boolean isBooked;

    private boolean isSettled;

    private boolean ended;

    Permit(Engine engine, @Nullable Acquisition<Permit> call, Cost cost, boolean isBooked, long admittedAt) {
        this.engine = engine;
        this.call = call;
        this.cost = cost;
        this.isBooked = isBooked;
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
            throw new IllegalStateException("this permit has already ended; a permit ends exactly once");
        }
        tellGuards(signal);
        Outcome outcome = signal.outcome();
        if (outcome.isRefusal() || outcome == Outcome.FAILED || outcome == Outcome.DENIED) {
            return call().failed(signal, status, cost(), admittedAt);
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
        engine.end(counted(signal), cost(), admittedAt);
    }

    /**
     * Tells what the request truly took, as the server counted it. What was taken too little is owed, and later callers
     * wait for it; what was taken too much is free again at once, and the next caller may go. Units that the cost does
     * not name stay as they are. Requests are known beforehand: they are not settled, and not looked at here.
     *
     * <p>It does not end the permit, and may come before the end or long after it, as when the truth is at the end of a
     * stream. It counts once: later ones are without effect. A request that the server has counted cannot be given
     * back: a permit that is settled and then released, or ended as ignored, ends as cancelled; one that was released
     * first stays so. Never blocks, and never fails for being late.
     *
     * @param actual what the request took
     */
    public void settle(Cost actual) {
        Preconditions.required("actual", actual);
        Cost admitted;
        Acquisition<Permit> own;
        synchronized (this) {
            if (isSettled) {
                return;
            }
            isSettled = true;
            admitted = cost;
            own = call;
            cost = admitted.without(actual).orElse(actual);
        }
        CallOptions options = own == null ? CallOptions.DEFAULT : own.options();
        engine.costs().settle(options, isBooked ? admitted : Cost.NONE, actual, admittedAt);
    }

    /**
     * Tells what else the request's answer says about the server's limits, such as a quota in its body. It does not end
     * the permit, may come before the end or after it, and counts as no answer. A time to stay away keeps everybody
     * waiting, as after a refusal.
     *
     * @param hints what was learned
     */
    public void hear(RateHints hints) {
        if (!Preconditions.required("hints", hints).isEmpty()) {
            engine.costs().hear(Signal.of(Outcome.SUCCESS, hints), cost(), admittedAt);
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
            Acquisition<Permit> own = call;
            if (own != null) {
                own.gaveBack();
            }
            engine.end(counted(Signal.IGNORED), cost(), admittedAt);
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
                throw new IllegalStateException("this permit has not ended: its attempt is still under way");
            }
        }
        return call();
    }

    private Acquisition<Permit> call() {
        synchronized (this) {
            if (call == null) {
                call = Acquisition.ofPermit(engine, cost, admittedAt, PERMITS);
            }
            return call;
        }
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
