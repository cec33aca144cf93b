package dev.throttle;

import dev.throttle.internal.Preconditions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one call wants of its throttle. The same record serves {@link Throttle#execute}, the tag of an OkHttp request
 * and the options of a {@code java.net.http} request. What is null is left to the throttle, the method or the body.
 *
 * @param permits how many permits each attempt takes, from 1 to 1,000,000: the cost
 * @param idempotent whether sending the request twice does no harm, which it takes to repeat it after an overload or a
 *     fault; null to go by the HTTP method, or to repeat where there is none
 * @param replayable whether the request can be sent again at all: false sends it once, whatever the answer; null to go
 *     by the body, or to repeat where there is none
 * @param maxWait the longest total wait of the call, zero or more; null for {@link ThrottleSettings#maxWait}
 * @param maxAttempts how often the request is sent at most, whatever the answers, at least 1; null to leave that to the
 *     retry policy, which bounds the attempts after overloads and faults
 * @param isExempt whether the request passes as if there were no throttle
 */
public record CallOptions(
        int permits,
        @Nullable Boolean idempotent,
        @Nullable Boolean replayable,
        @Nullable Duration maxWait,
        @Nullable Integer maxAttempts,
        boolean isExempt) {

    /** One permit, and everything else left to the throttle, the method and the body. */
    public static final CallOptions DEFAULT = new CallOptions(1, null, null, null, null, false);

    private static final CallOptions EXEMPT = new CallOptions(1, null, null, null, null, true);

    /**
     * Checks the values.
     *
     * @param permits see the record
     * @param idempotent see the record
     * @param replayable see the record
     * @param maxWait see the record
     * @param maxAttempts see the record
     * @param isExempt see the record
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

    /** {@return options of a request that neither waits nor counts nor is repeated; only HTTP adapters heed them} */
    public static CallOptions exempt() {
        return EXEMPT;
    }

    /**
     * {@return these options with another number of permits}
     *
     * @param value how many permits each attempt takes, from 1 to 1,000,000
     */
    public CallOptions permits(int value) {
        return new CallOptions(value, idempotent, replayable, maxWait, maxAttempts, isExempt);
    }

    /**
     * {@return these options with another answer to whether the request is idempotent}
     *
     * @param value whether sending it twice does no harm; null to go by the method
     */
    public CallOptions idempotent(@Nullable Boolean value) {
        return new CallOptions(permits, value, replayable, maxWait, maxAttempts, isExempt);
    }

    /**
     * {@return these options with another answer to whether the request can be sent again}
     *
     * @param value whether it can; null to go by the body
     */
    public CallOptions replayable(@Nullable Boolean value) {
        return new CallOptions(permits, idempotent, value, maxWait, maxAttempts, isExempt);
    }

    /**
     * {@return these options with another bound of the total wait}
     *
     * @param value the longest total wait, zero or more; null for the throttle's own
     */
    public CallOptions maxWait(@Nullable Duration value) {
        return new CallOptions(permits, idempotent, replayable, value, maxAttempts, isExempt);
    }

    /**
     * {@return these options with another bound of attempts}
     *
     * @param value how often the request is sent at most, whatever the answers, at least 1; null for the retry policy's
     *     own bound
     */
    public CallOptions maxAttempts(@Nullable Integer value) {
        return new CallOptions(permits, idempotent, replayable, maxWait, value, isExempt);
    }
}
