package dev.throttle;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one call wants of its throttle. The same record serves {@link Throttle#execute}, the tag of an OkHttp request
 * and the options of a {@code java.net.http} request. What is null is left to the throttle, the method or the body.
 *
 * @param cost what each attempt takes of the limits, known for certain: from 1 to 1,000,000 requests, and of other
 *     units what is named. A call that takes more than a limit of the throttle can ever grant is refused when it is
 *     made
 * @param estimate what each attempt probably takes of units that {@code cost} does not name; null for no estimate. It
 *     never makes a call impossible: a limit takes no more of it than it can grant. Its requests are not looked at
 * @param profile what calls that cost about the same have in common, such as path and model, so that the throttle can
 *     learn what they cost from those that were settled; null for one profile of the whole throttle
 * @param idempotent whether sending the request twice does no harm, which it takes to repeat it after an overload or a
 *     fault; null to go by the HTTP method, or to repeat where there is none
 * @param replayable whether the request can be sent again at all: false sends it once, whatever the answer; null to go
 *     by the body, or to repeat where there is none
 * @param maxWait the longest total wait of the call, zero or more; null for {@link ThrottleSettings#maxWait}
 * @param maxAttempts how often the request is sent at most, whatever the answers, at least 1; null to leave that to the
 *     retry policy, which bounds the attempts after overloads and faults
 * @param isExempt whether the request passes as if there were no throttle
 * @param priority how much the call matters beside others that wait for the same throttle
 */
public record CallOptions(
        Cost cost,
        @Nullable Cost estimate,
        @Nullable String profile,
        @Nullable Boolean idempotent,
        @Nullable Boolean replayable,
        @Nullable Duration maxWait,
        @Nullable Integer maxAttempts,
        boolean isExempt,
        Priority priority) {

    private static final long MOST_REQUESTS = 1_000_000;

    /** One request, and everything else left to the throttle, the method and the body. */
    public static final CallOptions DEFAULT =
            new CallOptions(Cost.ONE, null, null, null, null, null, null, false, Priority.NORMAL);

    private static final CallOptions EXEMPT =
            new CallOptions(Cost.ONE, null, null, null, null, null, null, true, Priority.NORMAL);

    /**
     * Checks the values.
     *
     * @param cost see the record
     * @param estimate see the record
     * @param profile see the record
     * @param idempotent see the record
     * @param replayable see the record
     * @param maxWait see the record
     * @param maxAttempts see the record
     * @param isExempt see the record
     * @param priority see the record
     */
    public CallOptions {
        Preconditions.between("requests", Preconditions.required("cost", cost).requests(), 1, MOST_REQUESTS);
        if (maxWait != null) {
            Preconditions.notNegative("maxWait", maxWait);
        }
        if (maxAttempts != null) {
            Preconditions.between("maxAttempts", maxAttempts, 1, Integer.MAX_VALUE);
        }
        Preconditions.required("priority", priority);
    }

    /** {@return options of a request that neither waits nor counts nor is repeated; only HTTP adapters heed them} */
    public static CallOptions exempt() {
        return EXEMPT;
    }

    /**
     * {@return these options with another number of requests that each attempt counts as}
     *
     * @param value how many requests, from 1 to 1,000,000; what is known of other units stays
     */
    public CallOptions permits(int value) {
        Preconditions.between("permits", value, 1, MOST_REQUESTS);
        return cost(cost.and(Quota.REQUESTS, value));
    }

    /**
     * {@return these options with another cost}
     *
     * @param value what each attempt takes, known for certain: from 1 to 1,000,000 requests
     */
    public CallOptions cost(Cost value) {
        return new CallOptions(
                value, estimate, profile, idempotent, replayable, maxWait, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another estimate of the cost}
     *
     * @param value what each attempt probably takes; null for no estimate
     */
    public CallOptions estimate(@Nullable Cost value) {
        return new CallOptions(cost, value, profile, idempotent, replayable, maxWait, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another profile}
     *
     * @param value what calls that cost about the same have in common; null for one profile of the whole throttle
     */
    public CallOptions profile(@Nullable String value) {
        return new CallOptions(cost, estimate, value, idempotent, replayable, maxWait, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another answer to whether the request is idempotent}
     *
     * @param value whether sending it twice does no harm; null to go by the method
     */
    public CallOptions idempotent(@Nullable Boolean value) {
        return new CallOptions(cost, estimate, profile, value, replayable, maxWait, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another answer to whether the request can be sent again}
     *
     * @param value whether it can; null to go by the body
     */
    public CallOptions replayable(@Nullable Boolean value) {
        return new CallOptions(cost, estimate, profile, idempotent, value, maxWait, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another bound of the total wait}
     *
     * @param value the longest total wait, zero or more; null for the throttle's own
     */
    public CallOptions maxWait(@Nullable Duration value) {
        return new CallOptions(cost, estimate, profile, idempotent, replayable, value, maxAttempts, isExempt, priority);
    }

    /**
     * {@return these options with another bound of attempts}
     *
     * @param value how often the request is sent at most, whatever the answers, at least 1; null for the retry policy's
     *     own bound
     */
    public CallOptions maxAttempts(@Nullable Integer value) {
        return new CallOptions(cost, estimate, profile, idempotent, replayable, maxWait, value, isExempt, priority);
    }

    /**
     * {@return these options with another priority}
     *
     * @param value how much the call matters beside others; {@link Priority#NORMAL} by default
     */
    public CallOptions priority(Priority value) {
        return new CallOptions(cost, estimate, profile, idempotent, replayable, maxWait, maxAttempts, isExempt, value);
    }
}
