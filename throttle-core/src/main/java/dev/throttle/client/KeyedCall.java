package dev.throttle.client;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Fields;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of an HTTP client through throttles, with all its attempts. It waits for the permit of its own key; is told
 * who sent which response; and knows what is repeated. Where a redirect led to a refusal by another key, the next
 * attempt needs a permit of that key too, and waits for it first.
 *
 * <p>The way of a call:
 *
 * <pre>{@code
 * do {
 *     call.acquire();
 *     Attempt attempt = call.beginAttempt();
 *     Attempt.Hop hop = attempt.beginHop(key);   // for each request that goes out
 *     hop.end(head);                             // or hop.fail(kind, exception)
 * } while (attempt.end(status));                 // or attempt.end(exception)
 * }</pre>
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time. All time is the
 * throttle's own.
 */
public final class KeyedCall {

    private static final VarHandle ATTEMPT =
            Fields.handle(MethodHandles.lookup(), KeyedCall.class, "attempt", Attempt.class);

    private final KeyPermits permits;
    /** Null if none began and nobody asked. */
    private volatile @Nullable Attempt attempt;

    /**
     * Begins a call.
     *
     * @param throttles the throttle of a key
     * @param key the key of its request
     * @param traits what its request is like; not exempt
     * @throws IllegalArgumentException if the call costs more than one of the limits can ever grant
     */
    public KeyedCall(Function<String, Throttle> throttles, String key, RequestTraits traits) {
        this.permits = new KeyPermits(throttles, key, throttles.apply(key), traits);
    }

    /**
     * Begins a call whose throttle was looked up before, as the other constructor does. Its key is the throttle's.
     *
     * @param throttles the throttle of any other key
     * @param throttle the throttle of its request
     * @param traits what its request is like; not exempt
     */
    public KeyedCall(Function<String, Throttle> throttles, Throttle throttle, RequestTraits traits) {
        this.permits = new KeyPermits(throttles, throttle.key(), throttle, traits);
    }

    /** {@return the key of the request} */
    public String key() {
        return permits.own().key();
    }

    /** Keeps the context of this thread, the caller's, for the attempts and what depends on the call; if so set. */
    public void captureContext() {
        permits.captureContext();
    }

    /** {@return the context of the caller, in which attempts and callbacks run; null if none was kept} */
    public @Nullable CallContext context() {
        return permits.context();
    }

    /** {@return what the request is like} */
    public RequestTraits traits() {
        return permits.traits();
    }

    /**
     * {@return whether it matters what requests cost beside their number, so that it pays to look at them and at their
     * answers: as the throttle knows whose key answered last, or else that of the call's key}
     */
    public boolean countsCosts() {
        Attempt.Hop answered = answered();
        return answered == null ? permits.own().countsCosts() : answered.countsCosts();
    }

    /**
     * Tells what shows of the cost before the request is sent, of which the user's own words are not changed. Before
     * the first wait.
     *
     * @param estimate what the request probably takes; null if it does not show
     * @param profile what it has in common with requests that cost about the same; null if that is not known
     */
    public void derive(@Nullable Cost estimate, @Nullable String profile) {
        permits.derive(estimate, profile);
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return permits.time();
    }

    /**
     * Bounds the whole call, attempts and waits: a wait that would end later is not begun.
     *
     * @param left how long the call may take from now on
     */
    public void deadline(Duration left) {
        permits.setDeadline(left);
    }

    /** {@return whether the time set by {@link #deadline} is over} */
    public boolean isTimedOut() {
        return permits.isTimedOut();
    }

    /** Ends a wait under way at once, and all waits to come. A request under way is not touched. Never blocks. */
    public void cancel() {
        permits.cancel();
    }

    /** {@return whether the call was given up} */
    public boolean isCancelled() {
        return permits.isCancelled();
    }

    /**
     * Begins the wait where something else comes first, such as the client's own queue, so that {@code maxWait} covers
     * that too. Without effect if the call waits already.
     */
    public void beginWait() {
        permits.beginWaitElsewhere();
    }

    /**
     * Takes the permit of the first attempt if nothing at all stands in its way, so that there is nothing to wait for.
     *
     * @return whether it is held; if not, {@link #acquire} tells why, or waits
     */
    public boolean tryAcquire() {
        return !Thread.currentThread().isInterrupted() && permits.tryAcquireAtRest();
    }

    /**
     * Waits on the calling thread until all permits of the next attempt are held. If it fails none is held.
     *
     * @throws ThrottleRejectedException if the wait for all keys together would be longer than the call may wait
     * @throws InterruptedException if the thread is or gets interrupted
     * @throws CancellationException if the call is or gets cancelled
     */
    public void acquire() throws InterruptedException, ThrottleRejectedException {
        if (!tryAcquire()) {
            permits.beginWait();
        }
        try {
            for (KeyPermit next = next(); next != null; next = next()) {
                permits.prepareWait(next);
                next.hold(permits.callOf(next).acquire());
            }
            if (isCancelled()) {
                throw cancellation();
            }
        } catch (Throwable e) {
            release();
            throw e;
        }
    }

    /**
     * Asks for all permits of the next attempt without blocking.
     *
     * @return completes when all are held, or, with none held, as {@link #acquire} would fail; on the calling thread or
     *     on the throttle's executor. Cancelling it gives up the permits, and the call should be cancelled too
     */
    public CompletableFuture<@Nullable Void> acquireAsync() {
        CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
        if (!permits.tryAcquireAtRest()) {
            permits.beginWait();
        }
        acquireNext(held);
        return held;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void acquireNext(CompletableFuture<@Nullable Void> held) {
        try {
            KeyPermit next = next();
            if (next != null) {
                permits.prepareWait(next);
                permits.callOf(next).acquireAsync().whenComplete((permit, failure) -> {
                    if (failure == null) {
                        next.hold(permit);
                        acquireNext(held);
                    } else {
                        fail(held, failure);
                    }
                });
            } else if (isCancelled()) {
                fail(held, cancellation());
            } else if (!held.complete(null)) {
                release();
            }
        } catch (Throwable e) {
            fail(held, e);
        }
    }

    private void fail(CompletableFuture<@Nullable Void> held, Throwable failure) {
        release();
        Throwable cause = failure.getCause();
        held.completeExceptionally(failure instanceof CompletionException && cause != null ? cause : failure);
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }

    /** {@return whose permit the next attempt still lacks; null if it can go} */
    private @Nullable KeyPermit next() {
        Attempt before = attempt;
        KeyPermit refusedBy = before == null ? null : before.refusedBy();
        if (refusedBy != null && !refusedBy.isHolding()) {
            return refusedBy;
        }
        return permits.own().isHolding() ? null : permits.own();
    }

    /** Gives back the permits that are held and not used. The wait goes on from where it began, should it go on. */
    public void release() {
        permits.release();
    }

    /** {@return how long the call may go on waiting} */
    public Duration waitLeft() {
        return Duration.ofNanos(permits.leftNanos());
    }

    /** {@return how long the call has waited so far, for all keys together and for all its attempts} */
    public Duration waited() {
        return permits.waited();
    }

    /**
     * Turns the call away because it waited too long for something else than the throttle, such as a connection. It
     * holds nothing then.
     *
     * @param reason what it has waited for
     * @return what to fail the call with
     */
    public ThrottleRejectedException reject(String reason) {
        release();
        permits.prepareWait(permits.own());
        return permits.callOf(permits.own()).reject(reason);
    }

    /**
     * Begins the next attempt, for which all permits are held; the wait is over.
     *
     * @return the attempt
     */
    public Attempt beginAttempt() {
        permits.endWait();
        Attempt next = new Attempt(permits);
        attempt = next;
        return next;
    }

    /** {@return the attempt that began last; one that never began before the first} */
    public Attempt attempt() {
        Attempt begun = attempt;
        if (begun != null) {
            return begun;
        }
        Attempt unbegun = new Attempt(permits);
        begun = (Attempt) ATTEMPT.compareAndExchange(this, null, unbegun);
        return begun == null ? unbegun : begun;
    }

    private Attempt.@Nullable Hop answered() {
        Attempt begun = attempt;
        return begun == null ? null : begun.answered();
    }

    /** Tells what the last answer and those before it in its attempt really cost; see {@link Attempt.Hop#settle}. */
    void settle(Cost actual) {
        Attempt.Hop answered = answered();
        if (answered != null) {
            answered.settle(actual);
        }
    }

    /** Tells what else the last answer says about its server's limits; see {@link Attempt.Hop#hear}. */
    void hear(RateHints hints) {
        Attempt.Hop answered = answered();
        if (answered != null) {
            answered.hear(hints);
        }
    }

    /**
     * Tells what the body of the last answer says; see {@link Attempt.Hop#settle} and {@link Attempt.Hop#hear}. It may
     * come long after the end. Without effect if that request was not throttled.
     *
     * @param report what it says
     */
    public void report(BodyReport report) {
        Cost actual = report.cost();
        if (actual != null) {
            settle(actual);
        }
        hear(new RateHints(report.retryAfter(), report.quotas()));
    }

    /**
     * Tells that another key may turn out to have answered, so that {@link #previewRetry} asks its throttle too.
     *
     * @param key the other key
     * @throws RuntimeException if the throttle of the key cannot be made, or can never grant the call's cost
     */
    public void mayBeAnsweredBy(String key) {
        permits.of(key);
    }

    /**
     * Foretells whether a response would be repeated, while nobody learns from it: for a client that must know before
     * it knows who sent the response. What a retry takes from the budgets of the keys is reserved until the attempt
     * ends. The decision proper may still be no, where the throttle would wait too long.
     *
     * @param signal what the response says
     * @return whether it would be repeated
     */
    public boolean previewRetry(Signal signal) {
        return signal.outcome().isRefusal() && permits.previewRetry(signal);
    }
}
