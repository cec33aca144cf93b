package dev.throttle.okhttp;

import java.math.BigInteger;
import java.util.List;
import java.util.regex.Pattern;
import okhttp3.Response;

/**
 * Brings a {@code Retry-After} of more seconds than an int holds down to the largest int. OkHttp reads that header of a
 * 503 or 408 as an int, and would throw a {@link NumberFormatException} out of the call.
 */
final class RetryAfterRepair {

    private static final int REQUEST_TIMEOUT = 408;
    private static final int UNAVAILABLE = 503;
    private static final String RETRY_AFTER = "Retry-After";
    private static final Pattern DIGITS = Pattern.compile("\\d+");
    private static final BigInteger LARGEST = BigInteger.valueOf(Integer.MAX_VALUE);
    /** No number with fewer digits is too large. */
    private static final int HARMLESS_LENGTH = 9;

    private RetryAfterRepair() {}

    static Response repair(Response response) {
        boolean isReadByOkHttp = response.code() == UNAVAILABLE || response.code() == REQUEST_TIMEOUT;
        if (!isReadByOkHttp || response.header(RETRY_AFTER) == null) {
            return response; // as nearly always
        }
        List<String> values = response.headers(RETRY_AFTER);
        if (values.stream().noneMatch(RetryAfterRepair::isTooLarge)) {
            return response;
        }
        Response.Builder repaired = response.newBuilder().removeHeader(RETRY_AFTER);
        for (String value : values) {
            repaired.addHeader(RETRY_AFTER, isTooLarge(value) ? LARGEST.toString() : value);
        }
        return repaired.build();
    }

    private static boolean isTooLarge(String value) {
        return value.length() > HARMLESS_LENGTH
                && DIGITS.matcher(value).matches()
                && new BigInteger(value).compareTo(LARGEST) > 0;
    }
}
