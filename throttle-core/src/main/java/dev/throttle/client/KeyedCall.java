package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.CallPermits;
import dev.throttle.engine.CallRoute;
import dev.throttle.engine.PoolCall;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Causes;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of an HTTP client through throttles, with all its attempts. It waits for the permit of its own key. Where a
 * redirect led to a refusal by another key, the next attempt needs a permit of that key too, and waits for it first.
 *
 * <p>The way of a call, which {@link CallLoop} takes:
 *
 * <pre>{@code
 * do {
 *     call.acquire();
 *     attempt = new Attempt(...);
 *     attempt.begin(key);            // for each request that goes out
 *     attempt.answered(head);        // or attempt.failed(kind, exception)
 * } while (attempt.end(status, ...)) // or attempt.end(exception, ...)
 * }</pre>
 *
 * <p>The parts of this file, in their order: its keys, the bounds of its waits, the waits, and what attempts ask of it.
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time. All time is the
 * throttle's own.
 */
public final class KeyedCall {

    /** Why a call is turned away whose server is away. */
    private static final String OVERLOAD = "overload";

    private static final long NONE = Long.MAX_VALUE;

    private final Function<String, Throttle> throttles;
    /** Changes before the first wait only, when no other thread looks at it. */
    private CallOptions options;

    private final KeyEntry own;
    /** What clients below see of it; null if the call is of no client. Changes before the first wait only. */
    private @Nullable Layer layer;
    /** Other keys. Added to by the call's thread, read by any that cancels it. */
    private volatile List<KeyEntry> others = List.of();
    /** The key that has refused the last attempt, and whose permit the next one needs too; null if there is none. */
    private volatile @Nullable KeyEntry refusedBy;
    /** What the last attempt has failed with; null if it was answered, or there is none. */
    private volatile @Nullable Throwable lastFailure;
    /** When the call must have ended; {@link #NONE} if it may take any time. */
    private volatile long deadline = NONE;
    /** What was waited for the attempts so far. */
    private volatile long waitedNanos;
    /** When the wait for the next attempt began; {@link #NONE} if none has begun. */
    private volatile long waitBeganAt = NONE;
    /** Whether the call has waited for something that no throttle has seen. */
    private volatile boolean hasWaitedElsewhere;

    private volatile boolean isCancelled;

    /**
     * Begins a call.
     *
     * @param throttles the throttle of a key
     * @param key the key of its request
     * @param options what the throttles have to know about its request; not exempt
     * @throws IllegalArgumentException if the call costs more than one of the limits can ever grant
     */
    public KeyedCall(Function<String, Throttle> throttles, String key, CallOptions options) {
        this.throttles = throttles;
        this.options = options;
        this.own = new KeyEntry(throttles.apply(key), options);
    }

    /**
     * Begins a call of a pool, each of whose attempts goes to the member that can take it first.
     *
     * @param throttles the throttle of a key
     * @param pool a {@code dev.throttle.Pool}
     * @param options what the throttles have to know about its request; not exempt
     */
    public KeyedCall(Function<String, Throttle> throttles, Object pool, CallOptions options) {
        this.throttles = throttles;
        this.options = options;
        this.own = new KeyEntry(Calls.ofPool(pool, options));
    }

    // ---- the keys of a call

    /** What a call has at one key: the call of the key's throttle, and the permit of the next attempt. */
    static final class KeyEntry {

        /** Null for a pool, where the attempts have different keys. */
        private final @Nullable Throttle throttle;

        final CallPermits call;
        private volatile @Nullable Permit held;
        /** How many attempts ended here refused or failed. */
        private int failures;

        private KeyEntry(Throttle throttle, CallOptions options) {
            this.throttle = throttle;
            this.call = Calls.of(throttle).newCall(options);
        }

        private KeyEntry(PoolCall call) {
            this.throttle = null;
            this.call = call;
        }

        /** {@return whether it is the entry of a key; that of a pool is found by being the call's own} */
        private boolean isOf(String key) {
            return throttle != null && throttle.key().equals(key);
        }

        /** {@return the permit that is held, and no longer is} */
        private synchronized @Nullable Permit take() {
            Permit taken = held;
            held = null;
            return taken;
        }

        private void release() {
            Permit unused = take();
            if (unused != null) {
                unused.release();
            }
        }
    }

    KeyEntry own() {
        return own;
    }

    /** {@return what the call has at a key} */
    KeyEntry entryOf(String key) {
        if (own.isOf(key)) {
            return own;
        }
        for (KeyEntry other : others) {
            if (other.isOf(key)) {
                return other;
            }
        }
        KeyEntry entry = new KeyEntry(throttles.apply(key), options);
        entry.call.context(context());
        List<KeyEntry> more = new ArrayList<>(others);
        more.add(entry);
        others = List.copyOf(more);
        if (isCancelled) { // by a thread that may not have seen it
            entry.call.cancel();
        }
        return entry;
    }

    private void forEach(Consumer<KeyEntry> action) {
        action.accept(own);
        others.forEach(action);
    }

    /** {@return the throttle of the key} */
    Throttle throttle() {
        return own.throttle == null ? throttles.apply(key()) : own.throttle;
    }

    /** Tells what clients below see of the call. */
    void layer(Layer value) {
        layer = value;
    }

    /** {@return what clients below see of the call; null if it is of no client} */
    public @Nullable Layer layer() {
        return layer;
    }

    /** {@return the key of the request} */
    public String key() {
        return own.throttle == null ? member() : own.throttle.key();
    }

    /** {@return the member that the attempt goes to whose permit is held, for a call of a pool} */
    public String member() {
        return ((PoolCall) own.call).member();
    }

    /** Keeps the context of this thread, the caller's, for the attempts and what depends on the call; if so set. */
    public void captureContext() {
        own.call.captureContext();
    }

    /** {@return the context of the caller, in which attempts and callbacks run; null if none was kept} */
    public @Nullable CallContext context() {
        return own.call.context();
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return own.call.time();
    }

    /** {@return what the throttles have to know about the request} */
    public CallOptions options() {
        return options;
    }

    /** {@return whether it matters what requests cost beside their number, so that it pays to look at them} */
    public boolean countsCosts() {
        return own.call.countsCosts();
    }

    /**
     * Tells what shows of the cost before the request is sent, of which the user's own words are not changed. Before
     * the first wait.
     *
     * @param estimate what the request probably takes; null if it does not show
     * @param profile what it has in common with requests that cost about the same; null if that is not known
     */
    public void derive(@Nullable Cost estimate, @Nullable String profile) {
        Cost known = options.estimate();
        Cost both = known == null || estimate == null ? estimate : known.orElse(estimate);
        if (both != null) {
            options = options.estimate(both);
        }
        if (options.profile() == null && profile != null) {
            options = options.profile(profile);
        }
        own.call.updateOptions(options);
    }

    /**
     * Tells the route of its request. Before the first wait.
     *
     * @param route finds it out if it matters
     */
    void route(CallRoute route) {
        own.call.route(route);
    }

    // ---- the bounds of its waits

    /**
     * Bounds the whole call, attempts and waits: a wait that would end later is not begun.
     *
     * @param left how long the call may take from now on
     */
    public void deadline(Duration left) {
        deadline = time().nanoTime() + Nanos.of(left);
    }

    /** {@return whether the time set by {@link #deadline} is over} */
    public boolean isTimedOut() {
        return deadline != NONE && time().nanoTime() - deadline >= 0;
    }

    /**
     * Begins the wait where something else comes first, such as the client's own queue, so that {@code maxWait} covers
     * that too. Without effect if the call waits already.
     */
    public void beginWait() {
        own.call.arrive();
        hasWaitedElsewhere = true;
        beginNextWait();
    }

    /** The wait for the next attempt begins, if it has not yet. */
    private void beginNextWait() {
        if (waitBeganAt == NONE) {
            waitBeganAt = time().nanoTime();
        }
    }

    /** Ends the wait, also that of an attempt which has asked for its permits once more before it was sent. */
    public void endWait() {
        waitedNanos = waitedSoFar();
        waitBeganAt = NONE;
    }

    private long waitedSoFar() {
        long began = waitBeganAt;
        return began == NONE ? waitedNanos : Nanos.plus(waitedNanos, time().nanoTime() - began);
    }

    /** {@return how long the call has waited so far, for all keys together and for all its attempts} */
    public Duration waited() {
        return Duration.ofNanos(waitedSoFar());
    }

    /**
     * {@return how long the call may go on waiting, also for what no throttle sees; any time if it is only observed}
     */
    public Duration waitLeft() {
        return Duration.ofNanos(own.call.isObserved() ? Nanos.MAX : leftNanos());
    }

    private long leftNanos() {
        Duration maxWait = options.maxWait();
        long most = maxWait == null ? own.call.maxWaitNanos() : Nanos.of(maxWait);
        long left = most == Nanos.MAX ? Nanos.MAX : most - waitedSoFar();
        if (deadline != NONE) {
            left = Math.min(left, deadline - time().nanoTime());
        }
        return Math.max(0, left);
    }

    /**
     * {@return what holds for a key's next wait, or for its decision on a failure} The throttle of one key does not see
     * what the call has waited elsewhere, and how often it was sent there.
     *
     * @param isWaiting whether the call waits there for its next attempt
     */
    private CallOptions boundsAt(KeyEntry entry, CallOptions from, boolean isWaiting) {
        boolean isAllSeen = others.isEmpty() && deadline == NONE && !hasWaitedElsewhere;
        if (isAllSeen) {
            return from;
        }
        long waiting = isWaiting ? Nanos.of(entry.call.waiting()) : 0;
        long soFar = Nanos.plus(Nanos.of(entry.call.waited()), waiting);
        Integer attempts = options.maxAttempts();
        int failures =
                own.failures + others.stream().mapToInt(other -> other.failures).sum();
        int elsewhere = failures - entry.failures;
        return from.maxWait(Duration.ofNanos(Nanos.plus(soFar, leftNanos())))
                .maxAttempts(attempts == null ? null : Math.max(1, attempts - elsewhere));
    }

    // ---- waiting

    /**
     * Takes the permit of the next attempt if it is there at once and the call has not waited for it yet.
     *
     * @return whether it is held; if not, {@link #acquire} tells why, or waits
     */
    public boolean tryAcquire() {
        return tryAcquire(false);
    }

    private boolean tryAcquire(boolean isAsync) {
        if (isCancelled
                || waitBeganAt != NONE
                || own.held != null
                || Thread.currentThread().isInterrupted()) {
            return false;
        }
        Permit permit = own.call.tryAcquireFast(isAsync);
        if (permit == null) {
            return false;
        }
        own.held = permit;
        return true;
    }

    /**
     * Waits on the calling thread until all permits of the next attempt are held. If it fails none is held.
     *
     * @throws ThrottleRejectedException if the wait for all keys together would be longer than the call may wait
     * @throws IOException what the last attempt ended with, if the call has waited long enough for a server that is
     *     away
     * @throws InterruptedException if the thread is or gets interrupted
     * @throws CancellationException if the call is or gets cancelled
     */
    public void acquire() throws InterruptedException, IOException {
        if (!tryAcquire()) {
            beginNextWait();
        }
        try {
            for (KeyEntry next = next(); next != null; next = next()) {
                next.held = next.call.acquire();
            }
            if (isCancelled) {
                throw cancellation();
            }
        } catch (ThrottleRejectedException e) {
            release();
            throw lastFailureOr(e);
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
        if (tryAcquire(true)) {
            return CompletableFuture.completedFuture(null);
        }
        beginNextWait();
        CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
        acquireNext(held);
        return held;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void acquireNext(CompletableFuture<@Nullable Void> held) {
        try {
            KeyEntry next = next();
            if (next != null) {
                next.call.acquireAsync(true).whenComplete((permit, failure) -> {
                    if (failure == null) {
                        next.held = permit;
                        acquireNext(held);
                    } else {
                        fail(held, failure);
                    }
                });
            } else if (isCancelled) {
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
        Throwable thrown = Causes.unwrap(failure);
        held.completeExceptionally(thrown instanceof ThrottleRejectedException e ? lastFailureOr(e) : thrown);
    }

    /** {@return what a call ends with that was turned away: the failure of its last attempt if its server is away} */
    private IOException lastFailureOr(ThrottleRejectedException rejection) {
        if (lastFailure instanceof IOException failure && rejection.reason().equals(OVERLOAD)) {
            failure.addSuppressed(rejection);
            return failure;
        }
        return rejection;
    }

    /** {@return whose permit the next attempt still lacks, with the bounds of the wait for it; null if it can go} */
    private @Nullable KeyEntry next() {
        KeyEntry first = refusedBy;
        KeyEntry next = first != null && first.held == null ? first : own;
        if (next.held != null) {
            return null;
        }
        next.call.updateOptions(boundsAt(next, options, true));
        return next;
    }

    /** Gives back the permits that are held and not used. The wait goes on from where it began, should it go on. */
    public void release() {
        if (waitBeganAt == NONE && own.held != null) { // there was no wait, but now there is
            waitBeganAt = own.call.admittedAt();
        }
        forEach(KeyEntry::release);
    }

    /** Ends a wait under way at once, and all waits to come. A request under way is not touched. Never blocks. */
    public void cancel() {
        isCancelled = true;
        forEach(entry -> entry.call.cancel());
    }

    /** {@return whether the call was given up} */
    public boolean isCancelled() {
        return isCancelled;
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
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
        own.call.updateOptions(options); // the bound of the whole call, not what is left of it
        return own.call.reject(reason);
    }

    // ---- what attempts ask of it

    /** The next attempt begins, for which all permits are held; the wait is over. */
    void beginAttempt() {
        endWait();
        refusedBy = null;
        lastFailure = null;
    }

    /** {@return the permit of the next request to a key: the one waited for, or else one that never waits} */
    Permit take(KeyEntry entry) {
        Permit held = entry.take();
        return held == null ? entry.call.acquireForced() : held;
    }

    /** Ends a request; {@return whether it is repeated, as far as the throttle of its key decides} */
    RetryDecision complete(
            KeyEntry entry, Permit granted, @Nullable ResponseHead head, Signal signal, @Nullable FailureKind kind) {
        Outcome outcome = signal.outcome();
        if (outcome.isRefusal() || outcome.isFault()) {
            entry.call.updateOptions(boundsAt(entry, after(kind), false));
            entry.failures++;
        }
        return head == null ? granted.complete(signal) : granted.complete(head, signal);
    }

    /** {@return the options after a failure, which may have left the request untouched; the same after an answer} */
    private CallOptions after(@Nullable FailureKind kind) {
        if (kind == null) {
            return options;
        }
        if (kind.isUntouched()) {
            return Boolean.TRUE.equals(options.idempotent()) ? options : options.idempotent(true);
        }
        return kind.isPassing() || Boolean.FALSE.equals(options.replayable()) ? options : options.replayable(false);
    }

    /** There is to be another attempt, which waits from now on; the last one was refused by a key, or has failed. */
    void repeat(KeyEntry refusing, @Nullable Throwable failure) {
        refusedBy = refusing;
        lastFailure = failure;
        beginNextWait();
    }
}
