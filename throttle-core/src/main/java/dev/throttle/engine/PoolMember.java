package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleState;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One member of a pool: a key with quotas of its own. It rests for a while after an attempt that did not reach its
 * server or was denied, or after several in a row without a usable answer, so that not every call tries it in vain.
 * Thread-safe.
 */
public final class PoolMember {

    private static final long FIRST_REST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_REST_NANOS = Duration.ofSeconds(30).toNanos();
    /** What a server denies, such as a request of an account without credit, it denies for longer. */
    private static final long DENIED_REST_NANOS = Duration.ofMinutes(1).toNanos();

    /** A single timeout may be due to the request; so many in a row are due to the server. */
    private static final int MOST_FAULTS = 3;

    private static final String DENIED = "denied";
    /** What is assumed to be left of a quota of which nothing is known. */
    private static final double UNKNOWN = 0.5;

    private final String key;
    private final int tier;
    private final Supplier<Engine> engine;
    private final LongAdder chosen = new LongAdder();
    private volatile long lastChosen;

    /** Guarded by this, as the next four. */
    private long restUntil;

    private long restNanos;
    private boolean rests;
    /** How many attempts in a row had no usable answer. */
    private int faults;

    private String restReason = "";

    /**
     * Makes a member.
     *
     * @param key its key, as the user wrote it
     * @param tier its tier; a lower number goes first
     * @param engine the engine of the key
     */
    public PoolMember(String key, int tier, Supplier<Engine> engine) {
        this.key = key;
        this.tier = tier;
        this.engine = engine;
    }

    public String key() {
        return key;
    }

    /** {@return its key as it is shown} */
    public String label() {
        return engine.get().label();
    }

    public int tier() {
        return tier;
    }

    Engine engine() {
        return engine.get();
    }

    @Nullable CallContext captureContext() {
        return engine.get().captureContext();
    }

    boolean isGuarded() {
        return !engine.get().isUnguarded();
    }

    boolean countsCosts() {
        return engine.get().countsCosts();
    }

    /** {@return whether a request is sent to it again that met an overload or a fault} */
    boolean repeatsFaults() {
        return engine.get().policy().retryPolicy().rules().maxAttempts() > 1;
    }

    /** {@return whether a call costs more than a limit of this member can ever grant} */
    boolean isTooLarge(CallOptions options) {
        return engine.get().isAboveLimits(options.cost());
    }

    ThrottledCall newCall(CallOptions options) {
        return new ThrottledCall(engine.get(), options);
    }

    /** {@return how many attempts went to it so far} */
    public long chosen() {
        return chosen.sum();
    }

    void isChosen(long order) {
        chosen.increment();
        lastChosen = order;
    }

    void isGivenBack() {
        chosen.decrement();
    }

    long lastChosen() {
        return lastChosen;
    }

    /** {@return whether it takes calls, maybe later} */
    boolean isOpen() {
        ThrottleState state = engine.get().gauges().state();
        return state == ThrottleState.RUNNING || state == ThrottleState.PAUSED;
    }

    /** {@return whether it lets every call go} */
    boolean isObserving() {
        return engine.get().isObserving();
    }

    /** {@return what is left of its rest; none while it observes} */
    Wait rest(long now) {
        Wait rest = restLeft(now);
        return rest.isOver() || isObserving() ? Wait.NONE : rest;
    }

    private synchronized Wait restLeft(long now) {
        return rests ? Wait.of(restUntil - now, restReason) : Wait.NONE;
    }

    /** An attempt has ended here. */
    synchronized void learn(Signal signal, long now) {
        Outcome outcome = signal.outcome();
        boolean isDenied = outcome == Outcome.DENIED && signal.hints().demand() == null;
        boolean isAlive = outcome == Outcome.SUCCESS || outcome.isRefusal();
        faults = outcome.isFault() ? Math.min(faults + 1, MOST_FAULTS) : isAlive ? 0 : faults;
        boolean isAway = outcome == Outcome.UNREACHABLE || (outcome.isFault() && faults >= MOST_FAULTS);
        if (isDenied || isAway) {
            boolean isCounted = rests && restUntil - now > 0; // of several under way the first tells
            if (!isCounted) {
                restNanos = Math.min(LONGEST_REST_NANOS, rests ? 2 * restNanos : FIRST_REST_NANOS);
                restNanos = isDenied ? DENIED_REST_NANOS : restNanos;
                restUntil = now + restNanos;
                restReason = isDenied ? DENIED : Outage.REASON;
                rests = true;
            }
        } else if (isAlive) {
            rests = false;
        }
    }

    /**
     * {@return which share is left of the scarcest quota that a call needs, from 0 to 1} Requests in flight count as
     * used, as the server may not have told of them.
     */
    double shareLeft(Cost cost, long now) {
        Gauges gauges = engine.get().gauges();
        double least = Double.NaN;
        for (Quota quota : gauges.quotas(now)) {
            Double share = shareOf(quota, cost, gauges.inFlight());
            if (share != null && !(share >= least)) {
                least = share;
            }
        }
        return Double.isNaN(least) ? UNKNOWN : least;
    }

    private static @Nullable Double shareOf(Quota quota, Cost cost, int inFlight) {
        Long limit = quota.limit();
        Long remaining = quota.remaining();
        boolean isNeeded = quota.countsRequests() || cost.has(quota.unit());
        if (limit == null || remaining == null || limit <= 0 || !isNeeded) {
            return null;
        }
        Duration reset = quota.reset();
        if (reset != null && Nanos.of(reset) <= 0) {
            return 1.0;
        }
        long unused = quota.countsRequests() ? remaining - inFlight : remaining;
        return Math.max(0, Math.min(1, (double) unused / limit));
    }

    int inFlight() {
        return engine.get().gauges().inFlight();
    }
}
