package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Expect;
import dev.throttle.signal.Quota;

/** The body of any request is read without harm, and costs no more than its length. */
public final class RequestTarget {

    private RequestTarget() {}

    /** Fails if an input is read as something that cannot be. */
    public static void check(byte[] input) {
        RequestEstimate estimate = RequestEstimate.of("application/json", input);
        if (estimate == null) {
            throw new AssertionError("JSON without an estimate");
        }
        long tokens = estimate.inputTokens();
        Expect.that(tokens >= 0 && tokens <= (input.length + 3) / 4, "tokens to read", estimate);
        Long output = estimate.maxOutputTokens();
        Expect.that(output == null || (output > 0 && output <= Cost.MAX_AMOUNT), "tokens to write", estimate);
        Expect.that(estimate.cost(5).amount(Quota.OUTPUT_TOKENS) <= 5, "usual tokens to write", estimate);
        Expect.equal(estimate.cost().amount(Quota.INPUT_TOKENS), tokens, "cost");
        Expect.equal(RequestEstimate.of("application/json", input), estimate, "read again");
    }
}
