package dev.throttle.signal;

/** 429 is a quota refusal, 503 an overload, everything else an answer. */
final class StandardClassifier implements Classifier {

    static final StandardClassifier INSTANCE = new StandardClassifier();

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    private StandardClassifier() {}

    @Override
    public Outcome classify(ResponseHead response, RateHints hints) {
        return switch (response.status()) {
            case TOO_MANY_REQUESTS -> Outcome.THROTTLED;
            case SERVICE_UNAVAILABLE -> Outcome.BUSY;
            default -> Outcome.SUCCESS;
        };
    }
}
