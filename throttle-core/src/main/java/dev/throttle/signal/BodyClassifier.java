package dev.throttle.signal;

import dev.throttle.internal.Preconditions;
import dev.throttle.signal.body.PermanentRefusals;
import dev.throttle.signal.body.RefusalBodies;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes refusals that only the body of a response tells, such as GitHub's secondary limit behind a plain 403. It
 * is asked after the {@link Classifier}, and is shown no more than the beginning of the body, which the adapter leaves
 * in place for the caller. Implementations are thread-safe, fast, and do not throw.
 */
public interface BodyClassifier {

    /** The number of bytes of a body that is enough for every classifier here, and the most that is ever shown. */
    int MAX_BYTES = 8 * 1024;

    /**
     * {@return all of {@link #billing()}, {@link #gitHub()}, {@link #google()}, {@link #aws()} and {@link #linear()}}
     */
    static BodyClassifier standard() {
        return billing().or(gitHub()).or(google()).or(aws()).or(linear());
    }

    /** {@return a classifier that never looks at a body} */
    static BodyClassifier none() {
        return of((response, signal) -> false, (signal, start) -> null);
    }

    /**
     * {@return a classifier of 429s that no wait can mend, as the account has no money or no plan: the
     * {@code insufficient_quota} and {@code billing_hard_limit_reached} of OpenAI and Azure, and what others send}
     */
    static BodyClassifier billing() {
        return of(PermanentRefusals::isPossible, PermanentRefusals::billing);
    }

    /**
     * {@return a classifier of GitHub's secondary limits: 403 or 429 without a time and with a text that says so. They
     * ask for a minute}
     */
    static BodyClassifier gitHub() {
        return of(RefusalBodies::isTimelessRefusal, RefusalBodies::gitHub);
    }

    /**
     * {@return a classifier of Google's limits: 403 or 429 with a reason that says so. They ask for the delay in the
     * body, or else for half a minute. A quota of a whole day, as Gemini has, is not waited for: it is
     * {@link Outcome#DENIED denied}}
     */
    static BodyClassifier google() {
        return of(RefusalBodies::isTimelessRefusal, RefusalBodies::google);
    }

    /** {@return a classifier of the throttling errors that AWS, and DynamoDB in particular, sends as 400} */
    static BodyClassifier aws() {
        return of(RefusalBodies::isOpen400, RefusalBodies::aws);
    }

    /** {@return a classifier of the refusals that Linear sends as 400} */
    static BodyClassifier linear() {
        return of(RefusalBodies::isOpen400, RefusalBodies::graphQl);
    }

    /**
     * {@return a classifier of refusals that GraphQL servers send as 200, with an error code that says so. It has to
     * look at every answer in JSON, so it is not among the standard ones}
     */
    static BodyClassifier graphQl() {
        return of(RefusalBodies::isJsonAnswer, RefusalBodies::graphQl);
    }

    /**
     * Decides whether the body is worth a look, so that no other response pays for it.
     *
     * @param response status and headers
     * @param signal what they say
     * @return whether to call {@link #classify}
     */
    boolean needsBody(ResponseHead response, Signal signal);

    /**
     * Classifies a response by its body too.
     *
     * @param response status and headers
     * @param signal what they say
     * @param start the beginning of the body as text, at most {@link #MAX_BYTES} bytes of it, decompressed
     * @return how the attempt ended; null if the body does not tell more than the headers
     */
    @Nullable Signal classify(ResponseHead response, Signal signal, String start);

    /**
     * {@return a classifier that asks another one where this one has no answer}
     *
     * @param next the other one
     */
    default BodyClassifier or(BodyClassifier next) {
        BodyClassifier first = this;
        Preconditions.required("next", next);
        return new BodyClassifier() {
            @Override
            public boolean needsBody(ResponseHead response, Signal signal) {
                return first.needsBody(response, signal) || next.needsBody(response, signal);
            }

            @Override
            public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                Signal found = first.needsBody(response, signal) ? first.classify(response, signal, start) : null;
                return found != null || !next.needsBody(response, signal)
                        ? found
                        : next.classify(response, signal, start);
            }
        };
    }

    private static BodyClassifier of(
            BiPredicate<ResponseHead, Signal> need, BiFunction<Signal, String, @Nullable Signal> reader) {
        return new BodyClassifier() {
            @Override
            public boolean needsBody(ResponseHead response, Signal signal) {
                return need.test(response, signal);
            }

            @Override
            public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                return need.test(response, signal) ? reader.apply(signal, start) : null;
            }
        };
    }
}
