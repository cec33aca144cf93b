package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Causes;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One call of a pool, with all its attempts, each of which may go to another member. It is a call of each member that
 * it has asked, and keeps what all of them have in common: how long it has waited, and which members cannot take it.
 *
 * <p>One thread at a time uses a call, or the line while the call waits; {@link #cancel} may come from any thread at
 * any time.
 */
public final class PoolCall implements CallPermits {

    private static final long NONE = Long.MAX_VALUE;

    private final PoolLine line;
    private CallOptions options;
    /** By member; null where it has not asked yet. */
    private final @Nullable ThrottledCall[] calls;
    /** Members that will never take it: its cost is above their limits, or its attempts there are used up. */
    private final boolean[] excluded;
    /** What each member has answered last, for messages. */
    final @Nullable Wait[] answers;
    /** How many of its attempts were refused or failed, by member. */
    private final int[] failures;

    /** The member of the last attempt; before the first, one that it may go to. */
    private volatile int current;
    /** Its place in line, which it keeps over all its attempts; 0 before it has one. */
    private long order;
    /** Until when it waits for the member that has its conversation; {@link #NONE} if it has not asked yet. */
    private long pinnedUntil = NONE;

    private long waitedNanos;
    private long lastWaitNanos;
    private long waitBeganAt = NONE;
    private long admittedAt;
    private @Nullable CallRoute route;
    private volatile @Nullable CallContext context;
    private volatile @Nullable PoolWaiter waiting;
    private volatile boolean cancelled;

    PoolCall(PoolLine line, CallOptions options) {
        this.line = line;
        this.options = options;
        int size = line.members().size();
        this.calls = new @Nullable ThrottledCall[size];
        this.excluded = new boolean[size];
        this.answers = new @Nullable Wait[size];
        this.failures = new int[size];
    }

    // ---- its members

    /** {@return the key of the member that the last attempt went to, as the user wrote it} */
    public String member() {
        return line.members().get(current).key();
    }

    /** {@return the index of the member whose limits it is told to mind before it has gone to one} */
    int current() {
        return current;
    }

    boolean isExcluded(int member) {
        return excluded[member];
    }

    private ThrottledCall callOf(int member) {
        ThrottledCall call = calls[member];
        if (call == null) {
            call = line.members().get(member).newCall(options);
            call.arrive();
            call.context(context);
            if (route != null) {
                call.route(route);
            }
            calls[member] = call;
            if (cancelled) {
                call.cancel();
            }
        }
        return call;
    }

    private ThrottledCall callOfCurrent() {
        return callOf(current);
    }

    /** Asks a member for a permit. */
    Offer ask(int member, boolean isBounded) {
        Offer offer;
        try {
            offer = callOf(member).offer(isBounded, line.wake());
        } catch (IllegalArgumentException e) { // it costs more than a limit of this member can ever grant
            offer = Offer.TOO_LARGE;
        }
        answers[member] = offer.until();
        excluded[member] |= offer == Offer.TOO_LARGE;
        return offer;
    }

    /** It stands behind another call, and so has to wait for the same. */
    void seesAnswersTo(PoolCall before) {
        System.arraycopy(before.answers, 0, answers, 0, answers.length);
    }

    /** {@return the permit that a member has given} */
    Permit granted(int member, Permit permit, long now) {
        current = member;
        lastWaitNanos = Math.max(0, now - waitBeganAt);
        waitedNanos = Nanos.plus(waitedNanos, lastWaitNanos);
        waitBeganAt = NONE;
        admittedAt = now;
        return new MemberPermit(member, (ThrottledCall.AttemptPermit) permit);
    }

    // ---- how long it may wait

    private void beginWait() {
        if (waitBeganAt == NONE) {
            waitBeganAt = line.time().nanoTime();
        }
    }

    long waitBeganAt() {
        return waitBeganAt;
    }

    long waitingNanos(long now) {
        return waitBeganAt == NONE ? 0 : now - waitBeganAt;
    }

    /** {@return how long it may wait, from the time its wait began; {@link Waiter#NEVER} for any time} */
    long leftNanos() {
        Duration own = options.maxWait();
        long most = own == null ? line.maxWaitNanos() : Nanos.of(own);
        return most == Nanos.MAX ? Waiter.NEVER : Math.max(0, most - waitedNanos);
    }

    boolean isRetry() {
        for (int failed : failures) {
            if (failed > 0) {
                return true;
            }
        }
        return false;
    }

    /** {@return its place in line, which it gets with its first wait} */
    long order(long next) {
        if (order == 0) {
            order = next;
        }
        return order;
    }

    /** {@return until when it waits for the member of its conversation} */
    long pinnedUntil(long now, long nanos) {
        if (pinnedUntil == NONE) {
            pinnedUntil = now + nanos;
        }
        return pinnedUntil;
    }

    void unpin(long now) {
        pinnedUntil = now;
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
                if (!waiter.giveUp() && !waiter.isCompletedExceptionally()) {
                    waiter.join().release();
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
            Throwable cause = Causes.unwrap(e);
            if (cause instanceof ThrottleRejectedException rejection) {
                throw rejection;
            }
            throw cancellation();
        }
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(boolean isBounded) {
        try {
            captureContext();
            return enter(isBounded, null);
        } catch (CancellationException | ThrottleRejectedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private PoolWaiter enter(boolean isBounded, @Nullable Thread thread) throws ThrottleRejectedException {
        if (cancelled) {
            throw cancellation();
        }
        beginWait();
        PoolWaiter waiter = line.newWaiter(this, isBounded, thread);
        waiting = waiter;
        line.enter(waiter);
        if (cancelled) { // by a thread that has found nothing to leave yet
            waiter.giveUp();
        }
        return waiter;
    }

    @Override
    public @Nullable Permit tryAcquireFast(boolean isBounded) {
        if (cancelled || isRetry()) {
            return null;
        }
        beginWait();
        return line.tryNow(this, isBounded);
    }

    @Override
    public Permit acquireForced() {
        beginWait();
        return granted(current, callOfCurrent().acquireForced(), line.time().nanoTime());
    }

    @Override
    public void cancel() {
        cancelled = true;
        PoolWaiter place = waiting;
        if (place != null) {
            place.giveUp();
        }
        for (ThrottledCall call : calls) {
            if (call != null) {
                call.cancel();
            }
        }
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }

    // ---- permits

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
            return complete(callOf(member).read(response), response.status());
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
            if (!isBad) {
                RetryDecision decision = permit.complete(signal, status, false);
                hasEnded = true;
                line.ended(member, signal);
                return decision;
            }
            boolean mayGoElsewhere = line.hasOther(PoolCall.this, member);
            callOf(member).updateOptions(optionsAt(member));
            RetryDecision decision = permit.complete(signal, status, mayGoElsewhere);
            hasEnded = true;
            line.ended(member, signal);
            failures[member]++;
            waitBeganAt = line.time().nanoTime();
            if (!decision.isRetry() && mayGoElsewhere && isOnlyOfMember(member, decision, signal)) {
                excluded[member] = true;
                return RetryDecision.Retry.WHEN_ADMITTED;
            }
            return decision;
        }

        @Override
        public void end(Signal signal) {
            if (!hasEnded) {
                line.ended(member, signal);
            }
            hasEnded = true;
            permit.end(signal);
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
                waitedNanos -= lastWaitNanos;
                waitBeganAt = admittedAt - lastWaitNanos;
                lastWaitNanos = 0;
                line.members().get(member).isGivenBack();
            }
            permit.release();
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

    /** {@return the options as the member of an attempt that has failed has to see them} */
    private CallOptions optionsAt(int member) {
        ThrottledCall call = callOf(member);
        long left = leftNanos();
        Duration most = left == Waiter.NEVER
                ? Duration.ofNanos(Nanos.MAX)
                : Duration.ofNanos(Nanos.plus(Nanos.of(call.waited()), left));
        int elsewhere = 0;
        for (int i = 0; i < failures.length; i++) {
            elsewhere += i == member ? 0 : failures[i];
        }
        Integer attempts = options.maxAttempts();
        return options.maxWait(most).maxAttempts(attempts == null ? null : Math.max(1, attempts - elsewhere));
    }

    /**
     * {@return whether only this member is not to be asked again: it denies the request, which was not processed, or
     * has failed as often as one server may}
     */
    private boolean isOnlyOfMember(int member, RetryDecision decision, Signal signal) {
        if (Boolean.FALSE.equals(options.replayable()) || isOutOfAttempts()) {
            return false;
        }
        if (signal.outcome() == Outcome.DENIED) {
            return decision.equals(StopReason.PERMANENT.decision());
        }
        return decision.equals(StopReason.ATTEMPTS.decision())
                && line.members()
                                .get(member)
                                .engine()
                                .policy()
                                .retryPolicy()
                                .rules()
                                .maxAttempts()
                        > 1;
    }

    private boolean isOutOfAttempts() {
        Integer most = options.maxAttempts();
        int all = 0;
        for (int failed : failures) {
            all += failed;
        }
        return most != null && all >= most;
    }

    // ---- what else is told about the call

    @Override
    public void arrive() {
        beginWait();
    }

    @Override
    public void route(CallRoute own) {
        route = own;
        for (ThrottledCall call : calls) {
            if (call != null) {
                call.route(own);
            }
        }
    }

    public CallOptions options() {
        return options;
    }

    @Override
    public void updateOptions(CallOptions revised) {
        options = revised;
        for (ThrottledCall call : calls) {
            if (call != null) {
                call.updateOptions(revised);
            }
        }
    }

    @Override
    public void captureContext() {
        if (context == null) {
            context(line.members().get(current).engine().captureContext());
        }
    }

    @Override
    public void context(@Nullable CallContext caller) {
        context = caller;
        for (ThrottledCall call : calls) {
            if (call != null) {
                call.context(caller);
            }
        }
    }

    @Override
    public @Nullable CallContext context() {
        return context;
    }

    @Override
    public long maxWaitNanos() {
        return line.maxWaitNanos();
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(waitedNanos);
    }

    @Override
    public Duration waiting() {
        return Duration.ofNanos(waitingNanos(line.time().nanoTime()));
    }

    @Override
    public long admittedAt() {
        return admittedAt;
    }

    /** Where it cannot go elsewhere, it is turned away by the line, with the state of all members. */
    @Override
    public boolean isTurnedAway() {
        ThrottledCall call = calls[current];
        return call != null && call.isTurnedAway();
    }

    @Override
    public TimeSource time() {
        return line.time();
    }

    @Override
    public boolean countsCosts() {
        return line.members().stream().anyMatch(member -> member.engine().countsCosts());
    }

    @Override
    public Signal read(ResponseHead response) {
        return callOfCurrent().read(response);
    }

    @Override
    public ThrottleRejectedException reject(String reason) {
        return callOfCurrent().reject(reason);
    }

    @Override
    public Runnable holdWhileUnknown(Signal signal) {
        return callOfCurrent().holdWhileUnknown(signal);
    }

    @Override
    public String toString() {
        return "call of " + Objects.toString(line);
    }
}
