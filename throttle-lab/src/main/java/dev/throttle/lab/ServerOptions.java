package dev.throttle.lab;

import dev.throttle.lab.server.HeaderLie;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that describe a server, shared by the commands that have one. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class ServerOptions {

    @Option(
            names = "--server",
            paramLabel = "KIND",
            defaultValue = "gcra",
            description = "gcra, token-bucket, fixed-window, sliding-window, decrease-only or busy;"
                    + " default: ${DEFAULT-VALUE}")
    private ServerKind kind;

    @Option(
            names = "--capacity",
            paramLabel = "N",
            defaultValue = "4500",
            description = "Requests per window, or in stock; default: ${DEFAULT-VALUE}")
    private long capacity;

    @Option(names = "--window", paramLabel = "DURATION", defaultValue = "1h", description = "Default: ${DEFAULT-VALUE}")
    private Duration window;

    @Option(
            names = "--initial",
            paramLabel = "N",
            description = "Requests left at the start; default: 0, but the capacity for fixed-window and decrease-only,"
                    + " and busy has no such thing")
    private @Nullable Long initial;

    @Option(
            names = "--headers",
            paramLabel = "STYLE",
            defaultValue = "remaining",
            description = "What the server tells about the quota: none, remaining, legacy or ietf;"
                    + " default: ${DEFAULT-VALUE}")
    private HeaderStyle headers;

    @Option(
            names = "--retry-after",
            paramLabel = "on|off",
            defaultValue = "off",
            description = "Whether a refusal says when to come back; default: ${DEFAULT-VALUE}")
    private OnOff retryAfter;

    @Option(
            names = "--lie",
            paramLabel = "LIE",
            defaultValue = "none",
            description = "What the headers tell wrongly: none, stuck, negative, jumps, missing, huge-reset or skewed;"
                    + " default: ${DEFAULT-VALUE}")
    private HeaderLie lie;

    ServerSpec spec() {
        return new ServerSpec(kind, capacity, window, initial, headers, retryAfter.isOn(), lie);
    }
}
