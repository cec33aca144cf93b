package dev.throttle.spring;

import dev.throttle.Priority;
import dev.throttle.WhenFull;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code throttle.*}. What is not set is left to the library's defaults.
 *
 * @param enabled Whether the HTTP clients of the application are throttled.
 * @param name Name of the throttles, shown as tag "throttle" of the metrics.
 * @param strategy Strategy of all keys.
 * @param settings Settings of the strategy.
 * @param limits Fixed limits that hold for each key beside the strategy.
 * @param maxWait Longest time that a call may wait in total, over all its attempts.
 * @param maxWaiting How many callers of a key may wait at a time.
 * @param whenFull Who is turned away when as many callers wait as may.
 * @param retry Which attempts are repeated.
 * @param maxKeys How many idle keys are kept.
 * @param idleExpiry Time without use after which an idle key is dropped.
 * @param clients Settings of some hosts, under a name of your choice each.
 * @param fleet What is shared with other processes over a Redis.
 */
@ConfigurationProperties("throttle")
record ThrottleProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String name,
        @Nullable String strategy,
        @DefaultValue Map<String, String> settings,
        @DefaultValue List<Limit> limits,
        @Nullable Duration maxWait,
        @Nullable Integer maxWaiting,
        @Nullable WhenFull whenFull,
        @DefaultValue Retry retry,
        @Nullable Integer maxKeys,
        @Nullable Duration idleExpiry,
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
                maxWaiting,
                whenFull,
                retry,
                Priority.NORMAL,
                List.of());
    }

    /**
     * A fixed limit.
     *
     * @param strategy Strategy of the limit, such as "token-bucket".
     * @param settings Settings of the limit.
     */
    record Limit(@Nullable String strategy, @DefaultValue Map<String, String> settings) {}

    /**
     * Which attempts are repeated.
     *
     * @param outcomes Outcomes of attempts that are repeated.
     * @param maxAttempts How often a request is sent at most after overloads and faults.
     * @param nonIdempotent Whether requests that are not idempotent are repeated after overloads and faults too.
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
     * What is shared with other processes over a Redis.
     *
     * @param name Name of the fleet, the same in all its processes; without it there is none.
     * @param timeout How long an answer of Redis may take.
     * @param startTimeout How long the start waits for Redis at most, to begin with what the fleet knows.
     * @param readableKeys Whether keys are shown in Redis as they are, and not hashed.
     * @param limits Fixed limits that the whole fleet keeps together, for each key.
     */
    record Fleet(
            @Nullable String name,
            @Nullable Duration timeout,
            @Nullable Duration startTimeout,
            @DefaultValue("false") boolean readableKeys,
            @DefaultValue List<FleetLimit> limits) {}

    /**
     * A fixed limit that the whole fleet keeps together.
     *
     * @param name Name of the limit; two limits need different ones.
     * @param kind Whether it is a token bucket or a sliding window.
     * @param permits How many requests in each period, or how much of the unit.
     * @param period Period of the permits, or length of the window.
     * @param burst How much a bucket holds.
     * @param unit Unit that the limit counts.
     * @param whenAway What holds while Redis is away.
     * @param expectedProcesses How many processes share it as long as Redis was never reached.
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
     * Settings of some hosts. What is not set is as for all others.
     *
     * @param hosts Hosts that the settings are for, such as "api.github.com", "*.example.com" or "localhost:8080".
     * @param strategy Strategy of these hosts.
     * @param settings Settings of the strategy; without a strategy they come over those of all keys.
     * @param limits Fixed limits of these hosts, in the place of those of all keys.
     * @param maxWait Longest time that a call may wait in total, over all its attempts.
     * @param maxWaiting How many callers of a key may wait at a time.
     * @param whenFull Who is turned away when as many callers wait as may.
     * @param retry Which attempts are repeated.
     * @param priority Priority of calls that have no options of their own.
     * @param exemptPaths Paths that are not throttled, such as "/health" or "/files/**".
     */
    record Client(
            @DefaultValue List<String> hosts,
            @Nullable String strategy,
            @DefaultValue Map<String, String> settings,
            @DefaultValue List<Limit> limits,
            @Nullable Duration maxWait,
            @Nullable Integer maxWaiting,
            @Nullable WhenFull whenFull,
            @DefaultValue Retry retry,
            @DefaultValue("normal") Priority priority,
            @DefaultValue List<String> exemptPaths) {}
}
