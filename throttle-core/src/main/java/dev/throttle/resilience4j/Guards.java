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
 * Adapts resilience4j's circuit breakers and bulkheads to guards of throttles. They apply to all calls of the throttle,
 * those of HTTP clients as well as {@code execute}.
 *
 * <pre>{@code
 * Throttle.builder()
 *         .guard(Guards.circuitBreaker(breaker))
 *         .guard(Guards.bulkhead(bulkhead))
 *         .build();
 * }</pre>
 */
@SuppressWarnings("exports") // the modules are optional: callers of this have them
public final class Guards {

    private Guards() {}

    /**
     * Makes a guard of a circuit breaker. While the breaker is open, attempts fail at once with a
     * {@link dev.throttle.ThrottleRejectedException} that has the time until it is half open.
     *
     * <p>The outcome of an attempt counts. A busy server and a fault are errors. An accepted request and a quota
     * refusal (429) are successes, because the server is healthy. Attempts that were cancelled or never sent do not
     * count. The probes of a half-open breaker wait in the throttle like all requests. The wait of an attempt is not
     * part of its duration. An attempt that opens the breaker is not retried.
     *
     * @param breaker the breaker; its predicates on exceptions see a {@link CountedAsErrorException}
     * @return the guard
     */
    public static AdmissionGuard circuitBreaker(CircuitBreaker breaker) {
        return new CircuitBreakerGuard(Preconditions.required("breaker", breaker), CountedAsErrorException::new);
    }

    /**
     * {@return a guard with its own breaker for each key, for {@link dev.throttle.Throttle.Builder#guardPerKey}} When a
     * key is dropped, its breaker is removed from the registry if it is closed. A breaker in any other state stays.
     *
     * @param registry makes and keeps the breakers by key
     */
    public static Function<String, AdmissionGuard> circuitBreakers(CircuitBreakerRegistry registry) {
        Preconditions.required("registry", registry);
        return new KeyedGuards<>(registry::circuitBreaker, registry::remove, Guards::isAtRest, Guards::circuitBreaker);
    }

    private static boolean isAtRest(CircuitBreaker breaker) {
        return breaker.getState() == CircuitBreaker.State.CLOSED;
    }

    /**
     * Makes a guard of a bulkhead. The bulkhead limits the number of concurrent attempts, including those that wait in
     * the throttle. An attempt gives its place back when it ends, is refused, or is cancelled.
     *
     * @param bulkhead the bulkhead; its {@code maxWaitDuration} must be zero, since callers wait in the throttle
     * @return the guard
     */
    public static AdmissionGuard bulkhead(Bulkhead bulkhead) {
        return new BulkheadGuard(Preconditions.required("bulkhead", bulkhead));
    }

    /**
     * {@return a guard with its own bulkhead for each key, for {@link dev.throttle.Throttle.Builder#guardPerKey}} When
     * a key is dropped, its bulkhead is removed from the registry unless some of its places are taken.
     *
     * @param registry makes and keeps the bulkheads by key
     */
    public static Function<String, AdmissionGuard> bulkheads(BulkheadRegistry registry) {
        Preconditions.required("registry", registry);
        return new KeyedGuards<>(registry::bulkhead, registry::remove, Guards::isAtRest, Guards::bulkhead);
    }

    private static boolean isAtRest(Bulkhead bulkhead) {
        Bulkhead.Metrics metrics = bulkhead.getMetrics();
        return metrics.getAvailableConcurrentCalls() == metrics.getMaxAllowedConcurrentCalls();
    }

    /** The exception that a circuit breaker records for an attempt that counts as an error. It is never thrown. */
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

        /** Without a stack trace, which costs time on every error and would say nothing. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
