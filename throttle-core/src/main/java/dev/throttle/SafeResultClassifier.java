package dev.throttle;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Ends attempts as a result classifier says. The classifier is the user's: what it throws harms no request.
 *
 * @param <T> the action's result
 */
final class SafeResultClassifier<T> {

    private static final Faults FAULTS = new Faults("a result classifier");

    private final ResultClassifier<? super T> classifier;

    SafeResultClassifier(ResultClassifier<? super T> classifier) {
        this.classifier = classifier;
    }

    /** The attempt returned a result; {@return what becomes of it} */
    RetryDecision complete(Permit permit, T result) {
        Signal signal;
        try {
            signal = Preconditions.required("signal", classifier.onResult(result));
        } catch (Throwable e) {
            FAULTS.report(e);
            signal = Signal.SUCCESS;
        }
        return complete(permit, signal, result);
    }

    /** The attempt threw; {@return what becomes of it} */
    RetryDecision fail(Permit permit, Throwable failure) {
        Signal signal;
        try {
            signal = Preconditions.required("signal", classifier.onFailure(failure));
        } catch (Throwable e) {
            FAULTS.report(e);
            signal = Signal.IGNORED;
        }
        return complete(permit, signal, failure);
    }

    /** Where the answer's status is known, a rejection of the next attempt tells it. */
    private static RetryDecision complete(Permit permit, Signal signal, @Nullable Object answer) {
        ResponseHead head = signal.outcome().isTransient() ? KnownResponse.headOf(answer) : null;
        return head == null ? permit.complete(signal) : permit.complete(head, signal);
    }

    /** Lets the classifier free a result that is not returned to the caller. */
    void discard(T result) {
        try {
            classifier.discard(result);
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
