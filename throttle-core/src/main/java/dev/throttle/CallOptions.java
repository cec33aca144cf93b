package dev.throttle;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of one call. They are passed to {@link Throttle#execute}, set as the tag of an OkHttp request, or passed
 * with a {@code java.net.http} request. Where an option is null, the throttle, the HTTP method or the body decides.
 *
 * <pre>{@code
 * CallOptions report = CallOptions.DEFAULT.priority(Priority.BATCH).maxWait(Duration.ofHours(1));
 * }</pre>
 *
 * @param cost the known cost of each attempt: from 1 to 1,000,000 requests, and the named amounts of other units.
 *     Making a call that costs more than a limit of the throttle can ever grant fails
 * @param estimate the probable cost of each attempt in units that {@code cost} does not name; null for no estimate. It
 *     never makes a call impossible: a limit reduces it to what it can grant. Its number of requests is ignored
 * @param profile a name for calls that cost about the same, such as path and model. The throttle learns from settled
 *     calls what the calls of a profile cost; null for one profile of the whole throttle
 * @param idempotent whether sending the request twice does no harm. Only such requests are retried after an overload or
 *     a fault. Null: the HTTP method decides, and a call without a method is retried
 * @param replayable whether the request can be sent again at all; false to send it only once. Null: the body decides,
 *     and a call without a body is retried
 * @param maxWait the longest total wait of the call, zero or more; null for {@link Throttle.Builder#maxWait}
 * @param overloadWait the longest time that the call waits for a server that is away, zero or more; null for
 *     {@link Throttle.Builder#overloadWait}
 * @param maxAttempts the most attempts, whatever the responses, at least 1; null to leave it to the retry policy, which
 *     limits the attempts after overloads and faults
 * @param isExempt whether the request bypasses the throttle
 * @param priority the priority among the calls that wait for the same throttle
 * @param route a name for calls that the same quotas of the server count, such as {@code GET /search/*}; null to take
 *     the method and the path, in which ids count as the same. See {@link Throttle.Builder#learnRoutes}
 * @param tenant on whose behalf the call is made, such as the id of a customer; null if that does not matter. Waiting
 *     calls of the same priority take turns by tenant. Calls without a tenant count as those of one more tenant.
 *     Without effect in the line of a {@link Pool}. See {@link Throttle.Builder#tenantWeights}
 * @param affinity names what the call belongs to, such as a conversation whose prompt a server has cached; null if that
 *     does not matter. Calls of a {@link Pool} with the same name go to the same member if the wait there is short. See
 *     {@link Pool.Builder#affinityWait}
 */
public record CallOptions(
        Cost cost,
        @Nullable Cost estimate,
        @Nullable String profile,
        @Nullable Boolean idempotent,
        @Nullable Boolean replayable,
        @Nullable Duration maxWait,
        @Nullable Duration overloadWait,
        @Nullable Integer maxAttempts,
        boolean isExempt,
        Priority priority,
        @Nullable String route,
        @Nullable String tenant,
        @Nullable String affinity) {

    private static final long MOST_REQUESTS = 1_000_000;

    /** The defaults: one request, and everything else left to the throttle, the method and the body. */
    public static final CallOptions DEFAULT = new CallOptions(
            Cost.ONE, null, null, null, null, null, null, null, false, Priority.NORMAL, null, null, null);

    private static final CallOptions EXEMPT = DEFAULT.with(changed -> changed.isExempt = true);

    /**
     * Checks the values. Further options may be added to later versions, and with them parameters: begin with
     * {@link #DEFAULT}, and change that.
     *
     * @param cost see the record
     * @param estimate see the record
     * @param profile see the record
     * @param idempotent see the record
     * @param replayable see the record
     * @param maxWait see the record
     * @param overloadWait see the record
     * @param maxAttempts see the record
     * @param isExempt see the record
     * @param priority see the record
     * @param route see the record
     * @param tenant see the record
     * @param affinity see the record
     */
    public CallOptions {
        Preconditions.between("requests", Preconditions.required("cost", cost).requests(), 1, MOST_REQUESTS);
        if (maxWait != null) {
            Preconditions.notNegative("maxWait", maxWait);
        }
        if (overloadWait != null) {
            Preconditions.notNegative("overloadWait", overloadWait);
        }
        if (maxAttempts != null) {
            Preconditions.between("maxAttempts", maxAttempts, 1, Integer.MAX_VALUE);
        }
        Preconditions.required("priority", priority);
        if (route != null) {
            Preconditions.notBlank("route", route);
        }
        if (tenant != null) {
            Preconditions.notBlank("tenant", tenant);
        }
        if (affinity != null) {
            Preconditions.notBlank("affinity", affinity);
        }
    }

    /** The values of options that are made from others. */
    private static final class Draft {
        Cost cost;

        @Nullable Cost estimate;

        @Nullable String profile;

        @Nullable Boolean idempotent;

        @Nullable Boolean replayable;

        @Nullable Duration maxWait;

        @Nullable Duration overloadWait;

        @Nullable Integer maxAttempts;

        boolean isExempt;
        Priority priority;

        @Nullable String route;

        @Nullable String tenant;

        @Nullable String affinity;

        Draft(CallOptions from) {
            cost = from.cost;
            estimate = from.estimate;
            profile = from.profile;
            idempotent = from.idempotent;
            replayable = from.replayable;
            maxWait = from.maxWait;
            overloadWait = from.overloadWait;
            maxAttempts = from.maxAttempts;
            isExempt = from.isExempt;
            priority = from.priority;
            route = from.route;
            tenant = from.tenant;
            affinity = from.affinity;
        }
    }

    private CallOptions with(Consumer<Draft> change) {
        Draft to = new Draft(this);
        change.accept(to);
        return new CallOptions(
                to.cost,
                to.estimate,
                to.profile,
                to.idempotent,
                to.replayable,
                to.maxWait,
                to.overloadWait,
                to.maxAttempts,
                to.isExempt,
                to.priority,
                to.route,
                to.tenant,
                to.affinity);
    }

    /**
     * {@return options for a request that bypasses the throttle: it does not wait, does not count and is not retried}
     */
    public static CallOptions exempt() {
        return EXEMPT;
    }

    /**
     * {@return these options with another number of requests per attempt}
     *
     * @param value as how many requests each attempt counts, from 1 to 1,000,000; the amounts of other units stay
     */
    public CallOptions permits(int value) {
        Preconditions.between("permits", value, 1, MOST_REQUESTS);
        return cost(cost.and(Quota.REQUESTS, value));
    }

    /**
     * {@return these options with another cost}
     *
     * @param value the known cost of each attempt, with 1 to 1,000,000 requests
     */
    public CallOptions cost(Cost value) {
        return with(changed -> changed.cost = value);
    }

    /**
     * {@return these options with another estimate of the cost}
     *
     * @param value the probable cost of each attempt; null for no estimate
     */
    public CallOptions estimate(@Nullable Cost value) {
        return with(changed -> changed.estimate = value);
    }

    /**
     * {@return these options with another profile}
     *
     * @param value a name for calls that cost about the same; null for one profile of the whole throttle
     */
    public CallOptions profile(@Nullable String value) {
        return with(changed -> changed.profile = value);
    }

    /**
     * {@return these options with another answer to whether the request is idempotent}
     *
     * @param value whether sending it twice does no harm; null to let the method decide
     */
    public CallOptions idempotent(@Nullable Boolean value) {
        return with(changed -> changed.idempotent = value);
    }

    /**
     * {@return these options with another answer to whether the request can be sent again}
     *
     * @param value whether it can; null to let the body decide
     */
    public CallOptions replayable(@Nullable Boolean value) {
        return with(changed -> changed.replayable = value);
    }

    /**
     * {@return these options with another limit of the total wait}
     *
     * @param value the longest total wait, zero or more; null for the throttle's own
     */
    public CallOptions maxWait(@Nullable Duration value) {
        return with(changed -> changed.maxWait = value);
    }

    /**
     * {@return these options with another limit of the wait for a server that is away}
     *
     * @param value the longest time, zero or more; null for the throttle's own
     */
    public CallOptions overloadWait(@Nullable Duration value) {
        return with(changed -> changed.overloadWait = value);
    }

    /**
     * {@return these options with another limit of attempts}
     *
     * @param value the most attempts, whatever the responses, at least 1; null for the limit of the retry policy
     */
    public CallOptions maxAttempts(@Nullable Integer value) {
        return with(changed -> changed.maxAttempts = value);
    }

    /**
     * {@return these options with another priority}
     *
     * @param value the priority among waiting calls; {@link Priority#NORMAL} by default
     */
    public CallOptions priority(Priority value) {
        return with(changed -> changed.priority = value);
    }

    /**
     * {@return these options with another route}
     *
     * @param value a name for calls that the same quotas of the server count, not blank; null to take method and path
     */
    public CallOptions route(@Nullable String value) {
        return with(changed -> changed.route = value);
    }

    /**
     * {@return these options with another tenant}
     *
     * @param value on whose behalf the call is made, not blank; null if that does not matter
     */
    public CallOptions tenant(@Nullable String value) {
        return with(changed -> changed.tenant = value);
    }

    /**
     * {@return these options with another affinity}
     *
     * @param value names what the call belongs to, not blank; null if that does not matter
     */
    public CallOptions affinity(@Nullable String value) {
        return with(changed -> changed.affinity = value);
    }
}
