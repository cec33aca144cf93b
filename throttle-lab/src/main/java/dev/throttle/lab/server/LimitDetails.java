package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What else there is to say about a limit, beside its capacity and its window. Each kind of server uses what it knows.
 *
 * @param windowStart when fixed windows begin
 * @param burst by how many requests {@link ServerKind#NGINX_LIMIT_REQ} lets a client be ahead of the rate
 * @param delays whether it holds back what is ahead of the rate
 * @param countsRefused whether refused requests count for {@link ServerKind#HAPROXY_RATE}
 * @param block how long a refusal of {@link ServerKind#NEST_THROTTLER} blocks; null for a window
 * @param status what {@link ServerKind#NGINX_LIMIT_REQ} and {@link ServerKind#CONCURRENCY} refuse with; null for 503
 * @param lockout what becomes of clients that go on asking after a refusal; null for nothing
 * @param scopes quotas that each count other calls, in place of the one limit; usually none
 * @param connections how many connections {@link ServerKind#PER_CONNECTION} has at the start; others may come
 */
public record LimitDetails(
        WindowStart windowStart,
        long burst,
        boolean delays,
        boolean countsRefused,
        @Nullable Duration block,
        @Nullable Integer status,
        @Nullable Lockout lockout,
        List<NamedLimit> scopes,
        int connections) {

    /** A limit without anything special. */
    public static final LimitDetails NONE = new LimitDetails(WindowStart.GRID);

    public LimitDetails {
        scopes = List.copyOf(scopes);
        Preconditions.check(
                scopes.stream().map(NamedLimit::name).distinct().count() == scopes.size(),
                "--scope",
                scopes.stream().map(NamedLimit::name).toList(),
                "names that differ");
        Preconditions.between("--burst", burst, 0, ServerSpec.MOST);
        Preconditions.between("connections", connections, 0, Integer.MAX_VALUE);
        if (block != null) {
            Preconditions.check(
                    !block.isZero() && block.compareTo(ServerSpec.LONGEST) <= 0,
                    "--block",
                    DurationText.format(block),
                    "a duration above zero, 366 days at most");
        }
        Preconditions.check(
                status == null || status == Answer.TOO_MANY_REQUESTS || status == Answer.SERVICE_UNAVAILABLE,
                "--status",
                String.valueOf(status),
                "429 or 503");
    }

    /**
     * A fixed window.
     *
     * @param windowStart when windows begin
     */
    public LimitDetails(WindowStart windowStart) {
        this(windowStart, 0, true, true, null, null, null, List.of(), 1);
    }

    int statusOr(int usual) {
        return status == null ? usual : status;
    }

    /**
     * {@return these details with another lock-out}
     *
     * @param value what becomes of clients that go on asking after a refusal
     */
    public LimitDetails lockout(Lockout value) {
        return new LimitDetails(windowStart, burst, delays, countsRefused, block, status, value, scopes, connections);
    }

    /**
     * {@return these details with another burst}
     *
     * @param requests by how many requests {@link ServerKind#NGINX_LIMIT_REQ} lets a client be ahead of the rate
     * @param held whether it holds back what is ahead of the rate
     */
    public LimitDetails burst(long requests, boolean held) {
        return new LimitDetails(
                windowStart, requests, held, countsRefused, block, status, lockout, scopes, connections);
    }

    /** {@return these details without refused requests counting} */
    public LimitDetails acceptedOnly() {
        return new LimitDetails(windowStart, burst, delays, false, block, status, lockout, scopes, connections);
    }

    /**
     * {@return these details with a block of another length}
     *
     * @param length how long a refusal blocks
     */
    public LimitDetails block(Duration length) {
        return new LimitDetails(
                windowStart, burst, delays, countsRefused, length, status, lockout, scopes, connections);
    }

    /**
     * {@return these details with another status of refusals}
     *
     * @param code what it refuses with
     */
    public LimitDetails status(int code) {
        return new LimitDetails(windowStart, burst, delays, countsRefused, block, code, lockout, scopes, connections);
    }

    /**
     * {@return these details with another number of connections}
     *
     * @param count how many connections {@link ServerKind#PER_CONNECTION} has at the start
     */
    public LimitDetails connections(int count) {
        return new LimitDetails(windowStart, burst, delays, countsRefused, block, status, lockout, scopes, count);
    }
}
