package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.PriorityPolicy;
import dev.throttle.ThrottleMode;
import dev.throttle.WhenFull;
import dev.throttle.control.Strategy;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.Cost;
import dev.throttle.signal.HintReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an engine that can be other ones for each key, and others while it runs; checked already. Immutable.
 *
 * @param strategies the strategy, and after it the limits
 * @param guards what makes the guards of a key
 * @param overloadWait how long a call waits for a server that is away; null to let the kind of the outage decide
 * @param tenantWeights the weights of tenants that have another one than 1
 * @param unitWeights how much units count in others
 * @param asyncInFlight how many requests may be in flight when an asynchronous one of an HTTP client goes
 * @param learnsRoutes whether calls wait only for those named quotas that their routes were seen with
 * @param mode whether it acts on what it knows
 * @param edition how often the settings of the set had changed that they come from
 * @param own whether they were changed for one key by itself since
 */
public record EnginePolicy(
        List<Strategy> strategies,
        List<Function<String, AdmissionGuard>> guards,
        Classifier classifier,
        HintReader hintReader,
        RetryPolicy retryPolicy,
        Duration maxWait,
        @Nullable Duration overloadWait,
        int maxWaiting,
        int asyncInFlight,
        WhenFull whenFull,
        PriorityPolicy priorities,
        Map<String, Integer> tenantWeights,
        double retryAfterJitter,
        Duration maxRetryAfterJitter,
        Map<String, Map<String, Double>> unitWeights,
        boolean learnsRoutes,
        ThrottleMode mode,
        long edition,
        boolean own) {

    /** {@return what a call took as the server counts it} */
    Cost weighted(Cost actual) {
        Cost weighted = actual;
        for (Map.Entry<String, Map<String, Double>> unit : unitWeights.entrySet()) {
            weighted = weighted.weighted(unit.getKey(), unit.getValue());
        }
        return weighted;
    }

    /** {@return whether calls are only watched: none waits, is retried or is rejected} */
    public boolean isObserving() {
        return mode == ThrottleMode.OBSERVE;
    }

    /** {@return the same for a simulation that enforces: with these strategies, and without guards} */
    public EnginePolicy simulated(List<Strategy> others) {
        return new EnginePolicy(
                others,
                List.of(),
                classifier,
                hintReader,
                retryPolicy,
                maxWait,
                overloadWait,
                maxWaiting,
                asyncInFlight,
                whenFull,
                priorities,
                tenantWeights,
                retryAfterJitter,
                maxRetryAfterJitter,
                unitWeights,
                learnsRoutes,
                ThrottleMode.ENFORCE,
                edition,
                own);
    }

    long maxWaitNanos() {
        return Nanos.of(maxWait);
    }
}
