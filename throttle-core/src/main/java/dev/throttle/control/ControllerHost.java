package dev.throttle.control;

import java.util.random.RandomGenerator;

/**
 * The throttle that a controller belongs to, as far as a controller needs it whose limit is not all its own: one that
 * several throttles or several processes share. Most controllers need nothing but {@link #random()}.
 *
 * <p>Thread-safe, except for {@link #random()}, which belongs to the controller as it is. A controller may keep it; who
 * keeps a controller's host for longer than the controller lives keeps the throttle too.
 */
public interface ControllerHost {

    /** {@return the name of the throttle, or of the registry that it belongs to} */
    String name();

    /** {@return the key whose requests the throttle paces; the name, if it was not made for a key} */
    String key();

    /** {@return the only source of randomness the controller may use; seeded by the throttle} */
    RandomGenerator random();

    /**
     * Has the throttle ask its controllers again, because something happened outside of it: what its callers wait for
     * may be there. To be called from any thread, but not from within a method of a controller, of this throttle or of
     * another. It never blocks for long, and asynchronous callers that may go are handed to the throttle's executor.
     */
    void nudge();

    /**
     * {@return how many callers wait in the throttle's queue, for whatever reason; a moment ago, if something happens
     * now}
     */
    int waiting();

    /** {@return whether the throttle was dropped by its registry: it will never ask its controllers again} */
    boolean isGone();
}
