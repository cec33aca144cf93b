package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Causes;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One call of a pool, with all its attempts, each of which may go to another member. */
public final class PoolCall implements CallPermits {

    private final PoolLine line;
    private final MemberCalls calls;
    private volatile @Nullable PoolWaiter waiting;

    /**
     * Makes a call.
     *
     * @param line the line of the pool
     * @param options what the members have to know about it
     */
    public PoolCall(PoolLine line, CallOptions options) {
        this.line = line;
        this.calls = new MemberCalls(line.members(), options);
    }

    /** {@return the key of the member that the last attempt went to, as the user wrote it} */
    public String member() {
        return line.members().get(calls.current()).key();
    }

    private ThrottledCall current() {
        return calls.of(calls.current());
    }

    /** {@return the engine of the member of the last attempt} Asking it makes no call there, and any thread may. */
    private Engine engine() {
        return line.members().get(calls.current()).engine();
    }

    private long now() {
        return line.time().nanoTime();
    }

    // ---- an attempt asks

    @Override
    public Permit acquire() throws InterruptedException, ThrottleRejectedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the pool");
        }
        PoolWaiter waiter = enter(false, Thread.currentThread());
        while (!waiter.isDone()) {
            if (Thread.interrupted()) {
                if (!waiter.giveUp()) { // its permit is there, or on its way
                    CompletableFuture<?> unused = waiter.thenAccept(Permit::release);
                }
                waiting = null;
                throw new InterruptedException("interrupted while waiting for the pool");
            }
            line.park(waiter);
        }
        waiting = null;
        try {
            return waiter.join();
        } catch (CompletionException | CancellationException e) {
            Throwable failure = Causes.unwrap(e);
            if (failure instanceof ThrottleRejectedException rejection) {
                throw rejection;
            } else if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof RuntimeException mistake && !(mistake instanceof CancellationException)) {
                throw mistake;
            }
            throw cancellation();
        }
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(boolean isBounded) {
        try {
            captureContext();
            return enter(isBounded, null);
        } catch (CancellationException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private PoolWaiter enter(boolean isBounded, @Nullable Thread thread) {
        if (calls.isCancelled()) {
            throw cancellation();
        }
        calls.beginWait(now());
        PoolWaiter waiter = line.newWaiter(calls, isBounded, thread, this::permit);
        waiting = waiter;
        line.enter(waiter);
        if (calls.isCancelled()) { // by a thread that has found nothing to leave yet
            waiter.giveUp();
        }
        return waiter;
    }

    @Override
    public @Nullable Permit tryAcquireFast(boolean isBounded) {
        if (calls.isCancelled() || calls.isRetry()) {
            return null;
        }
        calls.beginWait(now());
        Permit permit = line.tryNow(calls, isBounded);
        return permit == null ? null : permit(permit);
    }

    @Override
    public Permit acquireForced() {
        calls.beginWait(now());
        return permit(calls.granted(calls.current(), current().acquireForced(), now()));
    }

    @Override
    public void cancel() {
        calls.cancel();
        PoolWaiter place = waiting;
        if (place != null) {
            place.giveUp();
        }
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }

    // ---- permits

    private Permit permit(Permit ofMember) {
        return new MemberPermit(calls.current(), (ThrottledCall.AttemptPermit) ofMember);
    }

    /** The permit of an attempt at one member, whose end may lead to another one. */
    private final class MemberPermit implements Permit {

        private final int member;
        private final ThrottledCall.AttemptPermit permit;
        private volatile boolean hasEnded;

        private MemberPermit(int member, ThrottledCall.AttemptPermit permit) {
            this.member = member;
            this.permit = permit;
        }

        @Override
        public RetryDecision complete(ResponseHead response) {
            return complete(line.members().get(member).engine().signalOf(response), response.status());
        }

        @Override
        public RetryDecision complete(ResponseHead response, Signal signal) {
            return complete(signal, response.status());
        }

        @Override
        public RetryDecision complete(Signal signal) {
            return complete(signal, 0);
        }

        private RetryDecision complete(Signal signal, int status) {
            Outcome outcome = signal.outcome();
            boolean isBad = outcome.isRefusal() || outcome.isFault() || outcome == Outcome.DENIED;
            boolean mayGoElsewhere = isBad && !line.members().get(member).isObserving() && line.hasOther(calls, member);
            if (isBad) {
                calls.of(member).updateOptions(calls.optionsAt(member, line.maxWaitNanos()));
            }
            RetryDecision decision = permit.complete(signal, status, mayGoElsewhere);
            hasEnded = true;
            line.ended(member, signal);
            if (isBad) {
                calls.failed(member, now());
            }
            if (!decision.isRetry() && mayGoElsewhere && isFinalHereOnly(member, decision, outcome)) {
                calls.exclude(member);
                return RetryDecision.Retry.WHEN_ADMITTED;
            }
            return decision;
        }

        @Override
        public void end(Signal signal) {
            boolean isFirst = !hasEnded;
            hasEnded = true;
            permit.end(signal);
            if (isFirst) {
                line.ended(member, signal);
            }
        }

        @Override
        public void settle(Cost actual) {
            permit.settle(actual);
        }

        @Override
        public void observe(RateHints hints) {
            permit.observe(hints);
        }

        @Override
        public void release() {
            if (!hasEnded) {
                hasEnded = true;
                calls.gaveBack();
                line.members().get(member).isGivenBack();
            }
            permit.release();
            line.wakeUp();
        }

        @Override
        public Permit acquireAgain() throws InterruptedException, ThrottleRejectedException {
            checkEnded();
            return acquire();
        }

        @Override
        public CompletableFuture<Permit> acquireAgainAsync() {
            checkEnded();
            return acquireAsync(false);
        }

        private void checkEnded() {
            if (!hasEnded) {
                throw new IllegalStateException("this permit has not ended: its attempt is still under way");
            }
        }
    }

    /**
     * {@return whether a decision not to repeat an attempt holds for its member alone: that one denies the request,
     * which it has not processed, or has failed as often as one server may}
     */
    private boolean isFinalHereOnly(int member, RetryDecision decision, Outcome outcome) {
        if (Boolean.FALSE.equals(calls.options().replayable()) || calls.isOutOfAttempts()) {
            return false;
        }
        if (outcome == Outcome.DENIED) {
            return decision.equals(StopReason.PERMANENT.decision());
        }
        return decision.equals(StopReason.ATTEMPTS.decision())
                && line.members().get(member).repeatsFaults();
    }

    // ---- what else is told about the call

    @Override
    public void arrive() {
        calls.beginWait(now());
    }

    @Override
    public void route(CallRoute route) {
        calls.route(route);
    }

    @Override
    public void updateOptions(CallOptions revised) {
        calls.options(revised);
    }

    @Override
    public void captureContext() {
        if (calls.context() == null) {
            calls.context(line.members().get(calls.current()).captureContext());
        }
    }

    @Override
    public void context(@Nullable CallContext caller) {
        calls.context(caller);
    }

    @Override
    public @Nullable CallContext context() {
        return calls.context();
    }

    @Override
    public long maxWaitNanos() {
        return line.maxWaitNanos();
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(calls.waitedNanos());
    }

    @Override
    public Duration waiting() {
        return Duration.ofNanos(calls.waitingNanos(now()));
    }

    @Override
    public long admittedAt() {
        return calls.admittedAt();
    }

    @Override
    public boolean isTurnedAway() {
        ThrottledCall call = calls.ofIfAsked(calls.current());
        return call != null && call.isTurnedAway();
    }

    @Override
    public boolean isObserved() {
        return engine().isObserving();
    }

    @Override
    public TimeSource time() {
        return line.time();
    }

    @Override
    public boolean countsCosts() {
        return line.members().stream().anyMatch(PoolMember::countsCosts);
    }

    @Override
    public Signal read(ResponseHead response) {
        return engine().signalOf(response);
    }

    @Override
    public ThrottleRejectedException reject(String reason) {
        return current().reject(reason);
    }

    @Override
    public Runnable holdWhileUnknown(Signal signal) {
        return engine().hold(Preconditions.required("signal", signal));
    }
}
