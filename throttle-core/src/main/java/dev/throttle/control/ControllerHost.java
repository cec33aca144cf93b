package dev.throttle.control;

import java.util.random.RandomGenerator;

/**
 * The throttle that a controller belongs to. Controllers need it if several throttles or processes share their limit.
 * Most controllers need only {@link #random()}.
 *
 * <p>Thread-safe, except for {@link #random()}, which only the controller may use. A controller may keep a reference to
 * its host. The reference keeps the throttle reachable.
 */
public interface ControllerHost {

    /** {@return the name of the throttle, or of the registry that it belongs to} */
    String name();

    /** {@return the key whose requests the throttle limits; the name if it was not made for a key} */
    String key();

    /** {@return the only source of randomness the controller may use; seeded by the throttle} */
    RandomGenerator random();

    /**
     * Makes the throttle ask its controllers again, because something outside has changed and its callers may be able
     * to proceed. It can be called from any thread, but not from a method of any controller. It never blocks for long;
     * asynchronous callers proceed on the throttle's executor.
     */
    void nudge();

    /**
     * {@return how many callers wait in the throttle's queue, for any reason} The number may be slightly out of date.
     */
    int waiting();

    /** {@return whether the registry has dropped the throttle, so that it will never ask its controllers again} */
    boolean isGone();
}
