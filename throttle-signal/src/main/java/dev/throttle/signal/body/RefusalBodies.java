package dev.throttle.signal.body;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.header.AwsErrors;
import dev.throttle.signal.header.GoDurations;
import dev.throttle.signal.header.Millis;
import dev.throttle.signal.header.Text;
import dev.throttle.signal.usage.GraphQlCost;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the bodies of refusals look like, and which responses are worth a look at theirs. */
public final class RefusalBodies {

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
            "concurrentLimitExceeded",
            "servingLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
            "RESOURCE_EXHAUSTED");
    private static final Set<String> GRAPHQL_CODES = Set.of("RATELIMITED", "RATE_LIMITED", "THROTTLED");

    private RefusalBodies() {}

    /** {@return whether this is a 403 or 429 that names no time} */
    public static boolean isTimelessRefusal(ResponseHead response, Signal signal) {
        RateHints hints = signal.hints();
        return (response.status() == FORBIDDEN || response.status() == TOO_MANY_REQUESTS)
                && hints.retryAfter() == null
                && hints.resetOfExhausted() == null;
    }

    /** {@return whether this is a 400 that is no refusal by its headers} */
    public static boolean isOpen400(ResponseHead response, Signal signal) {
        return response.status() == BAD_REQUEST && !signal.outcome().isRefusal();
    }

    /** {@return whether this is an accepted answer in JSON} */
    public static boolean isJsonAnswer(ResponseHead response, Signal signal) {
        return response.status() == OK && ContentTypes.isJson(response);
    }

    public static @Nullable Signal gitHub(Signal signal, String start) {
        String text = Text.lower(start);
        boolean secondary = text.contains("secondary rate limit")
                || text.contains("secondary-rate-limit")
                || text.contains("abuse detection mechanism");
        return secondary ? rateLimited(signal.hints().withFloor(GITHUB_FLOOR)) : null;
    }

    public static @Nullable Signal google(ResponseHead response, Signal signal, String start) {
        Json body = Json.read(start);
        Signal daily = UsedUpPeriods.google(response, body);
        if (daily != null) {
            return daily;
        }
        boolean limited = body.any("reason", GOOGLE_REASONS::contains) || body.any("status", GOOGLE_REASONS::contains);
        if (!limited) {
            return null;
        }
        String delay = body.first("retryDelay");
        long millis = delay == null ? Millis.NONE : GoDurations.millis(delay);
        RateHints hints = signal.hints().withFloor(GOOGLE_FLOOR);
        return rateLimited(millis == Millis.NONE ? hints : hints.withRetryAfter(Duration.ofMillis(millis)));
    }

    public static @Nullable Signal aws(Signal signal, String start) {
        boolean throttling = Json.read(start).any("__type", AwsErrors::isThrottling)
                || AwsErrors.isThrottling(element(start, "<Code>"));
        return throttling ? rateLimited(signal.hints()) : null;
    }

    public static @Nullable Signal graphQl(Signal signal, String start) {
        Json body = Json.read(start);
        boolean limited = body.any("code", GRAPHQL_CODES::contains) || body.any("type", GRAPHQL_CODES::contains);
        if (!limited) {
            return null;
        }
        Duration wait = GraphQlCost.waitForPoints(start);
        return rateLimited(wait == null ? signal.hints() : signal.hints().withRetryAfter(wait));
    }

    private static Signal rateLimited(RateHints hints) {
        return Signal.of(Outcome.RATE_LIMITED, hints);
    }

    private static String element(String text, String tag) {
        int at = text.indexOf(tag);
        int end = at < 0 ? -1 : text.indexOf('<', at + tag.length());
        return end < 0 ? "" : text.substring(at + tag.length(), end);
    }
}
