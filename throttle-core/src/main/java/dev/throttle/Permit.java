package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.util.concurrent.CompletableFuture;

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
 *
 * <p>Throttles make permits. Other code does not implement this interface, except for tests.
 */
public interface Permit {

    /**
     * Ends the permit with a response, which the throttle's classifier and header reader interpret.
     *
     * @param response status and headers
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    RetryDecision complete(ResponseHead response);

    /**
     * Ends the permit with a response and its interpretation, for callers that have read the body.
     *
     * @param response status and headers
     * @param signal how the attempt ended
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    RetryDecision complete(ResponseHead response, Signal signal);

    /**
     * Ends the permit with a signal.
     *
     * @param signal how the attempt ended
     * @return whether to send the request again; if so, continue with {@link #acquireAgain()}
     * @throws IllegalStateException if the permit has ended
     */
    RetryDecision complete(Signal signal);

    /**
     * Ends the permit of a request that will not be repeated, whatever the retry policy says. The throttle learns from
     * the signal. Has no effect if the permit has ended.
     *
     * @param signal how the attempt ended
     */
    void end(Signal signal);

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
    void settle(Cost actual);

    /**
     * Reports what else the response says about the server's limits, such as a quota in its body. This does not end the
     * permit, can be called before or after the end, and does not count as a response. If the hints tell how long to
     * stay away, all callers wait, as after a refusal.
     *
     * @param hints what was learned
     */
    void observe(RateHints hints);

    /**
     * Gives the permit back because the request was not sent, or because a cache answered it. Has no effect if the
     * permit has ended, so it can be called in a {@code finally} block. If the call asks again, its wait counts from
     * its beginning.
     */
    void release();

    /**
     * Waits on the calling thread for the permit of the next attempt of the same request, after {@code complete}
     * returned a retry. The request keeps its place before all that arrived later.
     *
     * @return the permit, which must be ended
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     * @throws IllegalStateException if this permit has not ended
     */
    Permit acquireAgain() throws InterruptedException, ThrottleRejectedException;

    /**
     * Asks for the permit of the next attempt of the same request without blocking, as {@link #acquireAgain()} does.
     *
     * @return a future that completes as that of {@link Throttle#acquireAsync()} does
     * @throws IllegalStateException if this permit has not ended
     */
    CompletableFuture<Permit> acquireAgainAsync();
}
