package dev.throttle.client;

import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;

/**
 * A classifier of bodies that never throws. If the user's classifier throws, the head alone counts.
 *
 * @param classifier recognizes refusals by their bodies
 * @param faults reports what the classifier throws
 */
record SafeBodyClassifier(BodyClassifier classifier, Faults faults) {

    boolean needsBody(ResponseHead head, Signal said) {
        try {
            return classifier.needsBody(head, said);
        } catch (Throwable e) {
            faults.report(e);
            return false;
        }
    }

    /** {@return what a response says with its body; what its head says if the body tells no more} */
    Signal classify(ResponseHead head, Signal said, byte[] start) {
        try {
            Signal told = classifier.classify(head, said, BodyText.of(start));
            return told == null ? said : told;
        } catch (Throwable e) {
            faults.report(e);
            return said;
        }
    }
}
