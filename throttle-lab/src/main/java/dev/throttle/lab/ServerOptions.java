package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.CapacityChange;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.SecondLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.Stray;
import dev.throttle.lab.server.Weight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that describe a server, shared by the commands that have one. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class ServerOptions {

    @Option(
            names = "--server",
            paramLabel = "KIND",
            defaultValue = "gcra",
            description = "gcra, token-bucket, fixed-window, sliding-window, decrease-only, busy, llm, nginx-limit-req,"
                    + " haproxy-rate, nest-throttler, second-bucket, interval-bucket, vsthrottle, concurrency or"
                    + " per-connection; default: ${DEFAULT-VALUE}")
    private ServerKind kind;

    @Option(
            names = "--capacity",
            paramLabel = "N",
            defaultValue = "4500",
            description = "Requests per window (of per-connection: on each connection), in stock, or at a time;"
                    + " default: ${DEFAULT-VALUE}")
    private long capacity;

    @Option(
            names = "--window",
            paramLabel = "DURATION",
            description = "Of concurrency, how long it works on each request; default: 1h, of concurrency --latency")
    private @Nullable Duration window;

    @Option(
            names = "--initial",
            paramLabel = "N",
            description = "Requests left at the start; default: 0 for gcra, token-bucket and sliding-window, else"
                    + " the capacity; busy, nginx-limit-req, haproxy-rate and concurrency have no such thing")
    private @Nullable Long initial;

    @Option(
            names = "--headers",
            paramLabel = "STYLE",
            defaultValue = "remaining",
            description = "What the server tells about the quota: none, remaining, legacy, ietf, github, shopify,"
                    + " openai, azure, anthropic, shopify-graphql, discord, kucoin, announced or sp-api; default:"
                    + " ${DEFAULT-VALUE}")
    private HeaderStyle headers;

    @Option(
            names = "--retry-after",
            paramLabel = "on|off",
            defaultValue = "off",
            description = "Whether a refusal says when to come back; default: ${DEFAULT-VALUE}")
    private OnOff retryAfter;

    @Option(
            names = "--used",
            paramLabel = "N",
            description = "Requests of a fixed window that are used up at the start")
    private @Nullable Long used;

    @Option(
            names = "--phase",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "How long before the start the first fixed window began; default: ${DEFAULT-VALUE}")
    private Duration phase;

    @Option(
            names = "--stray",
            paramLabel = "STATUS@WHICH",
            description = "A refusal for no reason, with Retry-After: 1: the 1000th answer (429@1000), one each 30 s"
                    + " (429@30s) or a share at random (429@0.8%%); with :bare it has no Retry-After; may be repeated")
    private List<Stray> strays = new ArrayList<>();

    @Option(
            names = "--outage",
            paramLabel = "WHEN:LENGTH[:WHAT]",
            description = "503 without hints to everything, such as 5m:2m; with :502 at the end 502, with :refused no"
                    + " connection; may be repeated")
    private List<Outage> outages = new ArrayList<>();

    @Option(
            names = "--restart",
            paramLabel = "WHEN:LENGTH",
            converter = RestartReader.class,
            description = "Connections are refused for so long, and then the server has lost all counts, such as 5m:2s;"
                    + " may be repeated")
    private List<Outage> restarts = new ArrayList<>();

    @Option(
            names = "--capacity-change",
            paramLabel = "WHEN:xFACTOR",
            description =
                    "From when on the capacity is how many times the first one, such as 10m:x0.5; may be repeated")
    private List<CapacityChange> capacityChanges = new ArrayList<>();

    @Option(
            names = "--jitter-remaining",
            paramLabel = "N",
            defaultValue = "0",
            description = "By how much the remaining quota in headers may be wrong, either way, as replicas that"
                    + " disagree tell it; default: ${DEFAULT-VALUE}")
    private long jitterRemaining;

    @Option(
            names = "--reset-skew",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "How much later than in truth the resets in headers are; default: ${DEFAULT-VALUE}")
    private Duration resetSkew;

    @Option(
            names = "--weight",
            paramLabel = "LEAST:MOST",
            description = "How many units of the quota each request takes, evenly spread, such as 2:10; default: 1:1")
    private Weight weight = Weight.ONE;

    @Option(
            names = "--second-limit",
            paramLabel = "KIND:N/WINDOW",
            description =
                    "A further limit, which is full at the start, such as fixed-window:10/1s; the headers of"
                            + " ietf tell it, unless :hidden follows; with :refusals, those of its refusals do, in the styles legacy and github")
    private @Nullable SecondLimit secondLimit;

    @Mixin
    private LimitOptions limit;

    @Mixin
    private TokenOptions tokens;

    /** How long a server that limits requests in flight works on each by default. */
    private static final Duration WORK = Duration.ofMillis(100);

    boolean countsCosts() {
        return kind == ServerKind.LLM;
    }

    String costUnit() {
        return tokens.unit();
    }

    /** {@return how many calls come with each arrival; null if it is not said} */
    @Nullable Integer burstOfArrivals() {
        return limit.burstOfArrivals(kind);
    }

    /** {@return the server, whose clients have so many connections at the start} */
    ServerSpec spec(Duration latency, int connections) {
        List<Outage> away = new ArrayList<>(outages);
        away.addAll(restarts);
        ServerScript script =
                new ServerScript(phase, strays, away, capacityChanges, jitterRemaining, resetSkew, weight, secondLimit);
        return new ServerSpec(
                kind,
                capacity,
                window == null ? usualWindow(latency) : window,
                initial(),
                headers,
                retryAfter.isOn(),
                script,
                tokens.limits(kind),
                limit.details(kind, connections));
    }

    private Duration usualWindow(Duration latency) {
        if (kind != ServerKind.CONCURRENCY) {
            return Duration.ofHours(1);
        }
        return latency.isZero() ? WORK : latency;
    }

    private @Nullable Long initial() {
        if (used == null) {
            return initial;
        }
        Preconditions.check(initial == null, "--used", used, "nothing beside --initial");
        Preconditions.check(
                kind == ServerKind.FIXED_WINDOW, "--used", used, "nothing unless the server is fixed-window");
        Preconditions.check(
                used >= 0 && used <= capacity, "--used", used, "a whole number from 0 to the capacity, " + capacity);
        return capacity - used;
    }

    static final class RestartReader implements ITypeConverter<Outage> {
        @Override
        public Outage convert(String value) {
            return Arguments.restart(value);
        }
    }
}
