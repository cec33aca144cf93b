package dev.throttle.signal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The beginning of any body is read without harm, with each status that makes it worth a look. */
public final class RefusalTarget {

    private static final List<BodyClassifier> CLASSIFIERS = List.of(
            BodyClassifier.billing(),
            BodyClassifier.tooLarge(),
            BodyClassifier.usedUp(),
            BodyClassifier.problem(),
            BodyClassifier.gitHub(),
            BodyClassifier.google(),
            BodyClassifier.aws(),
            BodyClassifier.linear(),
            BodyClassifier.graphQl(),
            BodyClassifier.graphQl().or(BodyClassifier.standard()));
    private static final int[] STATUSES = {200, 400, 403, 429, 503};

    private RefusalTarget() {}

    /** Fails if an input is read as something that cannot be. */
    public static void check(byte[] input) {
        String start = new String(input, StandardCharsets.UTF_8);
        for (int status : STATUSES) {
            for (String type : new String[] {"application/json", "application/problem+json"}) {
                Head head = Head.of(status, "Content-Type", type, "Date", "Tue, 06 Oct 2026 19:00:00 GMT");
                Signal signal = Signal.of(head.outcome(), head.hints());
                for (BodyClassifier classifier : CLASSIFIERS) {
                    check(head, signal, classifier, start);
                }
            }
        }
    }

    private static void check(Head head, Signal signal, BodyClassifier classifier, String start) {
        Signal found = classifier.classify(head, signal, start);
        if (found == null) {
            return;
        }
        Expect.that(classifier.needsBody(head, signal), "not asked for", found);
        boolean isRefusal = found.outcome().isRefusal() || found.outcome() == Outcome.DENIED;
        Expect.that(isRefusal, "outcome", found);
        Duration wait = found.hints().refusalWait();
        Expect.that(wait == null || !wait.isNegative(), "wait", wait);
        Expect.equal(classifier.classify(head, signal, start), found, "read again");
    }
}
