package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.internal.Fields;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call's dealings with one key: the permit of its next attempt, and how its attempts ended there. The throttle's own
 * call is made when there is more to do than to take a permit that is there and to end it.
 */
final class KeyPermit {

    private static final VarHandle HELD = Fields.handle(MethodHandles.lookup(), KeyPermit.class, "held", Permit.class);

    private final String key;
    private final Throttle throttle;
    /** Null as long as nobody needs it. */
    private volatile @Nullable ThrottledCall call;
    /** What was taken without it, for the first attempt. */
    private @Nullable Permit atRest;

    private volatile @Nullable Permit held;
    /** How many attempts ended here refused or failed. */
    private int failures;

    KeyPermit(String key, Throttle throttle) {
        this.key = key;
        this.throttle = throttle;
    }

    String key() {
        return key;
    }

    /** {@return the short way past the throttle of the key} */
    AdmissionAtRest atRest() {
        return throttle.atRest();
    }

    /** {@return the throttle's call if it was made} */
    @Nullable ThrottledCall call() {
        return call;
    }

    /** {@return the throttle's call, which is made} An answer and the end of its patience may both ask for it. */
    synchronized ThrottledCall makeCall(CallOptions options) {
        ThrottledCall there = call;
        if (there != null) {
            return there;
        }
        Permit first = atRest;
        atRest = null;
        ThrottledCall made = first == null ? throttle.newCall(options) : atRest().callOf(first, options);
        call = made;
        return made;
    }

    /** {@return whether it matters to the key what requests cost beside their number} */
    boolean countsCosts() {
        ThrottledCall made = call;
        return made == null ? atRest().countsCosts() : made.countsCosts();
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
        return held != null;
    }

    void hold(Permit permit) {
        held = permit;
    }

    /** {@return whether a permit of the first attempt was there at once, without the throttle's call} It is held. */
    boolean tryAcquireAtRest() {
        if (call != null || atRest != null) {
            return false;
        }
        Permit permit = atRest().tryAcquire();
        atRest = permit;
        held = permit;
        return permit != null;
    }

    /** {@return the permit that is held, and no longer is} */
    @Nullable Permit take() {
        return held == null ? null : (Permit) HELD.getAndSet(this, null);
    }

    /** {@return whether the throttle's call takes part in the end of an attempt} */
    boolean endsWithCall(Signal signal) {
        return call != null
                || switch (signal.outcome()) {
                    case RATE_LIMITED, BUSY, FAILED, DENIED -> true;
                    case SUCCESS, IGNORED, CANCELLED -> false;
                };
    }

    RetryDecision complete(Permit permit, @Nullable ResponseHead head, Signal signal) {
        switch (signal.outcome()) {
            case RATE_LIMITED, BUSY, FAILED -> failures++;
            case SUCCESS, DENIED, IGNORED, CANCELLED -> {}
        }
        return head == null ? permit.complete(signal) : permit.complete(head, signal);
    }
}
