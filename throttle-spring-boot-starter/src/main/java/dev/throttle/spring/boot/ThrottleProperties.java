package dev.throttle.spring.boot;

import dev.throttle.Priority;
import dev.throttle.ThrottleMode;
import dev.throttle.WhenFull;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code throttle.*}. What is not set is left to the library's defaults. Other names stop the start,
 * except in environment variables and system properties, of which Kubernetes sets some: {@link UnknownNames} tells
 * them.
 *
 * @param enabled Whether the HTTP clients of the application are throttled.
 * @param name Name of the throttles, shown as tag "throttle" of the metrics.
 * @param strategy Strategy of all keys.
 * @param settings Settings of the strategy.
 * @param limits Fixed limits of each key, in addition to the strategy.
 * @param maxWait Longest time that a call may wait in total, over all its attempts.
 * @param overloadWait Longest time that a call waits for a server that is away.
 * @param maxWaiting Maximum number of callers of a key that may wait at a time.
 * @param asyncInFlight Number of requests of a key in flight from which on asynchronous calls wait.
 * @param whenFull Which caller is rejected when the queue is full.
 * @param learnRoutes Whether a call waits only for the named quotas of the server that count it.
 * @param mode Whether calls wait and are retried, or are only observed.
 * @param reserve Share of each limit that calls of a priority leave to those of higher priorities, from 0 to 0.9.
 * @param tenant On whose behalf calls are made, so that waiting calls take turns by tenant.
 * @param label How keys are shown in metrics and logs, with {key}, {host} or {hash}.
 * @param vendors What headers of more servers mean: a file or resource, such as classpath:vendors.txt, or the entries
 *     themselves.
 * @param retry Which attempts are retried.
 * @param maxKeys Maximum number of idle keys that are kept.
 * @param idleExpiry Time without use after which an idle key is dropped.
 * @param answerRejections Whether a request to this application whose call was rejected is answered with 503 and
 *     Retry-After.
 * @param clients Settings of some hosts, each under a name of your choice.
 * @param fleet What is shared with other processes through Redis or a folder.
 */
@ConfigurationProperties(prefix = "throttle", ignoreUnknownFields = false)
record ThrottleProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String name,
        @Nullable String strategy,
        @DefaultValue Map<String, String> settings,
        @DefaultValue List<Limit> limits,
        @Nullable Duration maxWait,
        @Nullable Duration overloadWait,
        @Nullable Integer maxWaiting,
        @Nullable Integer asyncInFlight,
        @Nullable WhenFull whenFull,
        @Nullable Boolean learnRoutes,
        @Nullable ThrottleMode mode,
        @DefaultValue Map<Priority, Double> reserve,
        @DefaultValue Tenant tenant,
        @Nullable String label,
        @Nullable String vendors,
        @DefaultValue Retry retry,
        @Nullable Integer maxKeys,
        @Nullable Duration idleExpiry,
        @DefaultValue("true") boolean answerRejections,
        @DefaultValue Map<String, Client> clients,
        @DefaultValue Fleet fleet) {

    /** {@return what is said for all hosts in the form of what is said for some} */
    Client forAll() {
        return new Client(
                List.of("*"),
                strategy,
                settings,
                limits,
                maxWait,
                overloadWait,
                maxWaiting,
                asyncInFlight,
                whenFull,
                learnRoutes,
                mode,
                reserve,
                label,
                retry,
                Priority.NORMAL,
                List.of());
    }

    /**
     * On whose behalf calls are made.
     *
     * @param header Header of the requests that are sent whose value is the tenant.
     * @param mdc Key of the MDC whose value is the tenant, for requests without that header.
     * @param weights Weights of tenants, from 1 to 1000, where they differ from 1.
     */
    record Tenant(
            @Nullable String header,
            @Nullable String mdc,
            @DefaultValue Map<String, Integer> weights) {

        /** {@return the tenant of a request with some headers, sent by this thread; null or blank for none} */
        @Nullable String of(Function<String, @Nullable String> headers) {
            String named = header == null ? null : headers.apply(header);
            return mdc == null || (named != null && !named.isBlank()) ? named : MDC.get(mdc);
        }
    }

    /**
     * A fixed limit.
     *
     * @param strategy Strategy of the limit, such as "token-bucket".
     * @param settings Settings of the limit.
     */
    record Limit(@Nullable String strategy, @DefaultValue Map<String, String> settings) {}

    /**
     * Which attempts are retried.
     *
     * @param outcomes Outcomes after which an attempt is retried.
     * @param maxAttempts Maximum number of attempts of a call after overloads and faults.
     * @param nonIdempotent Whether requests that are not idempotent are also retried after overloads and faults.
     */
    record Retry(
            @Nullable Set<Outcome> outcomes,
            @Nullable Integer maxAttempts,
            @Nullable Boolean nonIdempotent) {

        boolean isSet() {
            return outcomes != null || maxAttempts != null || nonIdempotent != null;
        }

        /** {@return this, with what another one says where this says nothing} */
        Retry over(Retry other) {
            return new Retry(
                    outcomes == null ? other.outcomes() : outcomes,
                    maxAttempts == null ? other.maxAttempts() : maxAttempts,
                    nonIdempotent == null ? other.nonIdempotent() : nonIdempotent);
        }
    }

    /**
     * What is shared with other processes through Redis or a folder.
     *
     * @param name Name of the fleet, the same in all its processes; without a name there is no fleet.
     * @param folder Folder of a fleet whose processes run on one machine; without a folder they share through Redis.
     * @param timeout Timeout of Redis commands.
     * @param startTimeout Longest time that the start waits for the store, to begin with what the fleet knows.
     * @param readableKeys Whether keys are stored in Redis as readable text instead of hashed.
     * @param limits Fixed limits of each key that the whole fleet shares.
     */
    record Fleet(
            @Nullable String name,
            @Nullable String folder,
            @Nullable Duration timeout,
            @Nullable Duration startTimeout,
            @DefaultValue("false") boolean readableKeys,
            @DefaultValue List<FleetLimit> limits) {}

    /**
     * A fixed limit that the whole fleet shares.
     *
     * @param name Name of the limit; two limits need different names.
     * @param kind Whether it is a token bucket or a sliding window.
     * @param permits Number of requests, or amount of the unit, in each period.
     * @param period Period of the permits, or length of the window.
     * @param burst Capacity of a token bucket.
     * @param unit Unit that the limit counts.
     * @param whenAway What applies while the store is unavailable.
     * @param expectedProcesses Expected number of processes, used until the store was reached once.
     */
    record FleetLimit(
            @Nullable String name,
            @DefaultValue("token-bucket") LimitKind kind,
            @Nullable Long permits,
            @DefaultValue("1s") Duration period,
            @Nullable Long burst,
            @Nullable String unit,
            @Nullable WhenAway whenAway,
            @Nullable Integer expectedProcesses) {}

    enum LimitKind {
        TOKEN_BUCKET,
        SLIDING_WINDOW
    }

    /**
     * Settings of some hosts. Settings that are missing are those of all keys.
     *
     * @param hosts Hosts that the settings apply to, such as "api.github.com", "*.example.com" or "localhost:8080".
     * @param strategy Strategy of these hosts.
     * @param settings Settings of the strategy; without a strategy they override those of all keys.
     * @param limits Fixed limits of these hosts, instead of those of all keys.
     * @param maxWait Longest time that a call may wait in total, over all its attempts.
     * @param overloadWait Longest time that a call waits for a server that is away.
     * @param maxWaiting Maximum number of callers of a key that may wait at a time.
     * @param asyncInFlight Number of requests of a key in flight from which on asynchronous calls wait.
     * @param whenFull Which caller is rejected when the queue is full.
     * @param learnRoutes Whether a call waits only for the named quotas of the server that count it.
     * @param mode Whether calls wait and are retried, or are only observed.
     * @param reserve Share of each limit that calls of a priority leave to those of higher priorities, from 0 to 0.9.
     * @param label How the keys of these hosts are shown in metrics and logs; with {key}, {host} or {hash} if there are
     *     several.
     * @param retry Which attempts are retried.
     * @param priority Priority of calls that have no options of their own.
     * @param exemptPaths Paths that are not throttled, such as "/health" or "/files/**".
     */
    record Client(
            @DefaultValue List<String> hosts,
            @Nullable String strategy,
            @DefaultValue Map<String, String> settings,
            @DefaultValue List<Limit> limits,
            @Nullable Duration maxWait,
            @Nullable Duration overloadWait,
            @Nullable Integer maxWaiting,
            @Nullable Integer asyncInFlight,
            @Nullable WhenFull whenFull,
            @Nullable Boolean learnRoutes,
            @Nullable ThrottleMode mode,
            @DefaultValue Map<Priority, Double> reserve,
            @Nullable String label,
            @DefaultValue Retry retry,
            @DefaultValue("normal") Priority priority,
            @DefaultValue List<String> exemptPaths) {}
}
