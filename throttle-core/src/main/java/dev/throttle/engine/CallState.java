package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.control.Scope;
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
 * time uses it, or the engine under its lock while the call waits; {@link #cancel} may come from any thread.
 */
final class CallState {

    private static final short NO_STATUS = 0;

    /** No attempt has failed that the next one would repeat. */
    private static final byte FIRST = 0;
    /** The next attempt repeats the last one. */
    private static final byte REPEATED = 1;
    /** The next attempt would have to wait for longer than it may, as the server has told, and is turned away. */
    private static final byte TURNED_AWAY = 2;

    /** No attempt was let go yet. */
    private static final byte NEVER = 0;
    /** An attempt was let go, even if its permit went back, but not the one that asked last. */
    private static final byte BEFORE = 1;
    /** The attempt that asked last was let go. */
    private static final byte LET_GO = 2;

    private CallOptions options;
    /**
     * How long its caller waits for a server that is away, unless the options or the throttle tell; null for unknown.
     */
    private final @Nullable Duration callerOverloadWait;
    /** Whether the call has come, to ask or to wait for something else first. */
    private boolean hasArrived;

    private long arrivedAt;

    private long waitedNanos;
    /** How much of its waits does not count for their bound. */
    private long prolongedNanos;

    private long lastWaitNanos;
    /** When the attempt was let go that was let go last. */
    private long admittedAt;

    private long waitBeganAt;
    /** Whether the wait under way began earlier: before a permit that was given back, or with the end of an attempt. */
    private boolean waitGoesOn;

    private double random;
    private int attempts;
    /** How often the server has refused the call in a row. */
    private int refusals;
    /** Attempts that were refused or failed. */
    private int failures;
    /** Those of them that were not refused for a quota. */
    private int faults;
    /** As many of the faults do not count against the bound of attempts. */
    private int excused;
    /** Of the last attempt that was refused or failed; {@link #NO_STATUS} if it had none. Small, as calls are many. */
    private short lastStatus;
    /** The sleep that was decided when the last attempt was refused. */
    private long sleepNanos;
    /** The least wait that the retry policy demands before the next attempt. */
    private long backoffNanos;
    /** The outage that it has waited for after an attempt; 0 for none. */
    private int outage;
    /** {@link #FIRST}, or what is to follow the last attempt, which was refused or failed. */
    private byte again;
    /** What the attempt takes that asked last. */
    private Cost cost;
    /** Whether a refusal has told that, so that it is not estimated. */
    private boolean isCostTold;
    /** {@link #NEVER}, {@link #BEFORE} or {@link #LET_GO}. */
    private byte letGo;
    /** Identifies the attempt that was let go last; 0 if it was let go at rest, where no controller is told of it. */
    private long permitId;

    /** Null if it has none, or if that does not matter. */
    private @Nullable CallRoute route;

    private volatile boolean cancelled;
    /** What the user wrote runs in it; null if none was kept. */
    private volatile @Nullable CallContext context;

    CallState(CallOptions options) {
        this(options, (Duration) null);
    }

    CallState(CallOptions options, @Nullable Duration callerOverloadWait) {
        this.options = options;
        this.callerOverloadWait = callerOverloadWait;
        this.cost = CostEstimator.stated(options);
    }

    CallState(CallOptions options, long arrivedAt) {
        this(options);
        arrive(arrivedAt);
    }

    /** The call has come, even if it asks later. */
    void arrive(long now) {
        if (!hasArrived) {
            hasArrived = true;
            arrivedAt = now;
            waitBeganAt = now;
        }
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

    /** {@return which quotas of the server count it, as far as was known when it asked} */
    Scope scope() {
        return route instanceof FoundRoute found ? found.scope() : Scope.ALL;
    }

    /** Takes what is known now of the quotas that count its route. */
    void reviseScope(Routes routes) {
        if (route instanceof FoundRoute found) {
            route = routes.found(found.name());
        }
    }

    void route(CallRoute own) {
        route = own;
    }

    /** Finds out which route the request takes. Not under the lock, as an HTTP client's request is looked at. */
    void findRoute() {
        CallRoute finder = route;
        String named = options.route();
        if (named != null && !(finder instanceof FoundRoute)) {
            route = new FoundRoute(named, Scope.ALL);
        } else if (finder != null && !(finder instanceof FoundRoute)) {
            route = new FoundRoute(finder.find(options), Scope.ALL);
        }
    }

    /** {@return what tells its request apart from others; 0 if that is not known} Asks what finds its route. */
    int print() {
        CallRoute finder = route;
        try {
            return finder == null ? 0 : finder.print();
        } catch (RuntimeException e) { // of an HTTP client; the end of the attempt must be counted all the same
            return 0;
        }
    }

    /** {@return the name of its route; null if it is not known} */
    @Nullable String route() {
        return route instanceof FoundRoute found ? found.name() : null;
    }

    void options(CallOptions revised) {
        options = revised;
    }

    CallOptions options() {
        return options;
    }

    @Nullable Duration callerOverloadWait() {
        return callerOverloadWait;
    }

    Priority priority() {
        return options.priority();
    }

    /** {@return whose call it is; null if that was not told} */
    @Nullable String tenant() {
        return options.tenant();
    }

    /** {@return what the attempt takes that asked last} */
    Cost cost() {
        return cost;
    }

    /** {@return the id of the attempt that was let go last; 0 if no controller was told of it} */
    long permitId() {
        return permitId;
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
        return again != FIRST;
    }

    /** {@return whether the last attempt was refused, so that the next one sleeps as was decided then} */
    boolean isRefused() {
        return refusals > 0;
    }

    boolean isTurnedAway() {
        return again == TURNED_AWAY;
    }

    int refusals() {
        return refusals;
    }

    long retrySleepNanos() {
        return sleepNanos;
    }

    long backoffNanos() {
        return backoffNanos;
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
        return now - (isRetry() ? arrivedAt : waitBeganAt);
    }

    /** How long the wait under way has lasted, also while its permit was given back; 0 if none has begun. */
    long waitingNanos(long now) {
        return waitGoesOn ? now - waitBeganAt : 0;
    }

    double random() {
        return random;
    }

    /** {@return whether there was a draw for the jitter of its next sleep} */
    boolean wasDrawn() {
        return random != 0;
    }

    /** The draw for the jitter of its next sleep. */
    void draw(double value) {
        random = value;
    }

    @Nullable Integer lastStatus() {
        return lastStatus == NO_STATUS ? null : Integer.valueOf(lastStatus);
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
        return letGo != NEVER;
    }

    long maxWaitNanos(long throttleMaxWaitNanos) {
        Duration own = options.maxWait();
        return own == null ? throttleMaxWaitNanos : Nanos.of(own);
    }

    /** The call asks for the permit of its next attempt. */
    void ask(long now) {
        arrive(now);
        if (!waitGoesOn) {
            waitBeganAt = now;
            waitGoesOn = true;
        }
        cost(CostEstimator.stated(options));
        letGo = letGo == NEVER ? NEVER : BEFORE;
    }

    /** What the next attempt takes is known better now, unless a refusal has told. Not while it waits. */
    void cost(Cost resolved) {
        cost = isCostTold ? cost : resolved;
    }

    /** An attempt was refused that was taken for a cost; the refusal may have told another. */
    void refused(Cost taken, Cost truth) {
        if (!taken.equals(truth)) {
            isCostTold = true;
            cost = options.cost().orElse(truth);
        }
    }

    /**
     * An attempt was let go.
     *
     * @param id the id of its permit; 0 if no controller was told of it
     */
    void admitted(long id, long now) {
        permitId = id;
        admittedAt = now;
        lastWaitNanos = now - waitBeganAt;
        waitedNanos = Nanos.plus(waitedNanos, lastWaitNanos);
        attempts++;
        letGo = LET_GO;
    }

    /** An attempt was let go without having asked. */
    void admittedByForce(long id, long now) {
        arrive(now);
        permitId = id;
        admittedAt = now;
        letGo = letGo == NEVER ? BEFORE : letGo;
        attempts++;
        lastWaitNanos = 0;
    }

    boolean isAdmitted() {
        return letGo == LET_GO;
    }

    long admittedAt() {
        return admittedAt;
    }

    /** The permit went back unsent: should the call ask again, its wait goes on from where it began. */
    void gaveBack() {
        waitedNanos -= lastWaitNanos;
        lastWaitNanos = 0;
        attempts--;
    }

    /** An attempt ended and is not to be repeated: should the call ask again, it begins anew. */
    void answered() {
        again = FIRST;
        isCostTold = false;
        waitGoesOn = false;
        refusals = 0;
        backoffNanos = 0;
    }

    /** An attempt was refused or failed. */
    void failed(Outcome outcome, int status) {
        again = REPEATED;
        failures++;
        refusals = outcome.isRefusal() ? refusals + 1 : 0;
        faults += outcome == Outcome.RATE_LIMITED ? 0 : 1;
        lastStatus = (short) Math.min(status, Short.MAX_VALUE);
    }

    /** What the next attempt has to wait for, should there be one. */
    void prepareRetry(long sleep, double draw, long now) {
        sleepNanos = sleep;
        backoffNanos = 0;
        waitBeganAt = now;
        waitGoesOn = true;
        random = draw;
    }

    /**
     * It was decided what becomes of an attempt that failed.
     *
     * @param isLate whether the wait until the next attempt would be longer than the call may wait, so that it is
     *     turned away when it asks
     */
    void decided(RetryDecision decision, long asideNanos, boolean isLate) {
        if (isLate && decision.equals(RetryDecision.StopReason.WAIT_TOO_LONG.decision())) {
            again = TURNED_AWAY;
        }
        if (decision instanceof RetryDecision.Retry repeated) {
            backoffNanos = Math.max(asideNanos, Nanos.of(repeated.backoff()));
        }
    }

    /** The attempts that have failed so far do not count against the bound of attempts, since the server is away. */
    void excuse(int outageNumber) {
        outage = outageNumber;
        excused = faults;
    }

    /** {@return the outage that the call has waited for; 0 for none} */
    int outage() {
        return outage;
    }

    /** The facts about the attempt that ended last. */
    RetryFacts facts(Signal signal, boolean spaced, boolean away, long neededNanos, long leftNanos, double draw) {
        return new RetryFacts(
                signal.outcome(),
                failures,
                faults,
                faults - excused,
                options.maxAttempts(),
                !Boolean.FALSE.equals(options.idempotent()),
                !Boolean.FALSE.equals(options.replayable()),
                signal.hints().shouldRetry(),
                signal.hints().retryAfter() != null,
                spaced,
                away,
                neededNanos,
                leftNanos,
                draw);
    }
}
