package dev.throttle.signal.body;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the bodies of refusals look like that no wait can mend. */
public final class PermanentRefusals {

    /** OpenAI, Azure and compatibles; {@code billing_error} is Anthropic's, the next one Moonshot's. */
    private static final Set<String> CODES = Set.of(
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
            "exceeded_current_quota_error",
            "insufficient_balance",
            "insufficient_credits");

    private PermanentRefusals() {}

    /** {@return whether this is a quota refusal in JSON, whether or not it names a time} */
    public static boolean isPossible(ResponseHead response, Signal signal) {
        return signal.outcome() == Outcome.RATE_LIMITED && ContentTypes.isJson(response);
    }

    public static @Nullable Signal billing(Signal signal, String start) {
        Json body = Json.read(start);
        boolean denied = (body.any("code", CODES::contains) || body.any("type", CODES::contains)) && !isRate(start);
        return denied ? Signal.DENIED : null;
    }

    /** Alibaba's Model Studio has the code of an empty account for its limits of tokens per minute too. */
    private static boolean isRate(String start) {
        return start.contains("token-limit") || start.contains("llocated quota");
    }
}
