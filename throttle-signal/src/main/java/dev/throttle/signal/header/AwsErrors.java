package dev.throttle.signal.header;

import dev.throttle.signal.ResponseHead;
import java.util.Set;

/** The error codes by which the services of AWS say that they refuse because of a limit. */
public final class AwsErrors {

    private static final String HEADER = "x-amzn-errortype";
    private static final Set<String> THROTTLING = Set.of(
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "RequestThrottled",
            "RequestThrottledException",
            "EC2ThrottledException",
            "TooManyRequestsException",
            "ProvisionedThroughputExceededException",
            "RequestLimitExceeded",
            "BandwidthLimitExceeded",
            "SlowDown",
            "PriorRequestNotComplete",
            "TransactionInProgressException");

    private AwsErrors() {}

    /** {@return whether a header of the response has such a code} */
    static boolean isThrottling(ResponseHead response) {
        for (String value : response.headers(HEADER)) {
            String clean = Text.clean(value);
            if (clean != null && isThrottling(clean)) {
                return true;
            }
        }
        return false;
    }

    /** {@return whether an error type is such a code, with or without a name space before and an address behind it} */
    public static boolean isThrottling(String type) {
        int colon = type.indexOf(':');
        int hash = type.lastIndexOf('#', colon < 0 ? type.length() : colon);
        String code = type.substring(hash + 1, colon < 0 ? type.length() : colon);
        return THROTTLING.contains(code.strip());
    }
}
