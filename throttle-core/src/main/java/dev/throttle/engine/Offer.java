package dev.throttle.engine;

import dev.throttle.Permit;
import org.jspecify.annotations.Nullable;

/**
 * What a member of a pool answers to a call that asks.
 *
 * @param permit the permit; null if the call cannot go there now
 * @param until what it has to wait for there
 * @param isOwn whether only this call has to wait for that, so that the next one may be let go
 */
record Offer(@Nullable Permit permit, Wait until, boolean isOwn) {

    /** The member never accepts a call as large as this one. */
    static final Offer TOO_LARGE = own(new Wait(Wait.UNTIL_SIGNAL, Refusal.TOO_LARGE));

    static Offer of(Permit permit) {
        return new Offer(permit, Wait.NONE, false);
    }

    static Offer waits(Wait wait) {
        return new Offer(null, wait, false);
    }

    static Offer own(Wait wait) {
        return new Offer(null, wait, true);
    }
}
