package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A call's dealings with one key: the permit of its next attempt, and how its attempts ended there. */
final class KeyPermit {

    private final String key;
    private final Throttle throttle;
    private final ThrottledCall call;
    private final AtomicReference<@Nullable Permit> held = new AtomicReference<>();
    /** How many attempts ended here refused or failed. */
    private int failures;

    KeyPermit(String key, Throttle throttle, CallOptions options) {
        this.key = key;
        this.throttle = throttle;
        this.call = throttle.newCall(options);
    }

    String key() {
        return key;
    }

    ThrottledCall call() {
        return call;
    }

    Duration maxWait() {
        return throttle.maxWait();
    }

    int failures() {
        return failures;
    }

    Signal read(ResponseHead head) {
        return throttle.read(head);
    }

    boolean isHolding() {
        return held.get() != null;
    }

    void acquire() throws InterruptedException, ThrottleRejectedException {
        hold(call.acquire());
    }

    void hold(Permit permit) {
        held.set(permit);
    }

    /** {@return the permit of the next request: the one waited for, or else one that never waits} */
    Permit take() {
        Permit permit = held.getAndSet(null);
        return permit == null ? call.acquireForced() : permit;
    }

    /** Gives back the permit that was waited for and not used. */
    void release() {
        Permit permit = held.getAndSet(null);
        if (permit != null) {
            permit.release();
        }
    }

    RetryDecision complete(Permit permit, @Nullable ResponseHead head, Signal signal) {
        switch (signal.outcome()) {
            case RATE_LIMITED, BUSY, FAILED -> failures++;
            case SUCCESS, DENIED, IGNORED, CANCELLED -> {}
        }
        return head == null ? permit.complete(signal) : permit.complete(head, signal);
    }
}
