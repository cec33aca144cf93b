package dev.throttle.signal;

import dev.throttle.signal.header.StatusClassifier;

/**
 * Decides the outcome of an attempt from the status and headers of its response. Replace it for servers that refuse in
 * their own way. Implementations must be thread-safe and fast, and must not throw; if one does, the standard classifier
 * decides instead.
 *
 * <pre>{@code
 * Classifier classifier = (response, hints) -> response.status() == 420
 *         ? Outcome.RATE_LIMITED
 *         : Classifier.standard().classify(response, hints);
 * }</pre>
 */
@FunctionalInterface
public interface Classifier {

    /** {@return the default classifier, which knows the statuses that servers commonly use to refuse} */
    static Classifier standard() {
        return StatusClassifier::classify;
    }

    /**
     * Classifies a response.
     *
     * @param response status and headers
     * @param hints what the headers say about limits
     * @return how the attempt ended
     */
    Outcome classify(ResponseHead response, RateHints hints);
}
