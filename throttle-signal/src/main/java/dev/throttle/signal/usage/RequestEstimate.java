package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a request will cost, as far as its body tells, at a server that counts tokens: a token for four bytes to read,
 * and as many to write as it allows.
 *
 * @param inputTokens the tokens that the model will read, about
 * @param maxOutputTokens the most that it may write; null if the request does not bound it
 * @param model the model's name; null if the body has none
 */
public record RequestEstimate(
        long inputTokens,
        @Nullable Long maxOutputTokens,
        @Nullable String model) {

    /** Of a longer body only the length is looked at. */
    public static final int MAX_BYTES = 1 << 20;

    private static final int BYTES_PER_TOKEN = 4;

    /**
     * {@return what a request will cost; null if its body is not JSON}
     *
     * @param contentType the {@code Content-Type} of the body; null if it has none
     * @param body the whole body, not packed; one that is no JSON after all is judged by its length
     */
    public static @Nullable RequestEstimate of(@Nullable String contentType, byte[] body) {
        if (!isJson(contentType)) {
            return null;
        }
        if (body.length > MAX_BYTES) {
            return ofLength(body.length);
        }
        RequestScan scan = RequestScan.of(body);
        long output = scan.maxOutputTokens();
        return new RequestEstimate(tokens(scan.textBytes()), output == Amounts.UNKNOWN ? null : output, scan.model());
    }

    /**
     * {@return what a request will cost that is too long to look at}
     *
     * @param bytes the length of its body, at least 0
     */
    public static RequestEstimate ofLength(long bytes) {
        return new RequestEstimate(tokens(bytes), null, null);
    }

    /**
     * {@return whether a body is one to look at}
     *
     * @param contentType its {@code Content-Type}; null if it has none
     */
    public static boolean isJson(@Nullable String contentType) {
        return contentType != null && contentType.toLowerCase(Locale.ROOT).contains("json");
    }

    private static long tokens(long bytes) {
        return Math.min((bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN, Cost.MAX_AMOUNT);
    }

    /** {@return the cost; without a bound of what may be written, only the tokens to read are known} */
    public Cost cost() {
        Cost cost = Cost.of(Quota.INPUT_TOKENS, inputTokens);
        return maxOutputTokens == null ? cost : withOutput(cost, maxOutputTokens);
    }

    /**
     * {@return the cost if it is known from elsewhere how much is usually written; never more than the request allows}
     *
     * @param usualOutputTokens the tokens that such calls write, from 0 to {@link Cost#MAX_AMOUNT}
     */
    public Cost cost(long usualOutputTokens) {
        long output = maxOutputTokens == null ? usualOutputTokens : Math.min(maxOutputTokens, usualOutputTokens);
        return withOutput(Cost.of(Quota.INPUT_TOKENS, inputTokens), output);
    }

    private Cost withOutput(Cost cost, long output) {
        return cost.and(Quota.OUTPUT_TOKENS, output).and(Quota.TOKENS, Amounts.sum(inputTokens, output));
    }
}
