package dev.throttle.engine;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;

/**
 * Turns a response into a signal. A reader or classifier of the user's that throws or answers nothing is passed over,
 * never the response.
 */
final class ResponseReader {

    private final HintReader hintReader;
    private final Classifier classifier;
    private final Faults readerFaults = new Faults("the hint reader");
    private final Faults classifierFaults = new Faults("the classifier");

    ResponseReader(HintReader hintReader, Classifier classifier) {
        this.hintReader = hintReader;
        this.classifier = classifier;
    }

    Signal read(ResponseHead response, long receivedAtMillis) {
        RateHints hints = hints(response, receivedAtMillis);
        return Signal.of(outcome(response, hints), hints);
    }

    private RateHints hints(ResponseHead response, long receivedAtMillis) {
        try {
            return Preconditions.required("hints", hintReader.read(response, receivedAtMillis));
        } catch (Throwable e) {
            readerFaults.report(e);
            return RateHints.NONE;
        }
    }

    private Outcome outcome(ResponseHead response, RateHints hints) {
        try {
            return Preconditions.required("outcome", classifier.classify(response, hints));
        } catch (Throwable e) {
            classifierFaults.report(e);
            return Classifier.standard().classify(response, hints);
        }
    }
}
