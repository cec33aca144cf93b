package dev.throttle.signal;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a server said about one of its limits. Components that it did not mention are null.
 *
 * @param policy the policy's name, such as {@code requests} or {@code daily}; null for a limit without a name
 * @param limit how many units the policy grants per window, not negative
 * @param remaining how many units are left, not negative; some servers let it exceed the limit
 * @param reset the time from the response until the policy grants units again, not negative
 * @param window the length of the policy's window, positive
 * @param unit what is counted; {@link #REQUESTS} unless the server said something else
 * @param partition whose quota it is, in base 64, if the server divides a policy among its clients
 * @param ambiguousReset whether the reset was a number without a unit, which may be milliseconds. It was read as
 *     seconds. Two quotas that differ only in this are equal
 */
public record Quota(
        @Nullable String policy,
        @Nullable Long limit,
        @Nullable Long remaining,
        @Nullable Duration reset,
        @Nullable Duration window,
        String unit,
        @Nullable String partition,
        boolean ambiguousReset) {

    /** The unit of a quota that counts requests. */
    public static final String REQUESTS = "requests";

    /** The unit of a quota that counts the tokens of a language model, both input and output. */
    public static final String TOKENS = "tokens";

    /** The unit of a quota that counts the tokens sent to a language model. */
    public static final String INPUT_TOKENS = "input-tokens";

    /** The unit of a quota that counts the tokens that a language model returns. */
    public static final String OUTPUT_TOKENS = "output-tokens";

    /** The unit of a quota that counts points, the costs of GraphQL queries. */
    public static final String POINTS = "points";

    /** The unit of a quota that limits concurrent requests. It does not refill with time. */
    public static final String CONCURRENT_REQUESTS = "concurrent-requests";

    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Makes a quota of requests.
     *
     * @param policy the policy's name or null
     * @param limit how many requests the policy grants per window or null
     * @param remaining how many requests are left or null
     * @param reset the time until the policy grants requests again or null
     * @param window the length of the policy's window or null
     */
    public Quota(
            @Nullable String policy,
            @Nullable Long limit,
            @Nullable Long remaining,
            @Nullable Duration reset,
            @Nullable Duration window) {
        this(policy, limit, remaining, reset, window, REQUESTS, null);
    }

    /**
     * Makes a quota whose reset is not ambiguous.
     *
     * @param policy the policy's name or null
     * @param limit how many units the policy grants per window or null
     * @param remaining how many units are left or null
     * @param reset the time until the policy grants units again or null
     * @param window the length of the policy's window or null
     * @param unit what is counted
     * @param partition whose quota it is or null
     */
    public Quota(
            @Nullable String policy,
            @Nullable Long limit,
            @Nullable Long remaining,
            @Nullable Duration reset,
            @Nullable Duration window,
            String unit,
            @Nullable String partition) {
        this(policy, limit, remaining, reset, window, unit, partition, false);
    }

    /**
     * {@return a quota of which only the name is known: the response says that it counts the request}
     *
     * @param policy the policy's name
     */
    public static Quota named(String policy) {
        return new Quota(Checks.notBlank("policy", policy), null, null, null, null);
    }

    /** {@return whether the server said no more than the name} */
    public boolean isNameOnly() {
        return limit == null && remaining == null && reset == null && window == null;
    }

    /** {@return the same quota with nothing left} */
    public Quota usedUp() {
        return new Quota(policy, limit, 0L, reset, window, unit, partition, ambiguousReset);
    }

    /** {@return whether the server said that nothing is left} */
    public boolean isExhausted() {
        return remaining != null && remaining == 0;
    }

    /** {@return whether the quota counts requests} */
    public boolean countsRequests() {
        return unit.equals(REQUESTS);
    }

    /**
     * {@return how many units may be spent before the reset: what remains, but not more than the limit; null if
     * unknown}
     */
    public @Nullable Long spendable() {
        return remaining == null || limit == null || remaining <= limit ? remaining : limit; // no new object
    }

    /**
     * {@return the rate in units per second at which the quota lasts until the reset and the policy's limit per window
     * is kept; null if the server has not said enough for either}
     */
    public @Nullable Double unitsPerSecond() {
        Double untilReset = perSecond(spendable(), reset);
        Double inTheLongRun = perSecond(limit, window);
        if (untilReset == null || inTheLongRun == null) {
            return untilReset == null ? inTheLongRun : untilReset;
        }
        return Math.min(untilReset, inTheLongRun);
    }

    private static @Nullable Double perSecond(@Nullable Long units, @Nullable Duration time) {
        if (units == null || time == null || time.isZero()) {
            return null;
        }
        return units / (time.getSeconds() + time.getNano() / NANOS_PER_SECOND);
    }

    /**
     * {@return the same quota with another time until the reset}
     *
     * @param newReset the time
     */
    public Quota withReset(@Nullable Duration newReset) {
        return new Quota(policy, limit, remaining, newReset, window, unit, partition);
    }

    /**
     * {@return whether another quota has the same name and partition, so that it is the same quota at another time}
     *
     * @param other a quota of the same server
     */
    public boolean isSameAs(Quota other) {
        return Objects.equals(policy, other.policy) && Objects.equals(partition, other.partition);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Quota that
                && isSameAs(that)
                && Objects.equals(limit, that.limit)
                && Objects.equals(remaining, that.remaining)
                && Objects.equals(reset, that.reset)
                && Objects.equals(window, that.window)
                && unit.equals(that.unit);
    }

    @Override
    public int hashCode() {
        return Objects.hash(policy, limit, remaining, reset, window, unit, partition);
    }
}
