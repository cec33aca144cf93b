package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Fields;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
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

    /** Why a call is turned away whose server is away. */
    private static final String OVERLOAD = "overload";

    private static final VarHandle ATTEMPT =
            Fields.handle(MethodHandles.lookup(), KeyedCall.class, "attempt", Attempt.class);

    private static final VarHandle HAS_ENDED =
            Fields.handle(MethodHandles.lookup(), Attempt.Hop.class, "hasEnded", boolean.class);

    private static final Faults FAULTS = new Faults("reporting the end of a request to its throttle");

    private static final long NONE = Long.MAX_VALUE;

    private final Function<String, Throttle> throttles;
    /** Changes before the first wait only, when no other thread looks at it. */
    private CallOptions options;

    private final KeyPermit own;
    /** Other keys. Added to by the call's thread, read by any that cancels it; null if there are none. */
    private volatile @Nullable List<KeyPermit> others;
    /** When the call must have ended; {@link #NONE} if it may take any time. */
    private volatile long deadline = NONE;
    /** What was waited for the attempts so far. */
    private volatile long waitedNanos;
    /** When the wait for the next attempt began; {@link #NONE} if none has begun. */
    private volatile long waitBeganAt = NONE;
    /** Whether the call has waited for something that no throttle has seen. */
    private volatile boolean hasWaitedElsewhere;

    private volatile boolean isCancelled;
    /** Whether an attempt has begun. */
    private boolean hasBegun;
    /** Null if none began and none was asked for. */
    private volatile @Nullable Attempt attempt;

    /**
     * Begins a call.
     *
     * @param throttles the throttle of a key
     * @param key the key of its request
     * @param options what the throttles have to know about its request; not exempt
     * @throws IllegalArgumentException if the call costs more than one of the limits can ever grant
     */
    public KeyedCall(Function<String, Throttle> throttles, String key, CallOptions options) {
        this(throttles, key, throttles.apply(key), options);
    }

    /**
     * Begins a call whose throttle was looked up before, as the other constructor does. Its key is the throttle's.
     *
     * @param throttles the throttle of any other key
     * @param throttle the throttle of its request
     * @param options what the throttles have to know about its request; not exempt
     */
    public KeyedCall(Function<String, Throttle> throttles, Throttle throttle, CallOptions options) {
        this(throttles, throttle.key(), throttle, options);
    }

    private KeyedCall(Function<String, Throttle> throttles, String key, Throttle throttle, CallOptions options) {
        this.throttles = throttles;
        this.options = options;
        this.own = newPermit(key, throttle);
    }

    // ---- the keys of a call

    /** {@return what the call has at a key} The throttle of a key checks at once what the call costs beside itself. */
    private KeyPermit newPermit(String key, Throttle throttle) {
        KeyPermit permit = new KeyPermit(key, throttle);
        if (!isPlain()) {
            permit.makeCall(options);
        }
        return permit;
    }

    /** {@return the call of a key's throttle} */
    ThrottledCall callOf(KeyPermit permit) {
        ThrottledCall call = permit.call();
        if (call == null) {
            call = permit.makeCall(options);
            if (isCancelled) { // by a thread that may not have seen it
                call.cancel();
            }
        }
        return call;
    }

    /** {@return what the call has at a key} */
    KeyPermit permitOf(String key) {
        if (own.key().equals(key)) {
            return own;
        }
        List<KeyPermit> known = others;
        List<KeyPermit> more = known == null ? new ArrayList<>() : new ArrayList<>(known);
        for (KeyPermit permit : more) {
            if (permit.key().equals(key)) {
                return permit;
            }
        }
        KeyPermit permit = newPermit(key, throttles.apply(key));
        callOf(permit).context(context());
        more.add(permit);
        others = List.copyOf(more);
        if (isCancelled) {
            callOf(permit).cancel();
        }
        return permit;
    }

    /** {@return the key of the request} */
    public String key() {
        return own.key();
    }

    /** Keeps the context of this thread, the caller's, for the attempts and what depends on the call; if so set. */
    public void captureContext() {
        ThrottledCall call = own.call();
        if (call != null) {
            call.captureContext();
            return;
        }
        CallContext caller = own.calls().captureContext();
        if (caller != null) {
            callOf(own).context(caller);
        }
    }

    /** {@return the context of the caller, in which attempts and callbacks run; null if none was kept} */
    public @Nullable CallContext context() {
        ThrottledCall call = own.call();
        return call == null ? null : call.context();
    }

    /** {@return what the throttles have to know about the request} */
    public CallOptions options() {
        return options;
    }

    /**
     * {@return whether it matters what requests cost beside their number, so that it pays to look at them and at their
     * answers: as the throttle knows whose key answered last, or else that of the call's key}
     */
    public boolean countsCosts() {
        Attempt.Hop answered = answered();
        return answered == null ? own.countsCosts() : answered.countsCosts();
    }

    /**
     * Tells what shows of the cost before the request is sent, of which the user's own words are not changed. Before
     * the first wait.
     *
     * @param estimate what the request probably takes; null if it does not show
     * @param profile what it has in common with requests that cost about the same; null if that is not known
     */
    public void derive(@Nullable Cost estimate, @Nullable String profile) {
        Cost own = options.estimate();
        Cost both = own == null || estimate == null ? estimate : own.orElse(estimate);
        if (both != null) {
            options = options.estimate(both);
        }
        if (options.profile() == null && profile != null) {
            options = options.profile(profile);
        }
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return own.calls().time();
    }

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

    /** Ends a wait under way at once, and all waits to come. A request under way is not touched. Never blocks. */
    public void cancel() {
        isCancelled = true;
        forEach(KeyedCall::cancel);
    }

    private void forEach(Consumer<KeyPermit> action) {
        action.accept(own);
        List<KeyPermit> more = others;
        if (more != null) {
            more.forEach(action);
        }
    }

    private static void cancel(KeyPermit permit) {
        ThrottledCall call = permit.call();
        if (call != null) {
            call.cancel();
        }
    }

    /** {@return whether the call was given up} */
    public boolean isCancelled() {
        return isCancelled;
    }

    /**
     * Begins the wait where something else comes first, such as the client's own queue, so that {@code maxWait} covers
     * that too. Without effect if the call waits already.
     */
    public void beginWait() {
        callOf(own); // the throttle of the call's key knows from now on when the call came
        hasWaitedElsewhere = true;
        beginWaitAt(time().nanoTime());
    }

    /** The wait for the next attempt begins, if it has not yet. */
    void beginNextWait() {
        if (waitBeganAt == NONE) {
            waitBeganAt = time().nanoTime();
        }
    }

    private void beginWaitAt(long at) {
        waitBeganAt = waitBeganAt == NONE ? at : waitBeganAt;
    }

    /** Ends the wait, also that of an attempt which has asked for its permits once more before it was sent. */
    public void endWait() {
        hasBegun = true;
        if (waitBeganAt != NONE) {
            waitedNanos = waitedSoFar();
            waitBeganAt = NONE;
        }
    }

    private long waitedSoFar() {
        long began = waitBeganAt;
        return began == NONE ? waitedNanos : Nanos.plus(waitedNanos, time().nanoTime() - began);
    }

    /** {@return whether the throttles see all of the wait, and all that bounds it} */
    private boolean isSeenByThrottle() {
        return deadline == NONE && !hasWaitedElsewhere;
    }

    /** {@return how long the call may wait from now on} */
    private long leftNanos() {
        Duration maxWait = options.maxWait();
        long most = Nanos.of(maxWait == null ? own.maxWait() : maxWait);
        long left = most == Nanos.MAX ? Nanos.MAX : most - waitedSoFar();
        if (deadline != NONE) {
            left = Math.min(left, deadline - time().nanoTime());
        }
        return Math.max(0, left);
    }

    /**
     * Takes the permit of the first attempt if nothing at all stands in its way, so that there is nothing to wait for.
     *
     * @return whether it is held; if not, {@link #acquire} tells why, or waits
     */
    public boolean tryAcquire() {
        return !Thread.currentThread().isInterrupted() && tryAcquireAtRest();
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
            for (KeyPermit next = next(); next != null; next = next()) {
                prepareWait(next);
                next.hold(callOf(next).acquire());
            }
            if (isCancelled()) {
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

    /** {@return what a call ends with that was turned away: the failure of its last attempt if its server is away} */
    private IOException lastFailureOr(ThrottleRejectedException rejection) {
        Attempt before = attempt;
        Throwable last = before == null ? null : before.endedWith();
        if (last instanceof IOException failure && rejection.reason().equals(OVERLOAD)) {
            failure.addSuppressed(rejection);
            return failure;
        }
        return rejection;
    }

    /**
     * Asks for all permits of the next attempt without blocking.
     *
     * @return completes when all are held, or, with none held, as {@link #acquire} would fail; on the calling thread or
     *     on the throttle's executor. Cancelling it gives up the permits, and the call should be cancelled too
     */
    public CompletableFuture<@Nullable Void> acquireAsync() {
        CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
        if (!tryAcquireAtRest()) {
            beginNextWait();
        }
        acquireNext(held);
        return held;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its action sees to both ways it may end
    private void acquireNext(CompletableFuture<@Nullable Void> held) {
        try {
            KeyPermit next = next();
            if (next != null) {
                prepareWait(next);
                callOf(next).acquireAsync().whenComplete((permit, failure) -> {
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
        Throwable thrown = failure instanceof CompletionException && cause != null ? cause : failure;
        held.completeExceptionally(thrown instanceof ThrottleRejectedException e ? lastFailureOr(e) : thrown);
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
        return own.isHolding() ? null : own;
    }

    /** Ends the call. No permit outlives it. */
    void end() {
        attempt().abandon();
        release();
    }

    /** Gives back the permits that are held and not used. The wait goes on from where it began, should it go on. */
    public void release() {
        forEach(this::release);
    }

    private void release(KeyPermit permit) {
        Permit unused = permit.take();
        if (unused != null) {
            if (!hasBegun) {
                beginWaitAt(permit.calls().takenAt(unused)); // it was none, and goes on
            }
            giveBack(permit, unused);
        }
    }

    /** Gives back a permit that was not used. The throttle's call keeps in mind since when it waits. */
    void giveBack(KeyPermit permit, Permit unused) {
        callOf(permit);
        unused.release();
    }

    /**
     * {@return whether the first attempt got its permit on the short way} The permit is held then. A call that has
     * waited for something, or may cost more than itself, is the business of a throttle's call.
     */
    boolean tryAcquireAtRest() {
        return !isCancelled && waitBeganAt == NONE && isPlain() && own.tryAcquireAtRest();
    }

    /** {@return the permit of the next request to a key: the one waited for, or else one that never waits} */
    Permit take(KeyPermit permit) {
        Permit held = permit.take();
        return held == null ? callOf(permit).acquireForced() : held;
    }

    /** Ends an attempt; {@return whether its request is repeated, as far as the throttle of its key decides} */
    RetryDecision complete(
            KeyPermit permit, Permit granted, @Nullable ResponseHead head, Signal signal, @Nullable FailureKind kind) {
        if (permit.endsWithCall(signal)) {
            callOf(permit).updateOptions(options(permit, kind, 0));
        }
        return permit.complete(granted, head, signal);
    }

    /** {@return how long the call may go on waiting} */
    public Duration waitLeft() {
        return Duration.ofNanos(leftNanos());
    }

    /** {@return how long the call has waited so far, for all keys together and for all its attempts} */
    public Duration waited() {
        return Duration.ofNanos(waitedSoFar());
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
        ThrottledCall call = callOf(own);
        call.updateOptions(options); // the bound of the whole call, not what is left of it
        return call.reject(reason);
    }

    /**
     * Begins the next attempt, for which all permits are held; the wait is over.
     *
     * @return the attempt
     */
    public Attempt beginAttempt() {
        endWait();
        Attempt next = new Attempt();
        attempt = next;
        return next;
    }

    /** {@return the attempt that began last; one that never began before the first} */
    public Attempt attempt() {
        Attempt begun = attempt;
        if (begun != null) {
            return begun;
        }
        Attempt unbegun = new Attempt();
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

    /** Tells what else the last answer says about its server's limits; see {@link Attempt.Hop#observe}. */
    void observe(RateHints hints) {
        Attempt.Hop answered = answered();
        if (answered != null) {
            answered.observe(hints);
        }
    }

    /**
     * Tells what the body of the last answer says; see {@link Attempt.Hop#settle} and {@link Attempt.Hop#observe}. It
     * may come long after the end. Without effect if that request was not throttled.
     *
     * @param report what it says
     */
    public void report(BodyReport report) {
        Cost actual = report.cost();
        if (actual != null) {
            settle(actual);
        }
        observe(new RateHints(report.retryAfter(), report.quotas()));
    }

    /** Tells a key's throttle what holds for its next wait. */
    void prepareWait(KeyPermit permit) {
        ThrottledCall call = callOf(permit);
        call.updateOptions(options(permit, null, Nanos.of(call.waiting())));
    }

    private CallOptions options(KeyPermit permit, @Nullable FailureKind kind, long waitingNanos) {
        Integer attempts = options.maxAttempts();
        if (others == null && isSeenByThrottle()) {
            return after(kind); // the throttle sees the whole wait by itself
        }
        long soFar = Nanos.plus(Nanos.of(callOf(permit).waited()), waitingNanos);
        int elsewhere = failures() - permit.failures();
        return after(kind)
                .maxWait(Duration.ofNanos(Nanos.plus(soFar, leftNanos())))
                .maxAttempts(attempts == null ? null : Math.max(1, attempts - elsewhere));
    }

    /** {@return the options after a failure, which may have left the request untouched; null before it is known} */
    private CallOptions after(@Nullable FailureKind kind) {
        if (kind == null) {
            return options;
        }
        if (kind.isUntouched()) {
            return Boolean.TRUE.equals(options.idempotent()) ? options : options.idempotent(true);
        }
        return kind.isPassing() || Boolean.FALSE.equals(options.replayable()) ? options : options.replayable(false);
    }

    /** {@return whether the request takes nothing but itself, as far as is known} */
    private boolean isPlain() {
        return options.estimate() == null
                && options.profile() == null
                && options.cost().equals(Cost.ONE);
    }

    private int failures() {
        List<KeyPermit> more = others;
        return own.failures()
                + (more == null
                        ? 0
                        : more.stream().mapToInt(KeyPermit::failures).sum());
    }

    // ---- attempts

    /**
     * One attempt of the call, with all the requests that the client sends for it: redirects, authentication, retries
     * of its own. Each response is booked on the key of its sender, and the last one decides whether there is another
     * attempt.
     *
     * <p>The first request is the call's own: it uses the permit that was waited for, even if the client sends it to
     * another URL than the user's, and so do later requests to that URL. Each further one to another key is charged
     * there and never held back.
     *
     * <p>One thread at a time uses an attempt.
     */
    public final class Attempt {

        private int hops;
        /** The key of the URL that the first request was sent to. */
        private @Nullable String firstKey;

        private volatile @Nullable Hop last;
        private volatile @Nullable Hop answered;
        private volatile @Nullable KeyPermit refusedBy;
        /** What the last request ended with, if there is to be another attempt; null if that was an answer. */
        private volatile @Nullable Throwable endedWith;

        private Attempt() {}

        /**
         * Begins a request, which goes out now.
         *
         * @param key the key of its URL; null if that is not throttled
         * @return null if it is not throttled, or part of a request that another observer has begun
         * @throws RuntimeException if the throttle of the key cannot be made, or can never grant the call's cost;
         *     nothing has begun then, and nothing should be sent
         */
        public @Nullable Hop beginHop(@Nullable String key) {
            Hop previous = last;
            if (previous != null && previous.isUnderWay()) {
                return null;
            }
            KeyPermit permit = null;
            if (hops == 0 || Objects.equals(key, firstKey)) {
                permit = own;
            } else if (key != null) {
                permit = permitOf(key);
            }
            if (previous != null && previous.failed != null) {
                previous.fail(FailureKind.CANCELLED, null); // the client has sent it again by itself
            }
            settle();
            if (hops++ == 0) {
                firstKey = key;
            }
            Hop hop = permit == null ? null : new Hop(permit, take(permit), previous);
            last = hop;
            answered = hop;
            return hop;
        }

        /** {@return whether no request has begun yet} */
        public boolean isUnsent() {
            return hops == 0;
        }

        /** {@return the last request if its end waits for a look at its body; null otherwise} */
        public @Nullable Hop unsettled() {
            Hop hop = last;
            return hop != null && hop.unsettled != null ? hop : null;
        }

        /**
         * Ends the attempt with the response that the user would see.
         *
         * @param status its status. If it is not what the server sent, an interceptor has dealt with the answer, and it
         *     is not repeated
         * @return whether there is to be another attempt; the response is then to be dropped
         */
        public boolean end(int status) {
            settle();
            Hop hop = last;
            return conclude(hop != null && hop.isRetry && hop.status == status ? hop.permit : null);
        }

        /**
         * Ends the attempt with a failure. If it is not what the last request ended with, an interceptor has thrown it,
         * and nothing is repeated. A client that has tried another connection by itself, in vain, adds what the request
         * ended with to its failure as suppressed.
         *
         * @param failure what the user would see
         * @return whether there is to be another attempt
         */
        public boolean end(Throwable failure) {
            settle();
            Hop hop = last;
            return conclude(hop != null && hop.isRetry && isOf(hop, failure) ? hop.permit : null);
        }

        @SuppressWarnings("ReferenceEquality") // the very exception that the request ended with, and not one like it
        private static boolean isOf(Hop hop, Throwable failure) {
            Throwable ended = hop.failure;
            return ended != null
                    && (ended == failure
                            || Arrays.stream(failure.getSuppressed()).anyMatch(other -> other == ended));
        }

        /** Ends the attempt, which is not repeated, whatever became of it. Without effect if it has ended. */
        public void abandon() {
            settle();
            if (refusedBy == null) {
                conclude(null);
            }
        }

        /** {@return whether the attempt has ended and there is to be another} */
        public boolean isToBeRepeated() {
            return refusedBy != null;
        }

        /** {@return the failure that the next attempt is to mend; null if it is an answer, or there is none} */
        @Nullable Throwable endedWith() {
            return endedWith;
        }

        /** {@return the key that the next attempt needs a permit of, beside the call's own} */
        @Nullable KeyPermit refusedBy() {
            return refusedBy;
        }

        /** No permit outlives the attempt. */
        private void settle() {
            Hop hop = last;
            if (hop == null) {
                return;
            }
            Signal said = hop.unsettled == null ? null : hop.said;
            FailureKind failed = hop.failed;
            if (said != null) {
                hop.end(Objects.requireNonNull(hop.unsettled), said);
            } else if (failed != null) {
                hop.fail(failed, hop.failure);
            } else {
                hop.fail(FailureKind.CANCELLED, null);
            }
        }

        private boolean conclude(@Nullable KeyPermit refusing) {
            KeyedCall.this.release();
            Hop ended = last;
            if (ended != null) {
                last = null; // many calls may wait for their next attempt
            }
            boolean isRepeated = refusing != null && !KeyedCall.this.isCancelled();
            if (isRepeated) {
                refusedBy = refusing;
                endedWith = ended == null ? null : ended.failure;
                answered = null;
                KeyedCall.this.beginNextWait();
            }
            return isRepeated;
        }

        /**
         * {@return the last request, also once the attempt has ended; null if it is not throttled or to be repeated}
         */
        @Nullable Hop answered() {
            return answered;
        }

        /** One request on the wire. Of its ends the first counts. Nothing that user code throws gets out of them. */
        public final class Hop {

            private final KeyPermit permit;
            private final Permit granted;
            /** The request of the same attempt before this one, which was answered with a redirect or the like. */
            private final @Nullable Hop before;

            private volatile boolean hasEnded;
            /** Whether the throttle would send it again; the status is known then. */
            private volatile boolean isRetry;

            private volatile int status;
            private volatile @Nullable Throwable failure;
            /** The failure of a request that the client may repeat by itself. */
            private volatile @Nullable FailureKind failed;
            /** The response whose body is to be looked into. */
            private volatile @Nullable ResponseHead unsettled;

            private volatile @Nullable Signal said;
            /** Lets other calls go again that are held back while the body is looked at; null if none are. */
            private volatile @Nullable Runnable hold;

            private Hop(KeyPermit permit, Permit granted, @Nullable Hop before) {
                this.permit = permit;
                this.before = before;
                this.granted = granted;
            }

            private boolean isUnderWay() {
                return !hasEnded && unsettled == null && failed == null;
            }

            /**
             * {@return what a response says, as the throttle of this request's key understands it}
             *
             * @param head status and headers
             */
            public Signal read(ResponseHead head) {
                try {
                    return permit.read(head);
                } catch (Throwable e) {
                    FAULTS.report(e);
                    return Signal.IGNORED;
                }
            }

            /**
             * Ends the request with the head of its response.
             *
             * @param head status and headers
             */
            public void end(ResponseHead head) {
                end(head, read(head));
            }

            /**
             * Ends the request with a response that says something else than its head.
             *
             * @param head status and headers
             * @param signal what it says
             */
            public void end(ResponseHead head, Signal signal) {
                if (unsettled != null) {
                    unsettled = null;
                }
                complete(head, signal, null);
            }

            /**
             * Leaves the end to {@link #end(ResponseHead, Signal)}, when the body has been looked at. If that does not
             * happen before the next request or the end of the attempt, the head alone counts.
             *
             * @param head status and headers
             * @param signal what they say
             */
            public void endWithBody(ResponseHead head, Signal signal) {
                said = signal;
                unsettled = head;
                if (signal.hints().refusalWait() != null) {
                    holdBack(signal); // a call that comes now must not slip through while the body is looked at
                }
            }

            /** {@return the head that waits for a look at its body; null if none does} */
            public @Nullable ResponseHead head() {
                return unsettled;
            }

            /** {@return what {@link #head()} says without its body; null if none waits} */
            public @Nullable Signal said() {
                return said;
            }

            /** Holds other calls of the key back as long as a refusal demands, until the request ends. */
            private void holdBack(Signal refusal) {
                hold = callOf(permit).holdWhileUnknown(refusal);
                if (hasEnded) {
                    letGo();
                }
            }

            private void letGo() {
                Runnable held = hold;
                if (held != null) {
                    hold = null;
                    held.run();
                }
            }

            /**
             * Ends the request with a failure.
             *
             * @param kind what it says
             * @param cause what the client threw; null if the request was given up
             */
            public void fail(FailureKind kind, @Nullable Throwable cause) {
                if (complete(null, kind.signal(), kind)) {
                    failure = cause;
                }
            }

            /**
             * Ends the request with a failure, unless the client sends it again by itself, as after a connection that
             * the server had closed while it was idle. Then the request was given up, as far as the throttle knows, and
             * the next one tells how the attempt went. The server may have counted both.
             *
             * @param kind what it says
             * @param cause what the client threw
             */
            public void failUnlessRepeated(FailureKind kind, Throwable cause) {
                failure = cause;
                failed = kind;
            }

            /**
             * {@return whether it matters to the throttle of this request's key what requests cost beside their number}
             */
            boolean countsCosts() {
                return permit.countsCosts();
            }

            /**
             * Tells what the request truly took, before its end or after it. The requests of the attempt before this
             * one, which were answered with a redirect or the like, took nothing of what is named. It counts once.
             *
             * @param actual what it took; requests are not looked at
             */
            public void settle(Cost actual) {
                granted.settle(actual);
                if (before != null) {
                    before.settle(
                            actual.units().stream().reduce(Cost.NONE, (none, unit) -> none.and(unit, 0), Cost::orElse));
                }
            }

            /**
             * Tells what else the answer says about the server's limits, before its end or after it, such as a quota in
             * its body.
             *
             * @param hints what was learned
             */
            public void observe(RateHints hints) {
                granted.observe(hints);
            }

            /** Ends the request, which was not sent after all. */
            public void release() {
                if (HAS_ENDED.compareAndSet(this, false, true)) {
                    giveBack(permit, granted);
                    letGo();
                }
            }

            /** {@return whether the request has ended and the throttle would send it again} */
            public boolean isRetry() {
                return isRetry;
            }

            private boolean complete(@Nullable ResponseHead head, Signal signal, @Nullable FailureKind kind) {
                if (!HAS_ENDED.compareAndSet(this, false, true)) {
                    return false;
                }
                try {
                    if (KeyedCall.this
                            .complete(permit, granted, head, signal, kind)
                            .isRetry()) {
                        status = head == null ? 0 : head.status();
                        isRetry = true;
                    }
                } catch (Throwable e) {
                    granted.end(Signal.IGNORED); // without effect if it has ended
                    FAULTS.report(e);
                } finally {
                    letGo();
                }
                return true;
            }
        }
    }
}
