package dev.throttle;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryFacts;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call through a throttle, with all its attempts: wait for a permit, send, end the permit, and if the answer is to
 * retry, begin again. What the call has waited and how often it was refused is kept here.
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time.
 */
public final class ThrottledCall {

    /** The retry sleep of a call that sleeps as the strategy says, because its last attempt was not refused. */
    static final long NOT_REFUSED = -1;

    static final int NO_STATUS = 0;

    private Engine engine;
    private CallOptions options;
    private final long arrivedAt;

    private long waitedNanos;
    private long lastWaitNanos;
    private long waitBeganAt;
    private long admittedAt;
    /** Whether the wait under way began earlier: before a permit that was given back, or with the end of an attempt. */
    private boolean waitGoesOn;

    private long retrySleepNanos = NOT_REFUSED;
    private long backoffNanos;
    private double random;
    private int refusals;
    private int failures;
    private int faults;
    private int attempts;
    /** Whether the last attempt was refused or failed, so that the next one repeats it. */
    private boolean retry;
    /** Whether the attempt that asked last was let go. */
    private boolean admitted;

    private int lastStatus = NO_STATUS;

    /** What the guards gave the attempt that waits; its permit takes them over. */
    private GuardChain.@Nullable Passes passes;

    private volatile boolean cancelled;
    private volatile @Nullable Waiter waiter;

    ThrottledCall(Engine engine, CallOptions options, long arrivedAt) {
        this.engine = engine;
        this.options = options;
        this.arrivedAt = arrivedAt;
        this.waitBeganAt = arrivedAt;
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
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the throttle");
        }
        Waiter queued = enter(true);
        return queued == null ? past(new Permit(engine, this, admittedAt)) : queued.await();
    }

    /**
     * Asks for the permit of the next attempt without blocking.
     *
     * @return completes with the permit, or with {@link ThrottleRejectedException}, on the throttle's executor if not
     *     already completed; cancelling it gives up the place in the queue
     */
    public CompletableFuture<Permit> acquireAsync() {
        try {
            Waiter queued = enter(false);
            return queued == null
                    ? CompletableFuture.completedFuture(past(new Permit(engine, this, admittedAt)))
                    : queued;
        } catch (ThrottleRejectedException | CancellationException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void enterGuards() throws ThrottleRejectedException {
        if (!engine.guards().isEmpty()) {
            GuardChain.Passes entered = engine.guards().enter();
            AdmissionGuard guard = entered.refusedBy();
            if (guard != null) {
                throw engine.reject(this, guard);
            }
            passes = entered;
        }
    }

    /** It will not be let go. */
    void leaveGuards() {
        GuardChain.Passes left = takePasses();
        if (left != null) {
            left.leave();
        }
    }

    GuardChain.@Nullable Passes takePasses() {
        GuardChain.Passes taken = passes;
        passes = null;
        return taken;
    }

    /** {@return a permit of this call, unless a guard refuses it at the last moment} */
    Permit past(Permit permit) throws ThrottleRejectedException {
        AdmissionGuard guard = permit.guardThatRefuses();
        if (guard != null) {
            permit.release();
            throw engine.reject(this, guard);
        }
        return permit;
    }

    /** Takes a permit if the call may go at once; {@return null if not} */
    @Nullable Permit tryAcquire() {
        try {
            enterGuards();
            Permit permit = engine.tryEnter(this);
            if (permit != null) {
                admitted(permit.grantedAt());
                return past(permit);
            }
        } catch (ThrottleRejectedException e) {
            return null;
        }
        leaveGuards();
        return null;
    }

    private @Nullable Waiter enter(boolean blocking) throws ThrottleRejectedException {
        if (cancelled) {
            throw cancellation();
        }
        if (!waitGoesOn) {
            waitBeganAt = engine.now();
            waitGoesOn = true;
        }
        admitted = false;
        enterGuards();
        Waiter queued;
        try {
            queued = engine.enter(this, blocking);
        } catch (ThrottleRejectedException e) {
            leaveGuards();
            throw e;
        }
        waiter = queued;
        if (cancelled) { // meanwhile, when there was no waiter to be seen yet
            if (queued == null) {
                new Permit(engine, this, admittedAt).release();
            } else {
                queued.cancel(false);
                queued.leave();
            }
            throw cancellation();
        }
        return queued;
    }

    private static CancellationException cancellation() {
        return new CancellationException("the call was cancelled");
    }

    /**
     * Takes a permit for an attempt that goes out whether or not the throttle would let it, as when an HTTP client
     * follows a redirect or repeats a request by itself. It counts like any other, but never waits.
     *
     * @return the permit, which must be ended
     */
    public Permit acquireForced() {
        Permit permit = engine.acquireForced(this);
        attempts++;
        lastWaitNanos = 0;
        return permit;
    }

    /**
     * Gives the call up: a wait ends at once with {@link CancellationException} and its place goes to the next. A
     * permit already granted is not touched. Never blocks.
     */
    public void cancel() {
        cancelled = true;
        Waiter current = waiter;
        if (current != null) {
            current.cancel(false);
        }
    }

    /** {@return whether the call was given up} */
    public boolean isCancelled() {
        return cancelled;
    }

    /** {@return how many attempts were let go so far} */
    public int attempts() {
        return attempts;
    }

    /** {@return how long the call has waited in total so far} */
    public Duration waited() {
        return Duration.ofNanos(waitedNanos);
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
                "no change: " + options.permits());
        this.options = revised;
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
        return engine.previewRetry(this, Preconditions.required("signal", signal));
    }

    /**
     * {@return how long the wait under way has lasted, also while its permit was given back; zero if none has begun}
     */
    public Duration waiting() {
        return waitGoesOn ? Duration.ofNanos(engine.now() - waitBeganAt) : Duration.ZERO;
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return engine.time();
    }

    /**
     * Turns the call away for a reason that the throttle does not know, such as a client that had no connection for it.
     * Counted and told like the throttle's own rejections. Not while the call waits.
     *
     * @param reason what the call has waited for
     * @return what to fail the call with
     */
    public ThrottleRejectedException reject(String reason) {
        long left = leftNanos(Nanos.of(engine.maxWait()));
        return engine.reject(this, Math.max(left, Nanos.of(waiting())), left, reason);
    }

    long arrivedAt() {
        return arrivedAt;
    }

    boolean isRetry() {
        return retry;
    }

    long retrySleepNanos() {
        return retrySleepNanos;
    }

    long backoffNanos() {
        return backoffNanos;
    }

    /** When the current wait began: when the caller came, or when its last attempt ended. */
    long waitBeganAt() {
        return waitBeganAt;
    }

    double random() {
        return random;
    }

    int refusals() {
        return refusals;
    }

    /** The facts that there would be, had the attempt ended so. */
    RetryFacts foretoldFacts(Signal signal, int policyMaxAttempts, long neededNanos, long leftNanos) {
        int fault = signal.outcome() == Outcome.RATE_LIMITED ? 0 : 1;
        return facts(signal, failures + 1, faults + fault, policyMaxAttempts, true, neededNanos, leftNanos, 0);
    }

    RetryFacts facts(
            Signal signal, int policyMaxAttempts, boolean spaced, long neededNanos, long leftNanos, double draw) {
        return facts(signal, failures, faults, policyMaxAttempts, spaced, neededNanos, leftNanos, draw);
    }

    private RetryFacts facts(
            Signal signal,
            int failed,
            int faulty,
            int policyMaxAttempts,
            boolean spaced,
            long neededNanos,
            long leftNanos,
            double draw) {
        Integer own = options.maxAttempts(); // counts attempts of every kind, as the policy's does not
        boolean isUsedUp = own != null && failed >= own && signal.outcome() == Outcome.RATE_LIMITED;
        return new RetryFacts(
                signal.outcome(),
                failed,
                own == null ? faulty : failed,
                own == null ? policyMaxAttempts : own,
                !Boolean.FALSE.equals(options.idempotent()),
                !Boolean.FALSE.equals(options.replayable()) && !isUsedUp,
                signal.hints().retryAfter() != null,
                spaced,
                neededNanos,
                leftNanos,
                draw);
    }

    @Nullable Integer lastStatus() {
        return lastStatus == NO_STATUS ? null : lastStatus;
    }

    /** {@return what is left of the longest wait; {@link Waiter#NEVER} if it is not bounded} */
    long leftNanos(long throttleMaxWaitNanos) {
        Duration own = options.maxWait();
        long allowed = own == null ? throttleMaxWaitNanos : Nanos.of(own);
        return allowed == Nanos.MAX ? Waiter.NEVER : Math.max(0, allowed - waitedNanos);
    }

    /** An attempt was let go. */
    void admitted(long now) {
        lastWaitNanos = now - waitBeganAt;
        waitedNanos = Nanos.plus(waitedNanos, lastWaitNanos);
        waiter = null;
        attempts++;
        admitted = true;
        admittedAt = now;
    }

    boolean isAdmitted() {
        return admitted;
    }

    /** The permit went back unsent: should the call ask again, its wait goes on from where it began. */
    void gaveBack() {
        waitedNanos -= lastWaitNanos;
        lastWaitNanos = 0;
        attempts--;
    }

    /** An attempt ended and is not to be repeated: should the call ask again, it begins anew. */
    void answered() {
        retry = false;
        refusals = 0;
        retrySleepNanos = NOT_REFUSED;
        backoffNanos = 0;
        waitGoesOn = false;
    }

    /** An attempt was refused or failed. */
    void failed(boolean refused, boolean fault, int status) {
        retry = true;
        failures++;
        refusals = refused ? refusals + 1 : 0;
        faults += fault ? 1 : 0;
        lastStatus = status;
    }

    /** What the next attempt has to wait for, should there be one. */
    void prepareRetry(long sleepNanos, double draw, long now) {
        retrySleepNanos = sleepNanos;
        backoffNanos = 0;
        waitBeganAt = now;
        waitGoesOn = true;
        random = draw;
    }

    void draw(double value) {
        random = value;
    }

    Engine engine() {
        return engine;
    }

    /** The throttle it began with was dropped from its set while it was idle; its successor takes over. */
    void moveTo(Engine successor) {
        engine = successor;
    }

    void decided(RetryDecision decision) {
        if (decision instanceof RetryDecision.Retry retry) {
            backoffNanos = Nanos.of(retry.backoff());
        }
    }
}
