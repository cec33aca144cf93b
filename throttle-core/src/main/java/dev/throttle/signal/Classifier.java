package dev.throttle.signal;

import dev.throttle.signal.header.StatusClassifier;

/**
 * Decides how an attempt ended. Replace it for servers that refuse in their own way; implementations are thread-safe,
 * fast, and do not throw (if one does, the standard classifier answers in its place).
 */
@FunctionalInterface
public interface Classifier {

    /** {@return the default: the statuses that servers in the field use to refuse} */
    static Classifier standard() {
        return StatusClassifier::classify;
    }

    /**
     * Classifies a response.
     *
     * @param response status and headers
     * @param hints what was read from the headers
     * @return how the attempt ended
     */
    Outcome classify(ResponseHead response, RateHints hints);
}
