package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.usage.JsonMembers.Found;
import org.jspecify.annotations.Nullable;

/**
 * How many tokens a language model has read and written, as OpenAI, Anthropic, Gemini and those that speak like them
 * tell it at the end of their answers. Streams tell it in their last events; Anthropic's tell the tokens read in the
 * first.
 *
 * @param input the tokens read, without those that a cache spared
 * @param output the tokens written
 * @param total both, as the server sums them up
 */
record ModelUsage(long input, long output, long total) {

    private static final String USAGE = "usage";
    /** A member that only Groq has in its usage. */
    private static final String OF_GROQ = "queue_time";

    private static final String START_OF_MESSAGE = "\"message_start\"";

    /**
     * {@return what a body costs; null if it does not tell}
     *
     * @param head its beginning, if that is not in the tail
     * @param tail its end
     */
    static @Nullable Cost cost(String head, String tail) {
        ModelUsage usage = last(tail);
        if (usage == null) {
            return null;
        }
        if (usage.input == Amounts.UNKNOWN) {
            Found first = JsonMembers.first(head.isEmpty() ? tail : head, USAGE);
            usage = first == null ? usage : new ModelUsage(of(first).input, usage.output, usage.total);
        }
        return usage.toCost();
    }

    private static @Nullable ModelUsage last(String tail) {
        Found found = JsonMembers.last(tail, USAGE);
        if (found == null) {
            found = JsonMembers.last(tail, "usageMetadata");
        }
        if (found == null) {
            return null;
        }
        ModelUsage usage = of(found);
        if (found.members().containsKey(OF_GROQ)) {
            usage = usage.without(JsonMembers.last(tail, "prompt_tokens_details"));
        }
        return isStartOfMessage(tail, found.at())
                ? new ModelUsage(usage.input, Amounts.UNKNOWN, Amounts.UNKNOWN)
                : usage;
    }

    /** Groq does not count the tokens that its cache has spared. */
    private ModelUsage without(@Nullable Found details) {
        long cached = details == null ? Amounts.UNKNOWN : details.amount("cached_tokens");
        return cached <= 0 || input < cached
                ? this
                : new ModelUsage(
                        input - cached, output, total == Amounts.UNKNOWN ? total : Math.max(0, total - cached));
    }

    /** {@return whether this is the event in which nothing has been written yet} */
    private static boolean isStartOfMessage(String text, int at) {
        int line = text.lastIndexOf('\n', at);
        int start = text.lastIndexOf(START_OF_MESSAGE, at);
        return start > line;
    }

    private static ModelUsage of(Found usage) {
        long prompt = Amounts.firstKnown(
                usage.amount("prompt_tokens"), usage.amount("promptTokenCount"), usage.amount("inputTokens"));
        // What a cache has spared is not among Anthropic's input_tokens. What is written to it counts.
        long input = usage.amount("input_tokens");
        input = input == Amounts.UNKNOWN ? input : Amounts.sum(input, usage.amount("cache_creation_input_tokens"));
        long output = Amounts.firstKnown(
                usage.amount("completion_tokens"),
                usage.amount("output_tokens"),
                usage.amount("outputTokens"),
                Amounts.sum(usage.amount("candidatesTokenCount"), usage.amount("thoughtsTokenCount")));
        long total = Amounts.firstKnown(
                usage.amount("total_tokens"), usage.amount("totalTokenCount"), usage.amount("totalTokens"));
        return new ModelUsage(Amounts.firstKnown(prompt, input), output, total);
    }

    /** {@return the cost; null if nothing is known, or nothing was counted} */
    private @Nullable Cost toCost() {
        if (Math.max(input, Math.max(output, total)) <= 0) {
            return null;
        }
        Cost cost = Cost.ONE;
        if (input != Amounts.UNKNOWN) {
            cost = cost.and(Quota.INPUT_TOKENS, input);
        }
        if (output != Amounts.UNKNOWN) {
            cost = cost.and(Quota.OUTPUT_TOKENS, output);
        }
        if (total >= Math.max(input, output)) {
            return cost.and(Quota.TOKENS, total);
        }
        boolean areBothKnown = input != Amounts.UNKNOWN && output != Amounts.UNKNOWN;
        return areBothKnown ? cost.and(Quota.TOKENS, Amounts.sum(input, output)) : cost;
    }
}
