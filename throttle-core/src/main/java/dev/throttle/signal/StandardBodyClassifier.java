package dev.throttle.signal;

import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The ready classifiers of bodies. */
final class StandardBodyClassifier {

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY_REQUESTS = 429;

    private static final Duration GITHUB_FLOOR = Duration.ofMinutes(1);
    private static final Duration GOOGLE_FLOOR = Duration.ofSeconds(30);

    private static final Set<String> GOOGLE_REASONS = Set.of(
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "quotaExceeded",
            "dailyLimitExceeded",
            "concurrentLimitExceeded",
            "servingLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
            "RESOURCE_EXHAUSTED");
    private static final Set<String> GRAPHQL_CODES = Set.of("RATELIMITED", "RATE_LIMITED", "THROTTLED");

    static final BodyClassifier NONE = of((response, signal) -> false, (signal, start) -> null);
    static final BodyClassifier GITHUB =
            of((response, signal) -> isForbiddenOr429(response) && hasNoTime(signal), StandardBodyClassifier::gitHub);
    static final BodyClassifier GOOGLE =
            of((response, signal) -> isForbiddenOr429(response) && hasNoTime(signal), StandardBodyClassifier::google);
    static final BodyClassifier AWS = of(StandardBodyClassifier::isOpen400, StandardBodyClassifier::aws);
    static final BodyClassifier LINEAR = of(StandardBodyClassifier::isOpen400, StandardBodyClassifier::graphQl);
    static final BodyClassifier GRAPHQL =
            of((response, signal) -> isJsonAnswer(response), StandardBodyClassifier::graphQl);
    static final BodyClassifier STANDARD = GITHUB.or(GOOGLE).or(AWS).or(LINEAR);

    private StandardBodyClassifier() {}

    static BodyClassifier either(BodyClassifier first, BodyClassifier second) {
        Preconditions.required("next", second);
        return new BodyClassifier() {
            @Override
            public boolean needsBody(ResponseHead response, Signal signal) {
                return first.needsBody(response, signal) || second.needsBody(response, signal);
            }

            @Override
            public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                Signal found = first.needsBody(response, signal) ? first.classify(response, signal, start) : null;
                return found != null || !second.needsBody(response, signal)
                        ? found
                        : second.classify(response, signal, start);
            }
        };
    }

    private static BodyClassifier of(Need need, Reader reader) {
        return new BodyClassifier() {
            @Override
            public boolean needsBody(ResponseHead response, Signal signal) {
                return need.isMet(response, signal);
            }

            @Override
            public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                return need.isMet(response, signal) ? reader.read(signal, start) : null;
            }
        };
    }

    private static boolean isForbiddenOr429(ResponseHead response) {
        return response.status() == FORBIDDEN || response.status() == TOO_MANY_REQUESTS;
    }

    private static boolean hasNoTime(Signal signal) {
        RateHints hints = signal.hints();
        return hints.retryAfter() == null && hints.resetOfExhausted() == null;
    }

    private static boolean isOpen400(ResponseHead response, Signal signal) {
        return response.status() == BAD_REQUEST && !signal.outcome().isRefusal();
    }

    private static boolean isJsonAnswer(ResponseHead response) {
        if (response.status() != OK) {
            return false;
        }
        for (String type : response.headers("content-type")) {
            if (Text.lower(type).contains("json")) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Signal gitHub(Signal signal, String start) {
        String text = Text.lower(start);
        boolean secondary = text.contains("secondary rate limit")
                || text.contains("secondary-rate-limit")
                || text.contains("abuse detection mechanism");
        return secondary ? throttled(signal.hints().withFloor(GITHUB_FLOOR)) : null;
    }

    private static @Nullable Signal google(Signal signal, String start) {
        boolean limited = JsonStrings.any(start, "reason", GOOGLE_REASONS::contains)
                || JsonStrings.any(start, "status", GOOGLE_REASONS::contains);
        if (!limited) {
            return null;
        }
        String delay = JsonStrings.first(start, "retryDelay");
        long millis = delay == null ? Millis.NONE : GoDurations.millis(delay);
        RateHints hints = signal.hints().withFloor(GOOGLE_FLOOR);
        return throttled(millis == Millis.NONE ? hints : hints.withRetryAfter(Duration.ofMillis(millis)));
    }

    private static @Nullable Signal aws(Signal signal, String start) {
        boolean throttling = JsonStrings.any(start, "__type", AwsErrors::isThrottling)
                || AwsErrors.isThrottling(element(start, "<Code>"));
        return throttling ? throttled(signal.hints()) : null;
    }

    private static @Nullable Signal graphQl(Signal signal, String start) {
        boolean limited = JsonStrings.any(start, "code", GRAPHQL_CODES::contains)
                || JsonStrings.any(start, "type", GRAPHQL_CODES::contains);
        return limited ? throttled(signal.hints()) : null;
    }

    private static Signal throttled(RateHints hints) {
        return Signal.of(Outcome.RATE_LIMITED, hints);
    }

    private static String element(String text, String tag) {
        int at = text.indexOf(tag);
        int end = at < 0 ? -1 : text.indexOf('<', at + tag.length());
        return end < 0 ? "" : text.substring(at + tag.length(), end);
    }

    private interface Need {
        boolean isMet(ResponseHead response, Signal signal);
    }

    private interface Reader {
        @Nullable Signal read(Signal signal, String start);
    }
}
