package dev.throttle.signal;

import dev.throttle.signal.body.OversizedRequests;
import dev.throttle.signal.body.PermanentRefusals;
import dev.throttle.signal.body.ProblemTypes;
import dev.throttle.signal.body.RefusalBodies;
import dev.throttle.signal.body.UsedUpPeriods;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes refusals that only the body of a response shows, such as GitHub's secondary limit behind a plain 403. It
 * is called after the {@link Classifier} and receives only the beginning of the body. The caller still receives the
 * whole body. Implementations must be thread-safe and fast, and must not throw.
 *
 * <pre>{@code
 * BodyClassifier bodies = BodyClassifier.graphQl().or(BodyClassifier.standard());
 * }</pre>
 */
public interface BodyClassifier {

    /** The most bytes of a body that a classifier receives. It is enough for all classifiers here. */
    int MAX_BYTES = 8 * 1024;

    /**
     * {@return all of {@link #billing()}, {@link #tooLarge()}, {@link #usedUp()}, {@link #problem()},
     * {@link #gitHub()}, {@link #google()}, {@link #aws()} and {@link #linear()}}
     */
    static BodyClassifier standard() {
        return billing()
                .or(tooLarge())
                .or(usedUp())
                .or(problem())
                .or(gitHub())
                .or(google())
                .or(aws())
                .or(linear());
    }

    /** {@return a classifier that never reads a body} */
    static BodyClassifier none() {
        return of((response, signal) -> false, (signal, start) -> null);
    }

    /**
     * {@return a classifier of 429s that no wait can resolve, because the account has no credit or no plan:
     * {@code insufficient_quota} and {@code billing_hard_limit_reached} of OpenAI and Azure, and those of other
     * vendors}
     */
    static BodyClassifier billing() {
        return of(PermanentRefusals::isPossible, PermanentRefusals::billing);
    }

    /**
     * {@return a classifier of 429s because a request is larger than the limit itself, as OpenAI and Groq send them.
     * The request is {@link Outcome#DENIED denied}. If it is not larger, the hints say what it takes}
     */
    static BodyClassifier tooLarge() {
        return of(PermanentRefusals::isPossible, OversizedRequests::read);
    }

    /**
     * {@return a classifier of 429s because a quota of a day or a month is used up: those of Gemini, OpenRouter,
     * OpenAI, Groq, Cohere and Airtable. The call is {@link Outcome#DENIED denied} unless the quota is renewed within
     * 15 minutes. The hints say when it is renewed}
     */
    static BodyClassifier usedUp() {
        return of(PermanentRefusals::isPossible, UsedUpPeriods::read);
    }

    /**
     * {@return a classifier of the problem types {@code quota-exceeded}, {@code temporary-reduced-capacity} and
     * {@code abnormal-usage-detected} in bodies of the type {@code application/problem+json}}
     */
    static BodyClassifier problem() {
        return of(ProblemTypes::isPossible, ProblemTypes::read);
    }

    /**
     * {@return a classifier of GitHub's secondary limits: 403 or 429 without a time and with a text that says so. They
     * require a wait of one minute}
     */
    static BodyClassifier gitHub() {
        return of(RefusalBodies::isTimelessRefusal, RefusalBodies::gitHub);
    }

    /**
     * {@return a classifier of Google's limits: 403 or 429 with a reason that says so. They require the delay in the
     * body, or else 30 seconds. A daily quota, as Gemini has, is not waited for; see {@link #usedUp()}}
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
     * {@return a classifier of refusals that GraphQL servers send as 200 with an error code. It has to read every JSON
     * response, so it is not one of the standard classifiers}
     */
    static BodyClassifier graphQl() {
        return of(RefusalBodies::isJsonAnswer, RefusalBodies::graphQl);
    }

    /**
     * Decides whether to read the beginning of the body, so that other responses cost nothing.
     *
     * @param response status and headers
     * @param signal what they say according to the classifier
     * @return whether to call {@link #classify}
     */
    boolean needsBody(ResponseHead response, Signal signal);

    /**
     * Decides the outcome of an attempt from its response and the beginning of the body.
     *
     * @param response status and headers
     * @param signal what they say according to the classifier
     * @param start the beginning of the body as text, at most {@link #MAX_BYTES} bytes of it, decompressed
     * @return how the attempt ended; null if the body does not tell more than the headers
     */
    @Nullable Signal classify(ResponseHead response, Signal signal, String start);

    /**
     * {@return a classifier that asks another one if this one has no answer}
     *
     * @param next the other classifier
     */
    default BodyClassifier or(BodyClassifier next) {
        BodyClassifier first = this;
        Checks.required("next", next);
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
        return of(need, (response, signal, start) -> reader.apply(signal, start));
    }

    private static BodyClassifier of(BiPredicate<ResponseHead, Signal> need, BodyReader reader) {
        return new BodyClassifier() {
            @Override
            public boolean needsBody(ResponseHead response, Signal signal) {
                return need.test(response, signal);
            }

            @Override
            public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                return need.test(response, signal) ? reader.read(response, signal, start) : null;
            }
        };
    }
}
