package dev.throttle;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;

/** What a classifier says about the results of one call. It is the user's: what it throws harms no request. */
final class Reading<T> {

    private static final Faults FAULTS = new Faults("a result classifier");

    private final ResultClassifier<? super T> classifier;

    Reading(ResultClassifier<? super T> classifier) {
        this.classifier = classifier;
    }

    Signal ofResult(T result) {
        try {
            return Preconditions.required("signal", classifier.onResult(result));
        } catch (Throwable e) {
            FAULTS.report(e);
            return Signal.SUCCESS;
        }
    }

    Signal ofFailure(Throwable failure) {
        try {
            return Preconditions.required("signal", classifier.onFailure(failure));
        } catch (Throwable e) {
            FAULTS.report(e);
            return Signal.IGNORED;
        }
    }

    /** Drops a result that nobody gets. */
    void discard(T result) {
        try {
            classifier.discard(result);
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
