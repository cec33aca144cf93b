package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.LimitDetails;
import dev.throttle.lab.server.Lockout;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.WindowStart;
import dev.throttle.lab.server.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of single kinds of servers. */
final class LimitOptions {

    @Option(
            names = "--window-start",
            paramLabel = "WHEN",
            description =
                    "Where a fixed window begins: grid, right after the last one; or first-request, with the first"
                            + " request after it; default: grid")
    private @Nullable WindowStart windowStart;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = "nginx-limit-req: how many requests may be ahead of the rate; default: 0. Others: how many"
                    + " calls come with each of the --arrivals; default: 1")
    private @Nullable Integer burst;

    @Option(
            names = "--delay",
            paramLabel = "on|off",
            description = "Whether nginx-limit-req holds back requests that are ahead of the rate; default: on")
    private @Nullable OnOff delay;

    @Option(
            names = "--status",
            paramLabel = "CODE",
            description = "429 or 503: what nginx-limit-req and concurrency refuse with; default: 503")
    private @Nullable Integer status;

    @Option(
            names = "--count-refused",
            paramLabel = "on|off",
            description = "Whether refused requests count for haproxy-rate; default: on")
    private @Nullable OnOff countRefused;

    @Option(
            names = "--block",
            paramLabel = "DURATION",
            description = "How long a refusal of nest-throttler blocks; default: a window")
    private @Nullable Duration block;

    @Option(
            names = "--lockout",
            paramLabel = "WHAT",
            description = "double: a refusal locks out for a window, and each further one for twice as long; ban:N: 403"
                    + " after N refusals in a row")
    private @Nullable Lockout lockout;

    @Option(
            names = "--scope",
            paramLabel = "NAME:LIMIT/WINDOW:SHARE",
            split = ",",
            description =
                    "Named quotas in place of the one limit, each of which counts that share of the calls, such as"
                            + " core:5000/1h:0.9,search:30/1m:0.1. The calls of each have a route and threads of their own. The"
                            + " headers github, ietf and discord tell the names")
    private List<NamedLimit> scopes = new ArrayList<>();

    /** {@return how many calls come with each arrival; null if it is not said} */
    @Nullable Integer burstOfArrivals(ServerKind kind) {
        return kind == ServerKind.NGINX_LIMIT_REQ ? null : burst;
    }

    LimitDetails details(ServerKind kind, int connections) {
        only(kind, "--delay", delay == null ? null : Words.of(delay), ServerKind.NGINX_LIMIT_REQ);
        only(kind, "--status", status, ServerKind.NGINX_LIMIT_REQ, ServerKind.CONCURRENCY);
        only(kind, "--count-refused", countRefused == null ? null : Words.of(countRefused), ServerKind.HAPROXY_RATE);
        only(kind, "--block", block, ServerKind.NEST_THROTTLER);
        return new LimitDetails(
                windowStart == null ? WindowStart.GRID : windowStart,
                kind == ServerKind.NGINX_LIMIT_REQ && burst != null ? burst : 0,
                delay != OnOff.OFF,
                countRefused != OnOff.OFF,
                block,
                status,
                lockout,
                scopes,
                connections);
    }

    private static void only(ServerKind kind, String option, @Nullable Object value, ServerKind... kinds) {
        Preconditions.check(
                value == null || Arrays.asList(kinds).contains(kind),
                option,
                String.valueOf(value),
                "nothing unless the server is "
                        + Arrays.stream(kinds).map(Words::of).collect(Collectors.joining(" or ")));
    }
}
