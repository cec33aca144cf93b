package dev.throttle.okhttp;

import dev.throttle.ThrottleSettings;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * What one request wants of the throttle, given as a tag: {@code builder.tag(ThrottleOptions.class,
 * ThrottleOptions.exempt())}. OkHttp keeps tags on redirects and clones. What is null is left to the throttle.
 *
 * @param isExempt whether the request passes as if there were no throttle
 * @param permits how many permits the request takes, at least 1: its cost
 * @param maxWait the longest total wait; null for {@link ThrottleSettings#maxWait}
 * @param retries how often the request is sent again at most, after whatever; null for the retry policy's own
 * @param idempotent whether sending it twice does no harm; null to go by the method
 */
public record ThrottleOptions(
        boolean isExempt,
        int permits,
        @Nullable Duration maxWait,
        @Nullable Integer retries,
        @Nullable Boolean idempotent) {

    private static final ThrottleOptions DEFAULTS = new ThrottleOptions(false, 1, null, null, null);
    private static final ThrottleOptions EXEMPT = new ThrottleOptions(true, 1, null, null, null);

    /**
     * Checks the values.
     *
     * @param isExempt whether the request passes as if there were no throttle
     * @param permits how many permits the request takes, at least 1: its cost
     * @param maxWait the longest total wait; null for {@link ThrottleSettings#maxWait}
     * @param retries how often the request is sent again at most, after whatever; null for the retry policy's own
     * @param idempotent whether sending it twice does no harm; null to go by the method
     */
    public ThrottleOptions {
        Preconditions.between("permits", permits, 1, 1_000_000);
        if (maxWait != null) {
            Preconditions.notNegative("maxWait", maxWait);
        }
        if (retries != null) {
            Preconditions.between("retries", retries, 0, Integer.MAX_VALUE - 1);
        }
    }

    /** {@return one permit, and everything else left to the throttle} */
    public static ThrottleOptions defaults() {
        return DEFAULTS;
    }

    /** {@return options of a request that neither waits nor counts nor is repeated} */
    public static ThrottleOptions exempt() {
        return EXEMPT;
    }

    /** {@return the options of a request, or others if it has none} */
    static ThrottleOptions of(Request request, ThrottleOptions otherwise) {
        ThrottleOptions own = request.tag(ThrottleOptions.class);
        return own == null ? otherwise : own;
    }

    /**
     * {@return these options with another cost}
     *
     * @param value how many permits the request takes, at least 1
     */
    public ThrottleOptions permits(int value) {
        return new ThrottleOptions(isExempt, value, maxWait, retries, idempotent);
    }

    /**
     * {@return these options with another bound of the total wait}
     *
     * @param value the longest wait; zero for never waiting
     */
    public ThrottleOptions maxWait(Duration value) {
        return new ThrottleOptions(isExempt, permits, Preconditions.required("maxWait", value), retries, idempotent);
    }

    /**
     * {@return these options with another bound of the total wait}
     *
     * @param value the longest wait; zero for never waiting
     * @param unit its unit
     */
    public ThrottleOptions maxWait(long value, TimeUnit unit) {
        return maxWait(Duration.of(value, unit.toChronoUnit()));
    }

    /**
     * {@return these options with another bound of repetitions}
     *
     * @param value how often the request is sent again at most; zero for never
     */
    public ThrottleOptions retries(int value) {
        return new ThrottleOptions(isExempt, permits, maxWait, value, idempotent);
    }

    /**
     * {@return these options with an answer to whether the request is idempotent, whatever its method}
     *
     * @param value whether sending it twice does no harm
     */
    public ThrottleOptions idempotent(boolean value) {
        return new ThrottleOptions(isExempt, permits, maxWait, retries, value);
    }
}
