package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Fields;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call through a throttle, with all its attempts: wait for a permit, send, end the permit, and if the answer is to
 * retry, begin again. The call keeps how long it has waited and how often it was refused.
 *
 * <p>The parts of this file, in their order: how an attempt asks, how it waits, the guards, the permits, and what else
 * is told about the call.
 *
 * <p>One thread at a time uses a call; {@link #cancel} may come from any thread at any time.
 */
public final class ThrottledCall implements CallPermits {

    private static final int NO_STATUS = 0;

    private final CallState state;
    /** The engine of its key; changes when that one retires while the call asks. */
    private Engine engine;
    /** What the guards gave the attempt that waits; its permit takes them over. */
    private GuardChain.@Nullable Passes passes;
    /** The place in the queue of the attempt that waits. */
    private volatile @Nullable Waiter waiting;
    /** What the headers of its answer told of its cost. A body may tell of other units. */
    private volatile Cost toldByHeaders = Cost.NONE;

    /**
     * Makes a call.
     *
     * @param engine the engine of its key
     * @param options what the throttle has to know about it
     * @throws IllegalArgumentException if it costs more than one of the limits can ever grant
     */
    public ThrottledCall(Engine engine, CallOptions options) {
        Cost cost = Preconditions.required("options", options).cost();
        if (!engine.isObserving()) {
            engine.check(cost);
        }
        this.engine = engine;
        this.state = new CallState(options, engine.settings().overloadWaitOfThisThread());
    }

    /** The call has come, even if it asks later. Without effect if it has asked. */
    @Override
    public void arrive() {
        state.arrive(engine.now());
    }

    /**
     * Tells the route of its request. Before the call asks.
     *
     * @param route finds it out if it matters
     */
    @Override
    public void route(CallRoute route) {
        state.route(route);
    }

    // ---- an attempt asks

    /**
     * Waits for the permit of the next attempt on the calling thread.
     *
     * @return the permit
     * @throws ThrottleRejectedException if the wait would be longer than the call may wait; at once, where that is
     *     known
     * @throws InterruptedException if the thread is or gets interrupted; no permit is taken
     * @throws CancellationException if the call is or gets cancelled
     */
    @Override
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        if (isObserved()) {
            return acquireObserved();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the throttle");
        }
        Waiter waiter = tryEnterFast(begin()) ? null : queue(null);
        return waiter == null ? passGuards() : await(waiter);
    }

    /**
     * Asks for the permit of the next attempt without blocking.
     *
     * @return completes with the permit, or with {@link ThrottleRejectedException}, on the throttle's executor if not
     *     already completed; cancelling it gives up the place in the queue
     */
    public CompletableFuture<Permit> acquireAsync() {
        return acquireAsync(false);
    }

    /**
     * Asks for the permit of the next attempt as {@link #acquireAsync()} does.
     *
     * @param isBounded whether it also waits while as many requests are in flight as asynchronous calls may have
     * @return the same
     */
    @Override
    public CompletableFuture<Permit> acquireAsync(boolean isBounded) {
        try {
            if (isObserved()) {
                return CompletableFuture.completedFuture(acquireObserved());
            }
            if (isBounded ? tryEnterFastAsync(begin()) : tryEnterFast(begin())) {
                return CompletableFuture.completedFuture(passGuards());
            }
            captureContext();
            Pending pending = new Pending(isBounded);
            Waiter waiter = queue(pending);
            return waiter == null ? CompletableFuture.completedFuture(passGuards()) : pending;
        } catch (ThrottleRejectedException | CancellationException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** {@return the permit of the next attempt if it may go at once; null if not} */
    public @Nullable Permit tryAcquire() {
        try {
            if (isObserved()) {
                return acquireObserved();
            }
            boolean isAdmitted = tryEnterFast(begin()) || engine.tryEnter(state);
            while (!isAdmitted && engine.isRetired()) {
                engine = engine.successor();
                isAdmitted = engine.tryEnter(state);
            }
            if (isAdmitted) {
                return passGuards();
            }
            leaveGuards();
            return null;
        } catch (ThrottleRejectedException e) {
            return null;
        }
    }

    /**
     * Asks for the permit of the next attempt of a call of a pool, which may also go elsewhere. It takes no place in
     * the queue, and what keeps it from going counts as no rejection.
     *
     * @param isBounded whether it may not go while as many requests are in flight as asynchronous calls may have
     * @param waiting how many calls wait in the line of the pool
     * @param whenChanged if it may not go, this is run once, when it may be worth asking again before the wait is over
     * @return the permit, or what it has to wait for
     */
    Offer offer(boolean isBounded, int waiting, Runnable whenChanged) {
        if (isObserved()) {
            return Offer.of(acquireForced()); // which goes back if the call is cancelled
        }
        long now = engine.now();
        state.ask(now);
        if (!engine.isUnbounded(now) && engine.isTooLarge(state)) {
            return Offer.TOO_LARGE;
        }
        if (!state.isRetry()
                && engine.isUnguarded()
                && (isBounded ? engine.tryEnterFastAsync(now) : engine.tryEnterFast(now))) {
            state.admitted(0, now);
            return Offer.of(new AttemptPermit());
        }
        GuardChain.Passes entered =
                engine.isUnguarded() ? null : engine.guards().enter();
        AdmissionGuard refusing = entered == null ? null : entered.refusedBy();
        if (refusing != null) {
            return refusedBy(refusing);
        }
        passes = entered;
        Offer offer;
        try {
            offer = engine.offer(state, isBounded, waiting, whenChanged);
            while (offer == null) {
                engine = engine.successor();
                offer = engine.offer(state, isBounded, waiting, whenChanged);
            }
        } catch (RuntimeException | Error e) { // of the user's code
            leaveGuards();
            throw e;
        }
        if (!state.isAdmitted()) {
            leaveGuards();
            return offer;
        }
        refusing = entered == null ? null : entered.admit();
        Permit permit = new AttemptPermit();
        if (refusing != null) {
            permit.release();
            return refusedBy(refusing);
        }
        return Offer.of(permit);
    }

    private Offer refusedBy(AdmissionGuard guard) {
        Wait wait = engine.guards().describe(guard);
        return Offer.waits(wait.isOver() ? new Wait(Wait.UNTIL_SIGNAL, wait.reason()) : wait);
    }

    /** {@return the engine that it asks now} */
    Engine engine() {
        return engine;
    }

    /**
     * {@return the permit of the first attempt if the engine admits it without its lock and no guard has to be asked;
     * null if not, and then the call has not asked yet}
     */
    public @Nullable Permit tryAcquireFast() {
        return tryAcquireFast(false);
    }

    /**
     * Takes the permit of the first attempt as {@link #tryAcquireFast()} does.
     *
     * @param isBounded whether it may not go while as many requests are in flight as asynchronous calls may have
     * @return the same
     */
    @Override
    public @Nullable Permit tryAcquireFast(boolean isBounded) {
        if (isObserved()) {
            return state.isCancelled() ? null : acquireObserved();
        }
        long now = engine.now();
        if (state.isRetry() || !engine.isUnguarded() || !engine.isUnbounded(now)) {
            return null;
        }
        if (!(isBounded ? engine.tryEnterFastAsync(now) : engine.tryEnterFast(now))) {
            return null;
        }
        state.ask(now);
        state.admitted(0, now);
        return new AttemptPermit();
    }

    /**
     * Takes a permit for an attempt that goes out whether or not the throttle would let it, as when an HTTP client
     * follows a redirect or repeats a request by itself. It counts like any other, but never waits.
     *
     * @return the permit, which must be ended
     */
    @Override
    public Permit acquireForced() {
        while (!engine.enterForced(state)) {
            engine = engine.successor();
        }
        return new AttemptPermit();
    }

    @Override
    public boolean isObserved() {
        while (engine.isObserving() && engine.isRetired()) {
            engine = engine.successor(); // which may enforce by now
        }
        return engine.isObserving();
    }

    private Permit acquireObserved() {
        if (state.isCancelled()) {
            throw cancellation();
        }
        return acquireForced();
    }

    /** The next attempt asks; {@return the time} */
    private long begin() throws ThrottleRejectedException {
        if (state.isCancelled()) {
            throw cancellation();
        }
        long now = engine.now();
        state.ask(now);
        engine.checkSize(state);
        enterGuards();
        return now;
    }

    private boolean tryEnterFast(long now) {
        return enteredFast(!state.isRetry() && engine.tryEnterFast(now), now);
    }

    private boolean tryEnterFastAsync(long now) {
        return enteredFast(!state.isRetry() && engine.tryEnterFastAsync(now), now);
    }

    private boolean enteredFast(boolean isAdmitted, long now) {
        if (isAdmitted) {
            state.admitted(0, now);
            giveUpIfCancelled();
        }
        return isAdmitted;
    }

    /**
     * Asks under the lock of the engine.
     *
     * @param pending whom to tell; null if the calling thread waits
     * @return the place in the queue; null if it was admitted
     */
    private @Nullable Waiter queue(@Nullable Pending pending) throws ThrottleRejectedException {
        Waiter waiter;
        try {
            waiter = engine.enter(state, pending);
            while (waiter == null && !state.isAdmitted()) {
                engine = engine.successor();
                waiter = engine.enter(state, pending);
            }
        } catch (ThrottleRejectedException e) {
            leaveGuards();
            throw e;
        }
        if (waiter == null) {
            giveUpIfCancelled();
            return null;
        }
        if (pending != null) {
            pending.waitsAt(waiter);
        }
        waiting = waiter;
        if (state.isCancelled()) { // by a thread that has found no place to leave yet
            if (pending == null) {
                leave(waiter);
                throw cancellation();
            }
            pending.giveUp();
        }
        return waiter;
    }

    /** The call may have been cancelled while there was nothing to leave yet. */
    private void giveUpIfCancelled() {
        if (state.isCancelled()) {
            new AttemptPermit().release();
            throw cancellation();
        }
    }

    // ---- an attempt waits

    private Permit await(Waiter waiter) throws InterruptedException, ThrottleRejectedException {
        while (waiter.place == Place.QUEUED) {
            if (Thread.interrupted()) {
                leave(waiter);
                throw new InterruptedException("interrupted while waiting for the throttle");
            }
            try {
                engine.park(waiter);
            } catch (Throwable e) { // of a time source
                leave(waiter);
                throw e;
            }
        }
        waiting = null;
        if (waiter.place == Place.CANCELLED) {
            throw cancellation();
        }
        return settle(waiter);
    }

    /** {@return the permit of a caller that was let go} */
    private Permit settle(Waiter waiter) throws ThrottleRejectedException {
        try {
            if (waiter.place == Place.REJECTED) {
                leaveGuards();
                throw engine.rejections()
                        .reject(
                                state,
                                new Refusal(
                                        waiter.waitNanos,
                                        waiter.boundNanos(),
                                        waiter.reason,
                                        waiter.bound(),
                                        waiter.quota));
            }
            Permit permit = passGuards();
            engine.tellWaited(waiter);
            waiter.tellEnd(waiter.reason, waiter.waitNanos, null);
            return permit;
        } catch (ThrottleRejectedException e) {
            waiter.tellEnd(waiter.reason, engine.now() - waiter.arrivedAt, e);
            throw e;
        }
    }

    /** The caller gives up, whether it is in the queue or was let go already. */
    private void leave(Waiter waiter) {
        if (!withdraw(waiter)) {
            giveBack(waiter);
        }
    }

    /** Takes a caller out of the queue that gives up; {@return false if it has left already} */
    private boolean withdraw(Waiter waiter) {
        boolean left = engine.withdraw(waiter);
        if (left) {
            leaveGuards();
            tellGivenUp(waiter);
        }
        return left;
    }

    /** The caller has left the queue, and does not want what it waited for any more. */
    private void giveBack(Waiter waiter) {
        tellGivenUp(waiter);
        if (waiter.place == Place.GRANTED) {
            new AttemptPermit().release();
        } else if (waiter.place == Place.REJECTED) {
            leaveGuards();
        }
    }

    private void tellGivenUp(Waiter waiter) {
        waiter.tellEnd(waiter.reason, engine.now() - waiter.arrivedAt, cancellation());
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }

    /**
     * Gives the call up: a wait ends at once with {@link CancellationException} and its place goes to the next. A
     * permit already granted is not touched. Never blocks.
     */
    @Override
    public void cancel() {
        state.cancel();
        Waiter place = waiting;
        if (place != null && !place.giveUpAsynchronous()) {
            withdraw(place);
        }
    }

    /** The future of an attempt that waits. */
    private final class Pending extends PendingPermit {

        private final boolean isBounded;

        private Pending(boolean isBounded) {
            this.isBounded = isBounded;
        }

        @Override
        public boolean isBounded() {
            return isBounded;
        }

        @Override
        void execute(Runnable task) {
            engine.settings().executor().execute(() -> CallContext.run(context(), task));
        }

        @Override
        void executeAside(Runnable task) {
            CallbackPool.shared().execute(() -> CallContext.run(context(), task));
        }

        @Override
        Permit settle(Waiter settled) throws ThrottleRejectedException {
            return ThrottledCall.this.settle(settled);
        }

        @Override
        boolean withdraw(Waiter place) {
            return ThrottledCall.this.withdraw(place);
        }

        @Override
        void giveBack(Waiter place) {
            ThrottledCall.this.giveBack(place);
        }
    }

    // ---- guards

    private void enterGuards() throws ThrottleRejectedException {
        if (!engine.isUnguarded()) {
            GuardChain.Passes entered = engine.guards().enter();
            AdmissionGuard guard = entered.refusedBy();
            if (guard != null) {
                throw engine.rejections().byGuard(state, engine.guards().describe(guard));
            }
            passes = entered;
        }
    }

    private void leaveGuards() {
        GuardChain.Passes left = takePasses();
        if (left != null) {
            left.leave();
        }
    }

    private GuardChain.@Nullable Passes takePasses() {
        GuardChain.Passes taken = passes;
        passes = null;
        return taken;
    }

    /** {@return the permit of an attempt that was admitted, unless a guard refuses it at the last moment} */
    private Permit passGuards() throws ThrottleRejectedException {
        if (passes != null && engine.isObserving()) { // since it began to wait
            leaveGuards();
        }
        AdmissionGuard guard = passes == null ? null : passes.admit();
        Permit permit = new AttemptPermit();
        if (guard != null) {
            permit.release();
            throw engine.rejections().byGuard(state, engine.guards().describe(guard));
        }
        return permit;
    }

    // ---- permits

    /** The permit of the attempt that was admitted last. */
    final class AttemptPermit implements Permit {

        private static final VarHandle MARKS =
                Fields.handle(MethodHandles.lookup(), AttemptPermit.class, "marks", int.class);
        private static final int SETTLED = 1;
        private static final int ENDED = 2;

        /** The engine that has admitted it; the call may have gone on to its successor. */
        private final Engine admitter = engine;
        /** Identifies the attempt to controllers; 0 if they were not told of it. */
        private final long id = state.permitId();

        private final long admittedAt = state.admittedAt();
        private final GuardChain.@Nullable Passes guards = takePasses();

        /** What the request takes; once it is settled, what it truly took. */
        private volatile Cost cost = state.cost();
        /** {@link #SETTLED} and {@link #ENDED}, each once it is true. */
        private volatile int marks;

        @Override
        public RetryDecision complete(ResponseHead response) {
            int status = Preconditions.required("response", response).status();
            return complete(admitter.signalOf(response), status);
        }

        @Override
        public RetryDecision complete(ResponseHead response, Signal signal) {
            Preconditions.required("response", response);
            return complete(Preconditions.required("signal", signal), response.status());
        }

        @Override
        public RetryDecision complete(Signal signal) {
            return complete(Preconditions.required("signal", signal), NO_STATUS);
        }

        private RetryDecision complete(Signal signal, int status) {
            return complete(signal, status, false);
        }

        /**
         * Ends the permit of a call of a pool.
         *
         * @param mayGoElsewhere whether the request can be sent to another throttle
         */
        RetryDecision complete(Signal signal, int status, boolean mayGoElsewhere) {
            Cost taken = tryEnd();
            if (taken == null) {
                throw new IllegalStateException("this permit has already ended; a permit ends exactly once");
            }
            tellGuards(signal);
            Outcome outcome = signal.outcome();
            if (outcome.isRefusal() || outcome.isFault() || outcome == Outcome.DENIED) {
                return admitter.fail(state, signal, status, id, taken, admittedAt, mayGoElsewhere);
            }
            finish(signal, taken);
            return outcome == Outcome.CANCELLED ? StopReason.CANCELLED.decision() : StopReason.ANSWERED.decision();
        }

        @Override
        public void end(Signal signal) {
            Preconditions.required("signal", signal);
            Cost taken = tryEnd();
            if (taken != null) {
                tellGuards(signal);
                finish(signal, taken);
            }
        }

        private void finish(Signal signal, Cost taken) {
            state.answered();
            admitter.end(state, counted(signal), id, taken, admittedAt);
            Cost told = signal.hints().cost();
            boolean isNews = told != null && (!told.isRequestsOnly() || told.requests() != taken.requests());
            if (told != null && isNews && signal.outcome() == Outcome.SUCCESS && (marks & SETTLED) == 0) {
                book(told);
                toldByHeaders = told;
            }
        }

        @Override
        public void release() {
            Cost taken = tryEnd();
            if (taken != null) {
                if (guards != null) {
                    guards.leave();
                }
                state.gaveBack();
                admitter.end(state, counted(Signal.IGNORED), id, taken, admittedAt);
            }
        }

        @Override
        public void settle(Cost told) {
            Preconditions.required("actual", told);
            if (!mark(SETTLED)) {
                return;
            }
            book(told.without(toldByHeaders).and(Quota.REQUESTS, cost.requests()));
        }

        private void book(Cost told) {
            Cost actual = admitter.policy().weighted(told);
            Cost admitted = cost;
            cost = admitted.without(actual).orElse(actual);
            admitter.settle(options(), id, id == 0 ? Cost.NONE : admitted, actual, admittedAt);
        }

        @Override
        public void observe(RateHints hints) {
            if (!Preconditions.required("hints", hints).isEmpty()) {
                admitter.observe(Signal.of(Outcome.SUCCESS, hints), id, cost, admittedAt);
            }
        }

        @Override
        public Permit acquireAgain() throws InterruptedException, ThrottleRejectedException {
            checkEnded();
            return acquire();
        }

        @Override
        public CompletableFuture<Permit> acquireAgainAsync() {
            checkEnded();
            return acquireAsync();
        }

        private void checkEnded() {
            if ((marks & ENDED) == 0) {
                throw new IllegalStateException("this permit has not ended: its attempt is still under way");
            }
        }

        /** {@return what the request takes; null if the permit has ended already} */
        private @Nullable Cost tryEnd() {
            return mark(ENDED) ? cost : null;
        }

        /** {@return whether it did not bear the mark yet, which it does from now on} */
        private boolean mark(int mark) {
            return ((int) MARKS.getAndBitwiseOr(this, mark) & mark) == 0;
        }

        /** A settled request is one that the server has counted; one that it never counted is settled by that. */
        private Signal counted(Signal signal) {
            boolean wasSettled = signal.outcome() == Outcome.IGNORED && !mark(SETTLED);
            return wasSettled ? Signal.CANCELLED : signal;
        }

        private void tellGuards(Signal signal) {
            if (guards != null) {
                guards.end(signal, Duration.ofNanos(admitter.now() - admittedAt));
            }
        }
    }

    // ---- what else is told about the call

    /** Keeps the context of this thread, the caller's, if the throttle keeps any and the call has none. */
    @Override
    public void captureContext() {
        if (state.context() == null) {
            state.context(engine.captureContext());
        }
    }

    /**
     * Takes the context of another call over.
     *
     * @param caller the context; null for none
     */
    @Override
    public void context(@Nullable CallContext caller) {
        state.context(caller);
    }

    /** {@return the context of the caller; null if none was kept} */
    @Override
    public @Nullable CallContext context() {
        return state.context();
    }

    /** {@return when the attempt was let go that was let go last} */
    @Override
    public long admittedAt() {
        return state.admittedAt();
    }

    /** {@return the id of the attempt that was let go last; 0 if no controller was told of it} */
    public long permitId() {
        return state.permitId();
    }

    /** {@return what the attempt takes that asked last} */
    public Cost cost() {
        return state.cost();
    }

    /** {@return how many attempts were let go so far} */
    public int attempts() {
        return state.attempts();
    }

    @Override
    public long maxWaitNanos() {
        return engine.policy().maxWaitNanos();
    }

    /** {@return how long the call has waited in total so far} */
    @Override
    public Duration waited() {
        return Duration.ofNanos(state.waitedNanos());
    }

    /**
     * {@return how long the wait under way has lasted, also while its permit was given back; zero if none has begun}
     */
    @Override
    public Duration waiting() {
        return Duration.ofNanos(state.waitingNanos(engine.now()));
    }

    /**
     * {@return whether the last attempt was refused for longer than the call may wait} It is then turned away when it
     * asks again, like all other calls of the key, so that its caller gets the same exception as theirs.
     */
    @Override
    public boolean isTurnedAway() {
        return state.isTurnedAway();
    }

    /** {@return the time that the throttle lives by} */
    @Override
    public TimeSource time() {
        return engine.time();
    }

    /** {@return whether it matters to its engine what requests cost beside their number, as far as that is known} */
    @Override
    public boolean countsCosts() {
        return engine.countsCosts();
    }

    /**
     * {@return what a response says} Nothing is learned from it.
     *
     * @param response status and headers
     */
    @Override
    public Signal read(ResponseHead response) {
        return engine.signalOf(response);
    }

    /** {@return what the throttle was told about this call} */
    public CallOptions options() {
        return state.options();
    }

    /**
     * Corrects what the throttle was told, from the next decision and the next wait on. Not while the call waits.
     *
     * @param revised the new options, with the same cost
     */
    @Override
    public void updateOptions(CallOptions revised) {
        Cost cost = options().cost();
        Preconditions.check(revised.cost().equals(cost), "cost", revised.cost(), "unchanged, " + cost);
        state.options(revised);
    }

    /**
     * Turns the call away for a reason that the throttle does not know, such as a client that had no connection for it.
     * Counted and told like the throttle's own rejections. Not while the call waits.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    @Override
    public ThrottleRejectedException reject(String reason) {
        return engine.rejections().reject(state, reason);
    }

    /**
     * Keeps all calls of this key waiting until it is known whether this key refused: as long as the signal demands, or
     * for a second if it names no time, up to a day. Shown like a wait that the server named.
     *
     * @param signal a refusal
     * @return lifts the hold; to be run once what the sender said was learned, or the attempt has failed. May be run
     *     more than once, by any thread
     */
    @Override
    public Runnable holdWhileUnknown(Signal signal) {
        return engine.hold(Preconditions.required("signal", signal));
    }
}
