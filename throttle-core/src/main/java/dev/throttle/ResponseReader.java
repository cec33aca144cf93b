package dev.throttle;

import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a response into a signal. A reader or classifier of the user's that throws is passed over, never the response.
 */
record ResponseReader(HintReader hintReader, Classifier classifier) {

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

    Signal read(ResponseHead response, long receivedAtMillis) {
        RateHints hints = hints(response, receivedAtMillis);
        return Signal.of(outcome(response, hints), hints);
    }

    private RateHints hints(ResponseHead response, long receivedAtMillis) {
        try {
            return hintReader.read(response, receivedAtMillis);
        } catch (RuntimeException e) {
            LOG.warn("a hint reader failed on a response of status {}", response.status(), e);
            return RateHints.NONE;
        }
    }

    private Outcome outcome(ResponseHead response, RateHints hints) {
        try {
            return classifier.classify(response, hints);
        } catch (RuntimeException e) {
            LOG.warn("a classifier failed on a response of status {}", response.status(), e);
            return Classifier.standard().classify(response, hints);
        }
    }
}
