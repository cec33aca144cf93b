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
 * What a call has at one key: the permit of its next attempt, and how many of its attempts failed there. The throttle's
 * own call is made only when a permit has to be waited for, or an attempt has failed.
 */
final class KeyPermit {

    private static final VarHandle HELD = Fields.handle(MethodHandles.lookup(), KeyPermit.class, "held", Permit.class);

    private final String key;
    private final Throttle throttle;
    private final Calls calls;
    /** Null until it is needed. */
    private volatile @Nullable ThrottledCall call;
    /** What was taken without it, for the first attempt. */
    private @Nullable Permit atRest;

    private volatile @Nullable Permit held;
    /** How many attempts ended here refused or failed. */
    private int failures;

    KeyPermit(String key, Throttle throttle) {
        this.key = key;
        this.throttle = throttle;
        this.calls = Calls.of(throttle);
    }

    String key() {
        return key;
    }

    /** {@return what makes the calls of the key's throttle} */
    Calls calls() {
        return calls;
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
        ThrottledCall made = first == null ? calls.newCall(options) : calls.callOf(first, options);
        call = made;
        return made;
    }

    /** {@return whether it matters to the key what requests cost beside their number} */
    boolean countsCosts() {
        ThrottledCall made = call;
        return made == null ? calls.countsCosts() : made.countsCosts();
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
        Permit permit = calls.tryAcquire();
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
                    case RATE_LIMITED, BUSY, UNREACHABLE, FAILED, DENIED -> true;
                    case SUCCESS, IGNORED, CANCELLED -> false;
                };
    }

    RetryDecision complete(Permit permit, @Nullable ResponseHead head, Signal signal) {
        switch (signal.outcome()) {
            case RATE_LIMITED, BUSY, UNREACHABLE, FAILED -> failures++;
            case SUCCESS, DENIED, IGNORED, CANCELLED -> {}
        }
        return head == null ? permit.complete(signal) : permit.complete(head, signal);
    }
}
