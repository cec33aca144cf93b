package dev.throttle;

import dev.throttle.internal.Preconditions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the throttle has to know about one call.
 *
 * @param permits how many permits each attempt takes, at least 1
 * @param idempotent whether sending the request twice does no harm; needed to repeat it after an overload or a fault
 * @param replayable whether the request can be sent again at all, which a body that streams cannot
 * @param maxWait the longest total wait of the call; null for the throttle's own
 * @param maxAttempts the most attempts after overloads and faults, at least 1; null for the retry policy's own
 */
public record CallOptions(
        int permits,
        boolean idempotent,
        boolean replayable,
        @Nullable Duration maxWait,
        @Nullable Integer maxAttempts) {

    /** One permit, idempotent, replayable, and the limits of the throttle. */
    public static final CallOptions DEFAULT = new CallOptions(1, true, true, null, null);

    /**
     * Checks the values.
     *
     * @param permits how many permits each attempt takes, at least 1
     * @param idempotent whether sending the request twice does no harm; needed to repeat it after an overload or a
     *     fault
     * @param replayable whether the request can be sent again at all, which a body that streams cannot
     * @param maxWait the longest total wait of the call; null for the throttle's own
     * @param maxAttempts the most attempts after overloads and faults, at least 1; null for the retry policy's own
     */
    public CallOptions {
        Preconditions.between("permits", permits, 1, 1_000_000);
        if (maxWait != null) {
            Preconditions.notNegative("maxWait", maxWait);
        }
        if (maxAttempts != null) {
            Preconditions.between("maxAttempts", maxAttempts, 1, Integer.MAX_VALUE);
        }
    }

    /**
     * {@return these options with another number of permits}
     *
     * @param value how many permits each attempt takes, at least 1
     */
    public CallOptions permits(int value) {
        return new CallOptions(value, idempotent, replayable, maxWait, maxAttempts);
    }

    /**
     * {@return these options with another answer to whether the request is idempotent}
     *
     * @param value whether sending it twice does no harm
     */
    public CallOptions idempotent(boolean value) {
        return new CallOptions(permits, value, replayable, maxWait, maxAttempts);
    }

    /**
     * {@return these options with another answer to whether the request can be sent again}
     *
     * @param value whether it can
     */
    public CallOptions replayable(boolean value) {
        return new CallOptions(permits, idempotent, value, maxWait, maxAttempts);
    }

    /**
     * {@return these options with another bound of the total wait}
     *
     * @param value the longest total wait, zero or more; null for the throttle's own
     */
    public CallOptions maxWait(@Nullable Duration value) {
        return new CallOptions(permits, idempotent, replayable, value, maxAttempts);
    }

    /**
     * {@return these options with another bound of attempts}
     *
     * @param value the most attempts after overloads and faults, at least 1; null for the retry policy's own
     */
    public CallOptions maxAttempts(@Nullable Integer value) {
        return new CallOptions(permits, idempotent, replayable, maxWait, value);
    }
}
