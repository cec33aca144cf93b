package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one call over all its attempts: how long it has waited, how often it was sent. One thread at a
 * time uses it, except for {@link #cancel}.
 */
final class CallState {

    private CallOptions options;
    private final long arrivedAt;

    private long waitedNanos;
    /** How much of its waits does not count for their bound. */
    private long prolongedNanos;

    private boolean wasAdmitted;
    private long lastWaitNanos;
    private long waitBeganAt;
    /** Whether the wait under way began earlier: before a permit that was given back, or with the end of an attempt. */
    private boolean waitGoesOn;

    private double random;
    private int attempts;
    private FailureHistory failures = FailureHistory.NONE;
    /** Whether the last attempt was refused or failed, so that the next one repeats it. */
    private boolean retry;
    /** What the attempt takes that asked last. */
    private Cost cost;
    /** What its last refusal has told about what it takes; null if nothing. */
    private @Nullable Cost told;
    /** Whether the attempt that asked last was let go. */
    private boolean admitted;
    /** Whether the controllers heard of it. */
    private boolean booked;

    /** The retry that was foretold and not decided on yet. */
    private RetryBudget.@Nullable Reservation reserved;

    private volatile boolean cancelled;
    /** What the user wrote runs in it; null if none was kept. */
    private volatile @Nullable CallContext context;

    CallState(CallOptions options, long arrivedAt) {
        this.options = options;
        this.cost = CostEstimator.stated(options);
        this.arrivedAt = arrivedAt;
        this.waitBeganAt = arrivedAt;
    }

    @Nullable CallContext context() {
        return context;
    }

    void context(@Nullable CallContext caller) {
        context = caller;
    }

    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    void options(CallOptions revised) {
        options = revised;
    }

    CallOptions options() {
        return options;
    }

    Priority priority() {
        return options.priority();
    }

    /** {@return what the attempt takes that asked last} */
    Cost cost() {
        return cost;
    }

    /** {@return whether the controllers heard of the attempt that was let go last; at rest they do not} */
    boolean isBooked() {
        return booked;
    }

    int attempts() {
        return attempts;
    }

    long waitedNanos() {
        return waitedNanos;
    }

    long arrivedAt() {
        return arrivedAt;
    }

    boolean isRetry() {
        return retry;
    }

    /** {@return whether the last attempt was refused, so that the next one sleeps as was decided then} */
    boolean isRefused() {
        return failures.refusals() > 0;
    }

    int refusals() {
        return failures.refusals();
    }

    long retrySleepNanos() {
        return failures.sleepNanos();
    }

    long backoffNanos() {
        return failures.backoffNanos();
    }

    /** When the current wait began: when the caller came, or when its last attempt ended. */
    long waitBeganAt() {
        return waitBeganAt;
    }

    long sleptNanos(long now) {
        return now - waitBeganAt;
    }

    /** How long ago it asked for the first time, where it tries again, or else for the attempt that waits. */
    long ageNanos(long now) {
        return now - (retry ? arrivedAt : waitBeganAt);
    }

    /** How long the wait under way has lasted, also while its permit was given back; 0 if none has begun. */
    long waitingNanos(long now) {
        return waitGoesOn ? now - waitBeganAt : 0;
    }

    double random() {
        return random;
    }

    /** The draw for the jitter of its next sleep. */
    void draw(double value) {
        random = value;
    }

    @Nullable Integer lastStatus() {
        return failures.lastStatus();
    }

    /** {@return what is left of the longest wait; {@link Waiter#NEVER} if it is not bounded} */
    long leftNanos(long throttleMaxWaitNanos) {
        long allowed = maxWaitNanos(throttleMaxWaitNanos);
        return allowed == Nanos.MAX ? Waiter.NEVER : Math.max(0, Nanos.plus(allowed, prolongedNanos) - waitedNanos);
    }

    /** A part of its wait does not count for its bound. */
    void prolong(long nanos) {
        prolongedNanos = Nanos.plus(prolongedNanos, nanos);
    }

    /** {@return whether it was let go once, even if the permit went back} */
    boolean wasAdmitted() {
        return wasAdmitted;
    }

    long maxWaitNanos(long throttleMaxWaitNanos) {
        Duration own = options.maxWait();
        return own == null ? throttleMaxWaitNanos : Nanos.of(own);
    }

    /** The call asks for the permit of its next attempt. */
    void ask(long now) {
        if (!waitGoesOn) {
            waitBeganAt = now;
            waitGoesOn = true;
        }
        admitted = false;
    }

    /** What the next attempt takes is known better now, unless a refusal has told. Not while it waits. */
    void cost(Cost resolved) {
        cost = told == null ? resolved : options.cost().orElse(told);
    }

    /** An attempt was refused that was taken for a cost; the refusal may have told another. */
    void refused(Cost taken, Cost truth) {
        told = taken.equals(truth) ? told : truth;
    }

    /** An attempt was let go that the controllers did not hear of. */
    void admittedAtRest(long now) {
        admitted(now);
        booked = false;
    }

    /** An attempt was let go. */
    void admitted(long now) {
        booked = true;
        lastWaitNanos = now - waitBeganAt;
        waitedNanos = Nanos.plus(waitedNanos, lastWaitNanos);
        attempts++;
        admitted = true;
        wasAdmitted = true;
    }

    /** An attempt was let go without having asked. */
    void admittedByForce(boolean isBooked) {
        booked = isBooked;
        wasAdmitted = true;
        attempts++;
        lastWaitNanos = 0;
    }

    boolean isAdmitted() {
        return admitted;
    }

    /** When the attempt was let go that asked last. */
    long admittedAt() {
        return waitBeganAt + lastWaitNanos;
    }

    /** The permit went back unsent: should the call ask again, its wait goes on from where it began. */
    void gaveBack() {
        waitedNanos -= lastWaitNanos;
        lastWaitNanos = 0;
        attempts--;
    }

    void reserved(RetryBudget.@Nullable Reservation reservation) {
        reserved = reservation;
    }

    boolean hasReserved() {
        return reserved != null;
    }

    /** {@return whether a retry was reserved; it is used now} */
    boolean useReserved() {
        boolean had = reserved != null;
        reserved = null;
        return had;
    }

    /** The retry that was foretold is not made. */
    void giveBackReserved() {
        RetryBudget.Reservation unused = reserved;
        reserved = null;
        if (unused != null) {
            unused.giveBack();
        }
    }

    /** An attempt ended and is not to be repeated: should the call ask again, it begins anew. */
    void answered() {
        retry = false;
        told = null;
        waitGoesOn = false;
        if (failures != FailureHistory.NONE) {
            failures.answered();
        }
    }

    /** An attempt was refused or failed. */
    void failed(Outcome outcome, int status) {
        retry = true;
        if (failures == FailureHistory.NONE) {
            failures = new FailureHistory();
        }
        failures.failed(outcome, status);
    }

    /** What the next attempt has to wait for, should there be one. */
    void prepareRetry(long sleepNanos, double draw, long now) {
        failures.waitsFor(sleepNanos, 0);
        waitBeganAt = now;
        waitGoesOn = true;
        random = draw;
    }

    void decided(RetryDecision decision, long asideNanos) {
        if (decision instanceof RetryDecision.Retry repeated) {
            failures.waitsFor(failures.sleepNanos(), Math.max(asideNanos, Nanos.of(repeated.backoff())));
        }
    }

    /** The facts about the attempt that ended last. */
    RetryFacts facts(Signal signal, boolean spaced, long neededNanos, long leftNanos, double draw) {
        return failures.facts(options, signal, spaced, neededNanos, leftNanos, draw);
    }

    /** The facts there would be, had the attempt under way ended so. */
    RetryFacts foretoldFacts(Signal signal, long neededNanos, long leftNanos) {
        return failures.foretold(options, signal, neededNanos, leftNanos);
    }
}
