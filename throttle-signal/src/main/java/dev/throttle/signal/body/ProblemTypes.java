package dev.throttle.signal.body;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.header.Names;
import dev.throttle.signal.header.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The problem types of the IETF's draft on rate limit headers, in bodies of the form of RFC 9457. */
public final class ProblemTypes {

    private static final String TYPES = "http-problem-types#";
    private static final Duration NO_SOONER = Duration.ofMinutes(1);
    private static final int MOST_POLICIES = 16;

    private ProblemTypes() {}

    /** {@return whether this is a refusal with such a body} */
    public static boolean isPossible(ResponseHead response, Signal signal) {
        if (!signal.outcome().isRefusal()) {
            return false;
        }
        for (String type : response.headers("content-type")) {
            if (Text.lower(type).contains("problem+json")) {
                return true;
            }
        }
        return false;
    }

    /** {@return what a problem says beside the headers; null if it is none of these} */
    public static @Nullable Signal read(Signal signal, String start) {
        Json body = Json.read(start);
        String type = body.at("type");
        int from = type.indexOf(TYPES);
        RateHints hints = signal.hints();
        return switch (from < 0 ? "" : type.substring(from + TYPES.length())) {
            case "quota-exceeded" -> Signal.of(Outcome.RATE_LIMITED, blaming(hints, body));
            case "temporary-reduced-capacity" -> Signal.of(Outcome.BUSY, hints);
            case "abnormal-usage-detected" -> Signal.of(Outcome.RATE_LIMITED, later(hints));
            default -> null;
        };
    }

    /** {@return the hints, in which the violated policies are used up, whatever the headers say is left of them} */
    private static RateHints blaming(RateHints hints, Json body) {
        List<String> violated = new ArrayList<>();
        for (String policy : body.allAt("violated-policies")) {
            String name = Names.inBody(policy);
            if (name != null) {
                violated.add(name);
            }
        }
        if (violated.isEmpty() || violated.size() > MOST_POLICIES) {
            return hints;
        }
        List<Quota> quotas = new ArrayList<>();
        for (Quota quota : hints.quotas()) {
            boolean isViolated = violated.remove(quota.policy());
            quotas.add(isViolated && quota.remaining() != null ? quota.usedUp() : quota);
        }
        violated.forEach(policy -> quotas.add(Quota.named(policy)));
        return hints.withQuotas(quotas);
    }

    /** {@return the hints, with a wait of a minute at least: a client that repeats fast is taken for an attacker} */
    private static RateHints later(RateHints hints) {
        Duration told = hints.refusalWait();
        return told != null && told.compareTo(NO_SOONER) >= 0 ? hints : hints.withRetryAfter(NO_SOONER);
    }
}
