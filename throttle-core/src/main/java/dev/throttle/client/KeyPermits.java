package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys that a call has to do with, and the one bound of what it waits for all of them together. */
final class KeyPermits {

    private static final long NONE = Long.MAX_VALUE;

    private final Function<String, Throttle> throttles;
    /** Changes before the first wait only. */
    private volatile RequestTraits traits;

    private final KeyPermit own;
    /** Added to by the call's thread, read by any that cancels it. */
    private volatile List<KeyPermit> all;

    private final TimeSource time;
    private final Throttle throttle;
    private volatile boolean isCancelled;

    /** When the call must have ended; {@link #NONE} if it may take any time. */
    private volatile long deadline = NONE;
    /** What was waited for the attempts so far. */
    private volatile long waitedNanos;
    /** When the wait for the next attempt began; {@link #NONE} if none has begun. */
    private volatile long waitBeganAt = NONE;
    /** Whether no throttle has seen a part of the wait. */
    private volatile boolean waitsElsewhere;

    KeyPermits(Function<String, Throttle> throttles, String key, RequestTraits traits) {
        this.throttles = throttles;
        this.traits = traits;
        this.throttle = throttles.apply(key);
        this.own = new KeyPermit(key, throttle, traits.toOptions(null, traits.maxWait(), traits.maxAttempts()));
        this.time = own.call().time();
        this.all = List.of(own);
    }

    RequestTraits traits() {
        return traits;
    }

    /** What can be told from the request itself, before the first wait. */
    void derive(@Nullable Cost estimate, @Nullable String profile) {
        traits = traits.withDerived(estimate, profile);
    }

    KeyPermit own() {
        return own;
    }

    TimeSource time() {
        return time;
    }

    /** {@return the dealings with a key} */
    KeyPermit of(String key) {
        for (KeyPermit permit : all) {
            if (permit.key().equals(key)) {
                return permit;
            }
        }
        CallOptions options = traits.toOptions(null, traits.maxWait(), traits.maxAttempts());
        KeyPermit permit = new KeyPermit(key, throttles.apply(key), options);
        permit.call().context(own.call().context());
        List<KeyPermit> more = new ArrayList<>(all);
        more.add(permit);
        all = List.copyOf(more);
        if (isCancelled) {
            permit.call().cancel();
        }
        return permit;
    }

    void cancel() {
        isCancelled = true;
        all.forEach(permit -> permit.call().cancel());
    }

    boolean isCancelled() {
        return isCancelled;
    }

    void release() {
        all.forEach(KeyPermit::release);
    }

    void setDeadline(Duration left) {
        deadline = time.nanoTime() + Nanos.of(left);
    }

    boolean isTimedOut() {
        return deadline != NONE && time.nanoTime() - deadline >= 0;
    }

    void beginWait() {
        if (waitBeganAt == NONE) {
            waitBeganAt = time.nanoTime();
        }
    }

    /** Before any throttle is asked. */
    void beginWaitElsewhere() {
        waitsElsewhere = true;
        beginWait();
    }

    void endWait() {
        if (waitBeganAt != NONE) {
            waitedNanos = Nanos.plus(waitedNanos, time.nanoTime() - waitBeganAt);
            waitBeganAt = NONE;
        }
    }

    Duration waited() {
        return Duration.ofNanos(Nanos.plus(waitedNanos, waitBeganAt == NONE ? 0 : time.nanoTime() - waitBeganAt));
    }

    /** {@return how long the call may wait from now on} */
    long leftNanos() {
        Duration maxWait = traits.maxWait();
        long maxWaitNanos = Nanos.of(maxWait == null ? throttle.maxWait() : maxWait);
        long left = maxWaitNanos == Nanos.MAX ? Nanos.MAX : maxWaitNanos - Nanos.of(waited());
        if (deadline != NONE) {
            left = Math.min(left, deadline - time.nanoTime());
        }
        return Math.max(0, left);
    }

    /** Tells a key's throttle what holds for its next wait. */
    void prepareWait(KeyPermit permit) {
        permit.call().updateOptions(options(permit, null, Nanos.of(permit.call().waiting())));
    }

    /** Tells a key's throttle what holds for its next decision. */
    void prepareEnd(KeyPermit permit, @Nullable FailureKind kind) {
        permit.call().updateOptions(options(permit, kind, 0));
    }

    /** {@return whether an attempt that ended so would be repeated, whichever of the keys known so far it was} */
    boolean previewRetry(Signal signal) {
        for (KeyPermit permit : all) {
            prepareEnd(permit, null);
            if (!permit.call().previewRetry(signal)) {
                forgetPreviews();
                return false;
            }
        }
        return true;
    }

    /** What was foretold is decided, or will never be. */
    void forgetPreviews() {
        all.forEach(permit -> permit.call().forgetPreview());
    }

    private CallOptions options(KeyPermit permit, @Nullable FailureKind kind, long waitingNanos) {
        Integer attempts = traits.maxAttempts();
        if (all.size() == 1 && deadline == NONE && !waitsElsewhere) {
            return traits.toOptions(kind, traits.maxWait(), attempts); // the throttle sees the whole wait by itself
        }
        long soFar = Nanos.plus(Nanos.of(permit.call().waited()), waitingNanos);
        int elsewhere = 0;
        for (KeyPermit other : all) {
            elsewhere += other == permit ? 0 : other.failures();
        }
        return traits.toOptions(
                kind,
                Duration.ofNanos(Nanos.plus(soFar, leftNanos())),
                attempts == null ? null : Math.max(1, attempts - elsewhere));
    }
}
