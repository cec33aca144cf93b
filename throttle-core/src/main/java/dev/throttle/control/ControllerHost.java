package dev.throttle.control;

import dev.throttle.internal.Preconditions;
import java.util.random.RandomGenerator;

/**
 * The throttle that a controller belongs to. Controllers need it if several throttles or processes share their limit.
 * Most controllers need only {@link #random()}.
 *
 * <p>Thread-safe, except for {@link #random()}, which only the controller may use. A controller may keep a reference to
 * its host. The reference keeps the throttle reachable.
 */
public interface ControllerHost {

    /**
     * {@return a host without a throttle, for tests of controllers and for controllers that are used directly} Its name
     * and key are {@code detached}, it has no callers, and nudging it does nothing.
     *
     * @param random the randomness of the controller
     */
    static ControllerHost detached(RandomGenerator random) {
        Preconditions.required("random", random);
        return new ControllerHost() {
            @Override
            public String name() {
                return "detached";
            }

            @Override
            public String key() {
                return name();
            }

            @Override
            public RandomGenerator random() {
                return random;
            }

            @Override
            public void nudge() {}

            @Override
            public int waiting() {
                return 0;
            }

            @Override
            public boolean isGone() {
                return false;
            }

            @Override
            public boolean isDetached() {
                return true;
            }
        };
    }

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

    /**
     * {@return whether there is no throttle that could be nudged, as with {@link #detached}; false by default} A
     * controller then has to name a time at which it is asked again.
     */
    default boolean isDetached() {
        return false;
    }
}
