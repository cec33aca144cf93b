package dev.throttle.okhttp;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.ThrottledCall;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A journey's dealings with one key. Most journeys have one; redirects to other hosts add more. */
final class Leg {

    private final String key;
    private final Throttle throttle;
    private volatile ThrottledCall call;
    private @Nullable Permit held;

    Leg(String key, Throttle throttle, RequestTraits terms) {
        this.key = key;
        this.throttle = throttle;
        this.call = throttle.newCall(terms.toCallOptions(throttle.maxWait(), 0));
    }

    String key() {
        return key;
    }

    ThrottledCall call() {
        return call;
    }

    /** {@return what a response says, as this key's throttle understands it} */
    Signal read(ResponseHead response) {
        return throttle.read(response);
    }

    /** {@return the longest wait where the request names none} */
    Duration maxWait() {
        return throttle.maxWait();
    }

    /** Begins anew, after an attempt that was accepted here and refused elsewhere. */
    void renew() {
        call = throttle.newCall(call.options());
    }

    void hold(Permit permit) {
        held = permit;
    }

    boolean isHolding() {
        return held != null;
    }

    /** {@return the permit of the next hop: the one waited for, or else one that is charged} */
    Permit take() {
        Permit permit = held;
        held = null;
        return permit == null ? call.acquireForced() : permit;
    }

    /** Gives back the permit that was waited for and not used. */
    void release() {
        Permit permit = held;
        held = null;
        if (permit != null) {
            permit.release();
        }
    }
}
