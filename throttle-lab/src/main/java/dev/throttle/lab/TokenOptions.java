package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.Charge;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.TokenLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a server that counts costs. */
final class TokenOptions {

    private static final long CAPACITY = 60_000;

    @Option(
            names = "--token-capacity",
            paramLabel = "N",
            description = "Costs per --token-window, of a server of the kind llm; default: " + CAPACITY)
    private @Nullable Long capacity;

    @Option(
            names = "--token-window",
            paramLabel = "DURATION",
            description = "The time in which --token-capacity comes back; default: 1m")
    private @Nullable Duration window;

    @Option(
            names = "--token-limit",
            paramLabel = "KIND",
            description = "bucket: costs come back little by little; window: all at once; default: bucket")
    private @Nullable Refill refill;

    @Option(
            names = "--output-capacity",
            paramLabel = "N",
            description = "Output tokens per --token-window, limited apart; --token-capacity is the input then")
    private @Nullable Long outputCapacity;

    @Option(
            names = "--charge",
            paramLabel = "WHEN",
            description = "When the server books a cost: on arrival; held, the estimate on arrival and the truth at the"
                    + " end; or at the end; default: arrival")
    private @Nullable Charge charge;

    @Option(
            names = "--cost-unit",
            paramLabel = "NAME",
            defaultValue = "tokens",
            description = "What costs count; default: ${DEFAULT-VALUE}")
    private String unit = "tokens";

    /** How costs come back. */
    enum Refill {
        BUCKET,
        WINDOW
    }

    String unit() {
        return unit;
    }

    /** {@return the limits of costs of a server; null if it has none} */
    @Nullable TokenLimits limits(ServerKind kind) {
        if (kind != ServerKind.LLM) {
            none("--token-capacity", capacity);
            none("--token-window", window);
            none("--token-limit", refill);
            none("--output-capacity", outputCapacity);
            none("--charge", charge);
            return null;
        }
        return new TokenLimits(
                unit,
                capacity == null ? CAPACITY : capacity,
                window == null ? Duration.ofMinutes(1) : window,
                refill == Refill.WINDOW,
                outputCapacity,
                charge == null ? Charge.ARRIVAL : charge);
    }

    private static void none(String option, @Nullable Object value) {
        Preconditions.check(value == null, option, String.valueOf(value), "nothing unless the server is llm");
    }
}
