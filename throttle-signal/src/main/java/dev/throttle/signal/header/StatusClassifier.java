package dev.throttle.signal.header;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;

/**
 * Tells refusals by what servers in the field send. A status that has other meanings too counts only if the headers say
 * that it is about a limit.
 */
public final class StatusClassifier {

    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int CONTENT_TOO_LARGE = 413;
    private static final int TEAPOT = 418;
    private static final int ENHANCE_YOUR_CALM = 420;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int BAD_GATEWAY = 502;
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final int GATEWAY_TIMEOUT = 504;
    private static final int BANDWIDTH_EXCEEDED = 509;
    private static final int OVERLOADED = 529;

    private StatusClassifier() {}

    /** {@return how an attempt ended} */
    public static Outcome classify(ResponseHead response, RateHints hints) {
        boolean named = hints.retryAfter() != null;
        return switch (response.status()) {
            case TOO_MANY_REQUESTS, ENHANCE_YOUR_CALM, BANDWIDTH_EXCEEDED -> Outcome.RATE_LIMITED;
            case SERVICE_UNAVAILABLE, OVERLOADED -> Outcome.BUSY;
            case CONTENT_TOO_LARGE, SERVER_ERROR -> named ? Outcome.BUSY : Outcome.SUCCESS;
            case BAD_GATEWAY, GATEWAY_TIMEOUT -> named ? Outcome.BUSY : Outcome.UNREACHABLE;
            case TEAPOT -> named ? Outcome.RATE_LIMITED : Outcome.SUCCESS;
            case FORBIDDEN -> named || hints.isExhausted() ? Outcome.RATE_LIMITED : Outcome.SUCCESS;
            case BAD_REQUEST -> AwsErrors.isThrottling(response) ? Outcome.RATE_LIMITED : Outcome.SUCCESS;
            default -> Outcome.SUCCESS;
        };
    }
}
