package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call as an engine knows it. It asks the guards and the queue for the permit of each attempt, on its thread or as
 * a future, and keeps what became of the attempts. One thread at a time uses it; {@link #cancel} may come from any
 * thread at any time.
 *
 * @param <P> a permit. A permit knows its call, as it can ask again; so the call does not know the type of its permits
 */
public class Acquisition<P> {

    /** Makes permits, and gives back those that no caller takes. */
    public interface Permits<P> {

        P permit(Acquisition<P> call, long admittedAt);

        void release(P permit);
    }

    private final CallState state;
    /** The engine of its key; changes when that one retires while the call asks. */
    private Engine engine;

    private final Permits<P> permits;
    /** What the guards gave the attempt that waits; its permit takes them over. */
    private GuardChain.@Nullable Passes passes;
    /** The place in the queue of the attempt that waits. */
    private volatile @Nullable Waiter waiting;

    public Acquisition(Engine engine, CallOptions options, long arrivedAt, Permits<P> permits) {
        engine.check(Preconditions.required("options", options).cost());
        this.engine = engine;
        this.state = new CallState(options, arrivedAt);
        this.permits = permits;
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
    public final P acquire() throws InterruptedException, ThrottleRejectedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the throttle");
        }
        Waiter waiter = enter(null);
        return waiter == null ? past(state.admittedAt()) : await(waiter);
    }

    /**
     * Asks for the permit of the next attempt without blocking.
     *
     * @return completes with the permit, or with {@link ThrottleRejectedException}, on the throttle's executor if not
     *     already completed; cancelling it gives up the place in the queue
     */
    public final CompletableFuture<P> acquireAsync() {
        try {
            long now = begin();
            if (tryEnterFast(now)) {
                return CompletableFuture.completedFuture(past(now));
            }
            captureContext();
            PendingPermit<P> pending = new PendingPermit<>(new Pending());
            Waiter waiter = queue(pending);
            if (waiter == null) {
                return CompletableFuture.completedFuture(past(state.admittedAt()));
            }
            pending.waitsAt(waiter);
            waiting = waiter;
            if (state.isCancelled()) {
                pending.cancel(false);
            }
            return pending;
        } catch (ThrottleRejectedException | CancellationException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** {@return the permit of the next attempt if it may go at once; null if not} */
    public final @Nullable P tryAcquire() {
        try {
            if (tryEnterFast(begin())) {
                return past(state.admittedAt());
            }
            boolean isAdmitted = engine.tryEnter(state);
            while (!isAdmitted && engine.isRetired()) {
                engine = engine.successor();
                isAdmitted = engine.tryEnter(state);
            }
            if (!isAdmitted) {
                leaveGuards();
                return null;
            }
            return past(state.admittedAt());
        } catch (ThrottleRejectedException e) {
            return null;
        }
    }

    /**
     * {@return the permit of the first attempt if the engine admits it without its lock and no guard has to be asked;
     * null if not, and then the call has not asked yet}
     */
    public final @Nullable P tryAcquireFast() {
        long now = engine.now();
        if (state.isRetry() || !engine.isUnguarded() || !engine.tryEnterFast(now)) {
            return null;
        }
        state.ask(now);
        state.admitted(0, now);
        return permits.permit(this, now);
    }

    /**
     * Takes a permit for an attempt that goes out whether or not the throttle would let it, as when an HTTP client
     * follows a redirect or repeats a request by itself. It counts like any other, but never waits.
     *
     * @return the permit, which must be ended
     */
    public final P acquireForced() {
        Long admittedAt = engine.acquireForced(state);
        while (admittedAt == null) {
            engine = engine.successor();
            admittedAt = engine.acquireForced(state);
        }
        return permits.permit(this, admittedAt);
    }

    private @Nullable Waiter enter(Waiter.@Nullable Settlement settlement) throws ThrottleRejectedException {
        long now = begin();
        if (tryEnterFast(now)) {
            return null;
        }
        Waiter waiter = queue(settlement);
        if (waiter != null) {
            waiting = waiter;
            if (state.isCancelled()) {
                leaveNow(waiter);
                throw cancellation();
            }
        }
        return waiter;
    }

    /** The next attempt asks; {@return the time} */
    private long begin() throws ThrottleRejectedException {
        if (state.isCancelled()) {
            throw cancellation();
        }
        long now = engine.now();
        state.ask(now);
        enterGuards();
        return now;
    }

    private boolean tryEnterFast(long now) {
        boolean admitted = !state.isRetry() && engine.tryEnterFast(now);
        if (admitted) {
            state.admitted(0, now);
            giveUpIfCancelled();
        }
        return admitted;
    }

    /** {@return the place in the queue; null if it was admitted} */
    private @Nullable Waiter queue(Waiter.@Nullable Settlement settlement) throws ThrottleRejectedException {
        try {
            Waiter waiter = engine.enter(state, settlement);
            while (waiter == null && !state.isAdmitted()) {
                engine = engine.successor();
                waiter = engine.enter(state, settlement);
            }
            if (waiter == null) {
                giveUpIfCancelled();
            }
            return waiter;
        } catch (ThrottleRejectedException e) {
            leaveGuards();
            throw e;
        }
    }

    /** The call may have been cancelled while there was nothing to leave yet. */
    private void giveUpIfCancelled() {
        if (state.isCancelled()) {
            permits.release(permits.permit(this, state.admittedAt()));
            throw cancellation();
        }
    }

    private P await(Waiter waiter) throws InterruptedException, ThrottleRejectedException {
        while (waiter.place == Place.QUEUED) {
            if (Thread.interrupted()) {
                leaveNow(waiter);
                throw new InterruptedException("interrupted while waiting for the throttle");
            }
            engine.park(waiter);
        }
        waiting = null;
        if (waiter.place == Place.CANCELLED) {
            throw new CancellationException("the call was cancelled while it waited");
        }
        return settle(waiter);
    }

    /** {@return the permit of a caller that was let go} */
    private P settle(Waiter waiter) throws ThrottleRejectedException {
        try {
            if (waiter.place == Place.REJECTED) {
                leaveGuards();
                throw engine.rejections()
                        .reject(state, new Refusal(waiter.waitNanos, waiter.boundNanos(), waiter.reason, false));
            }
            P permit = past(state.admittedAt());
            engine.tellWaited(waiter);
            waiter.tellEnd(waiter.reason, waiter.waitNanos, null);
            return permit;
        } catch (ThrottleRejectedException e) {
            waiter.tellEnd(waiter.reason, engine.now() - waiter.arrivedAt, e);
            throw e;
        }
    }

    private boolean withdraw(Waiter waiter) {
        boolean left = engine.withdraw(waiter);
        if (left) {
            leaveGuards();
            tellGivenUp(waiter);
        }
        return left;
    }

    private void leaveNow(Waiter waiter) {
        if (!withdraw(waiter)) {
            giveBack(waiter);
        }
    }

    /** The caller does not want what it waited for any more. */
    private void giveBack(Waiter waiter) {
        tellGivenUp(waiter);
        if (waiter.place == Place.GRANTED) {
            permits.release(permits.permit(this, state.admittedAt()));
        } else if (waiter.place == Place.REJECTED) {
            leaveGuards();
        }
    }

    private void tellGivenUp(Waiter waiter) {
        waiter.tellEnd(waiter.reason, engine.now() - waiter.arrivedAt, cancellation());
    }

    /** What stands behind the future of an attempt that waits. */
    private final class Pending implements PendingPermit.Source<P> {

        @Override
        public void execute(Runnable task) {
            CallContext caller = context();
            engine.settings().executor().execute(caller == null ? task : () -> CallContext.run(caller, task));
        }

        @Override
        public void executeAside(Runnable task) {
            CallContext caller = context();
            CallbackPool.shared().execute(caller == null ? task : () -> CallContext.run(caller, task));
        }

        @Override
        public P settle(Waiter waiter) throws ThrottleRejectedException {
            return Acquisition.this.settle(waiter);
        }

        @Override
        public void release(P permit) {
            permits.release(permit);
        }

        @Override
        public boolean withdraw(Waiter waiter) {
            return Acquisition.this.withdraw(waiter);
        }

        @Override
        public void giveBack(Waiter waiter) {
            Acquisition.this.giveBack(waiter);
        }
    }

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

    /** {@return what the guards gave the attempt that was let go; its permit is to end them} */
    public final GuardChain.@Nullable Passes takePasses() {
        GuardChain.Passes taken = passes;
        passes = null;
        return taken;
    }

    /** {@return a permit, unless a guard refuses it at the last moment} */
    private P past(long admittedAt) throws ThrottleRejectedException {
        AdmissionGuard guard = passes == null ? null : passes.admit();
        P permit = permits.permit(this, admittedAt);
        if (guard != null) {
            permits.release(permit);
            throw engine.rejections().byGuard(state, engine.guards().describe(guard));
        }
        return permit;
    }

    /**
     * Gives the call up: a wait ends at once with {@link CancellationException} and its place goes to the next. A
     * permit already granted is not touched. Never blocks.
     */
    public final void cancel() {
        state.cancel();
        Waiter place = waiting;
        if (place != null && !place.giveUpAsynchronous()) {
            withdraw(place);
        }
    }

    /** Keeps the context of this thread, the caller's, if the throttle keeps any and the call has none. */
    public final void captureContext() {
        if (state.context() == null) {
            state.context(engine.captureContext());
        }
    }

    /**
     * Takes the context of another call over.
     *
     * @param caller the context; null for none
     */
    public final void context(@Nullable CallContext caller) {
        state.context(caller);
    }

    /** {@return the context of the caller; null if none was kept} */
    public final @Nullable CallContext context() {
        return state.context();
    }

    /** {@return the engine of its key} */
    public final Engine engine() {
        return engine;
    }

    /** {@return whether the call was given up} */
    public final boolean isCancelled() {
        return state.isCancelled();
    }

    /** {@return how many attempts were let go so far} */
    public final int attempts() {
        return state.attempts();
    }

    /** {@return how long the call has waited in total so far} */
    public final Duration waited() {
        return Duration.ofNanos(state.waitedNanos());
    }

    /**
     * {@return how long the wait under way has lasted, also while its permit was given back; zero if none has begun}
     */
    public final Duration waiting() {
        return Duration.ofNanos(state.waitingNanos(engine.now()));
    }

    /**
     * Turns the call away for a reason that the throttle does not know, such as a client that had no connection for it.
     * Counted and told like the throttle's own rejections. Not while the call waits.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    public final ThrottleRejectedException reject(String reason) {
        return engine.rejections().reject(state, reason);
    }

    /** {@return whether it matters to its engine what requests cost beside their number, as far as that is known} */
    public final boolean countsCosts() {
        return engine.countsCosts();
    }

    /** {@return what the attempt takes that asked last} */
    public final Cost cost() {
        return state.cost();
    }

    /** {@return the id of the attempt that was let go last; 0 if no controller was told of it} */
    public final long permitId() {
        return state.permitId();
    }

    /** {@return what the throttle was told about this call} */
    public final CallOptions options() {
        return state.options();
    }

    /**
     * Corrects what the throttle was told, from the next decision and the next wait on. Not while the call waits.
     *
     * @param revised the new options, with the same cost
     */
    public final void updateOptions(CallOptions revised) {
        Cost cost = options().cost();
        Preconditions.check(revised.cost().equals(cost), "cost", revised.cost(), "unchanged, " + cost);
        state.options(revised);
    }

    /** {@return the time that the throttle lives by} */
    public final TimeSource time() {
        return engine.time();
    }

    /**
     * Keeps all calls of this key waiting until it is known whether this key refused: as long as the signal demands, or
     * for a second if it names no time, up to a day. Shown like a wait that the server named.
     *
     * @param signal a refusal
     * @return lifts the hold; to be run once what the sender said was learned, or the attempt has failed. May be run
     *     more than once, by any thread
     */
    public final Runnable holdWhileUnknown(Signal signal) {
        return engine.hold(Preconditions.required("signal", signal));
    }

    /** The permit of an attempt goes back unsent. */
    public final void gaveBack() {
        state.gaveBack();
    }

    /** An attempt has ended that is not to be repeated. */
    public final void answered() {
        state.answered();
    }

    /** An attempt was refused or failed; {@return what becomes of its request} */
    public final RetryDecision failed(Signal signal, int status, long permitId, Cost cost, long admittedAt) {
        return engine.fail(state, signal, status, permitId, cost, admittedAt);
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }
}
