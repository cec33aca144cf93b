package dev.throttle.engine;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.clock.ServerClock;
import java.util.Optional;

/**
 * Turns a response into a signal. A reader or classifier of the user's that throws or answers nothing is passed over,
 * never the response. What one response cannot tell, it learns from several.
 */
final class ResponseReader {

    private final HintReader hintReader;
    private final Classifier classifier;
    private final ResetMeanings meanings;
    private final ServerClock serverClock;
    private final SafeCalls safeReader = new SafeCalls("the hint reader", Runnable::run);
    private final SafeCalls safeClassifier = new SafeCalls("the classifier", Runnable::run);

    ResponseReader(HintReader hintReader, Classifier classifier, ResetMeanings meanings, ServerClock serverClock) {
        this.hintReader = hintReader;
        this.classifier = classifier;
        this.meanings = meanings;
        this.serverClock = serverClock;
    }

    Signal read(ResponseHead response, long receivedAtMillis) {
        RateHints told = safeReader.get(RateHints.NONE, () -> readHints(response, receivedAtMillis));
        RateHints hints = meanings.apply(told, receivedAtMillis);
        Optional<Outcome> outcome = safeClassifier.get(
                Optional.empty(),
                () -> Optional.of(Preconditions.required("outcome", classifier.classify(response, hints))));
        return Signal.of(outcome.orElseGet(() -> Classifier.standard().classify(response, hints)), hints);
    }

    /** A response that tells of limits also tells the server's time. Others are not searched for it. */
    private RateHints readHints(ResponseHead response, long receivedAtMillis) {
        if (!serverClock.isKnown()) {
            serverClock.read(response, receivedAtMillis);
        }
        long serverMillis = serverClock.at(receivedAtMillis);
        RateHints told = Preconditions.required("hints", hintReader.read(response, serverMillis));
        if (!told.isEmpty()) {
            serverClock.read(response, receivedAtMillis);
        }
        return told;
    }
}
