package dev.throttle.signal.body;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.signal.header.Text;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What OpenAI, Groq and compatible servers say about a request that does not fit: {@code Request too large for gpt-4o
 * ... on tokens per min (TPM): Limit 30000, Requested 250011. The input or output tokens must be reduced ...}.
 */
public final class OversizedRequests {

    private static final Pattern NUMBERS =
            Pattern.compile("limit:? (\\d{1,12})(?:, used:? \\d{1,15})?, requested:? (\\d{1,12})(?!\\d)");

    private OversizedRequests() {}

    /**
     * {@return what a refusal says about the size of its request; null if it does not, or if its request fits into a
     * quota of a day that is used up}
     */
    public static @Nullable Signal read(Signal signal, String start) {
        Json body = Json.read(start);
        String text = Text.lower(body.at("error.message") + body.at("message"));
        Demand demand = demand(text);
        if (demand == null) {
            boolean saysSo = text.contains("request too large") && text.contains("must be reduced");
            return saysSo ? Signal.DENIED : null;
        }
        if (demand.isTooLarge()) {
            return Signal.of(Outcome.DENIED, RateHints.NONE.withDemand(demand));
        }
        boolean isOfDay = text.contains(" per day (");
        return isOfDay ? null : Signal.of(signal.outcome(), signal.hints().withDemand(demand));
    }

    private static @Nullable Demand demand(String text) {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.find()) {
            return null;
        }
        long limit = Long.parseLong(numbers.group(1));
        long requested = Long.parseLong(numbers.group(2));
        boolean isPossible = limit > 0 && requested > 0 && Math.max(limit, requested) <= Cost.MAX_AMOUNT;
        return isPossible ? new Demand(unit(text), requested, limit) : null;
    }

    private static String unit(String text) {
        if (text.contains("on input tokens per ")) {
            return Quota.INPUT_TOKENS;
        }
        if (text.contains("on output tokens per ")) {
            return Quota.OUTPUT_TOKENS;
        }
        return text.contains("on requests per ") ? Quota.REQUESTS : Quota.TOKENS;
    }
}
