package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Acquisition;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * One call through a throttle, with all its attempts: wait for a permit, send, end the permit, and if the answer is to
 * retry, begin again. What the call has waited and how often it was refused is kept here.
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time.
 */
public final class ThrottledCall {

    private final Acquisition<Permit> acquisition;
    private CallOptions options;

    /**
     * For {@link dev.throttle.Throttle#newCall}.
     *
     * @param acquisition the call's way to its permits
     * @param options what the throttle was told about the call
     */
    public ThrottledCall(Acquisition<Permit> acquisition, CallOptions options) {
        this.acquisition = acquisition;
        this.options = options;
    }

    /**
     * Waits for the permit of the next attempt on the calling thread.
     *
     * @return the permit
     * @throws ThrottleRejectedException if the wait would be longer than the call may wait; at once, where that is
     *     known
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     * @throws CancellationException if the call is or gets cancelled
     */
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        return acquisition.acquire();
    }

    /**
     * Asks for the permit of the next attempt without blocking.
     *
     * @return completes with the permit, or with {@link ThrottleRejectedException}, on the throttle's executor if not
     *     already completed; cancelling it gives up the place in the queue
     */
    public CompletableFuture<Permit> acquireAsync() {
        return acquisition.acquireAsync();
    }

    /**
     * Takes a permit for an attempt that goes out whether or not the throttle would let it, as when an HTTP client
     * follows a redirect or repeats a request by itself. It counts like any other, but never waits.
     *
     * @return the permit, which must be ended
     */
    public Permit acquireForced() {
        return acquisition.acquireForced();
    }

    /**
     * Gives the call up: a wait ends at once with {@link CancellationException} and its place goes to the next. A
     * permit already granted is not touched. Never blocks.
     */
    public void cancel() {
        acquisition.cancel();
    }

    /** {@return whether the call was given up} */
    public boolean isCancelled() {
        return acquisition.isCancelled();
    }

    /** {@return how many attempts were let go so far} */
    public int attempts() {
        return acquisition.attempts();
    }

    /** {@return how long the call has waited in total so far} */
    public Duration waited() {
        return Duration.ofNanos(acquisition.waitedNanos());
    }

    /** {@return what the throttle was told about this call} */
    public CallOptions options() {
        return options;
    }

    /**
     * Corrects what the throttle was told, from the next decision and the next wait on. Not while the call waits.
     *
     * @param revised the new options, with the same number of permits
     */
    public void updateOptions(CallOptions revised) {
        Preconditions.check(
                revised.permits() == options.permits(),
                "permits",
                revised.permits(),
                "unchanged, " + options.permits());
        options = revised;
        acquisition.options(revised);
    }

    /**
     * Foretells what {@link Permit#complete(Signal)} would answer, while the throttle learns nothing: for a client that
     * must know what becomes of a response before it knows who sent it, as when it may have been redirected. Not
     * foreseen is by how much the throttle's strategy would slow down, so that a retry foretold can turn out to need
     * too long a wait.
     *
     * @param signal how an attempt of this call ended
     * @return whether the attempt would be repeated
     */
    public boolean previewRetry(Signal signal) {
        return acquisition.previewRetry(Preconditions.required("signal", signal));
    }

    /**
     * {@return how long the wait under way has lasted, also while its permit was given back; zero if none has begun}
     */
    public Duration waiting() {
        return Duration.ofNanos(acquisition.waitingNanos());
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return acquisition.engine().time();
    }

    /**
     * Turns the call away for a reason that the throttle does not know, such as a client that had no connection for it.
     * Counted and told like the throttle's own rejections. Not while the call waits.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    public ThrottleRejectedException reject(String reason) {
        return acquisition.reject(reason);
    }
}
