package dev.throttle.control;

import org.jspecify.annotations.Nullable;

/**
 * Says which quotas of the server count a call, as far as the throttle has learned. A limit that is kept per quota of
 * the server leaves out those that do not count the call. Immutable.
 */
@FunctionalInterface
public interface Scope {

    /** The scope of a call of which nothing is known: each quota may count it. */
    Scope ALL = policy -> true;

    /**
     * {@return whether a quota counts the call, or may do so}
     *
     * @param policy the quota's name, as in {@link dev.throttle.signal.Quota#policy()}; null for one without a name,
     *     which counts all calls
     */
    boolean counts(@Nullable String policy);
}
