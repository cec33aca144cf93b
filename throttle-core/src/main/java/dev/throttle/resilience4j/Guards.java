package dev.throttle.resilience4j;

import dev.throttle.AdmissionGuard;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Outcome;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.util.function.Function;

/**
 * resilience4j's circuit breakers and bulkheads as guards of throttles: whoever goes through the throttle, an HTTP
 * client's call as well as {@code execute}, goes through them.
 *
 * <pre>{@code
 * Throttle.builder()
 *         .guard(Guards.circuitBreaker(breaker))
 *         .guard(Guards.bulkhead(bulkhead))
 *         .build();
 * }</pre>
 */
@SuppressWarnings("exports") // the modules are optional: who calls this has them
public final class Guards {

    private Guards() {}

    /**
     * Lets a circuit breaker refuse attempts: while it is open they fail at once with a
     * {@link dev.throttle.ThrottleRejectedException} that tells the time until it is half open.
     *
     * <p>What counts is the outcome: a busy server and a fault count as errors; an accepted request and a quota refusal
     * (429) count as successes, since the server does well; what was cancelled or never sent does not count. The probes
     * of a half-open breaker wait in the throttle like all requests. The time that an attempt waits does not count as
     * its duration. After an attempt that opened the breaker nothing is repeated.
     *
     * @param breaker the breaker; its predicates on exceptions see a {@link CountedAsErrorException}
     * @return the guard
     */
    public static AdmissionGuard circuitBreaker(CircuitBreaker breaker) {
        return new CircuitBreakerGuard(Preconditions.required("breaker", breaker), CountedAsErrorException::new);
    }

    /**
     * {@return a breaker of its own for each key, for {@link dev.throttle.ThrottleSettings#guardPerKey}} When a key is
     * dropped its breaker leaves the registry if it is closed; one that is open, half open or was put into another
     * state by hand stays.
     *
     * @param registry keeps the breakers by key
     */
    public static Function<String, AdmissionGuard> circuitBreakers(CircuitBreakerRegistry registry) {
        Preconditions.required("registry", registry);
        return new KeyedGuards<>(registry::circuitBreaker, registry::remove, Guards::isAtRest, Guards::circuitBreaker);
    }

    private static boolean isAtRest(CircuitBreaker breaker) {
        return breaker.getState() == CircuitBreaker.State.CLOSED;
    }

    /**
     * Lets a bulkhead bound how many attempts there are at a time, those that wait in the throttle included. An attempt
     * gives its place back when it ends, is refused, or is cancelled.
     *
     * @param bulkhead the bulkhead; its {@code maxWaitDuration} must be zero, since callers wait in the throttle
     * @return the guard
     */
    public static AdmissionGuard bulkhead(Bulkhead bulkhead) {
        return new BulkheadGuard(Preconditions.required("bulkhead", bulkhead));
    }

    /**
     * {@return a bulkhead of its own for each key, for {@link dev.throttle.ThrottleSettings#guardPerKey}} When a key is
     * dropped its bulkhead leaves the registry, unless some of its places are taken.
     *
     * @param registry keeps the bulkheads by key
     */
    public static Function<String, AdmissionGuard> bulkheads(BulkheadRegistry registry) {
        Preconditions.required("registry", registry);
        return new KeyedGuards<>(registry::bulkhead, registry::remove, Guards::isAtRest, Guards::bulkhead);
    }

    private static boolean isAtRest(Bulkhead bulkhead) {
        Bulkhead.Metrics metrics = bulkhead.getMetrics();
        return metrics.getAvailableConcurrentCalls() == metrics.getMaxAllowedConcurrentCalls();
    }

    /** What a circuit breaker is told of an attempt that counts as an error. Never thrown. */
    public static final class CountedAsErrorException extends IOException {

        private static final long serialVersionUID = 1L;

        /** How the attempt ended. */
        private final Outcome outcome;

        CountedAsErrorException(Outcome outcome) {
            super("the attempt ended as " + outcome);
            this.outcome = outcome;
        }

        /** {@return how the attempt ended: busy or failed} */
        public Outcome outcome() {
            return outcome;
        }

        /** It is made on every error and nobody looks for its origin. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
