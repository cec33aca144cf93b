package dev.throttle.resilience4j;

import dev.throttle.AdmissionGuard;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.event.CircuitBreakerOnStateTransitionEvent;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker beside a throttle.
 *
 * <p>The breaker may change its state while an attempt waits, and what one state permitted means nothing to the next: a
 * permission taken from a half-open state that is gone must not be given back to the one after it. So the guard counts
 * the breaker's transitions, and an attempt whose permission is from an earlier state asks again when it is let go.
 */
final class CircuitBreakerGuard implements AdmissionGuard {

    private final CircuitBreaker breaker;
    private final Function<Outcome, Exception> error;
    private volatile Epoch epoch;

    /**
     * The time between two transitions.
     *
     * @param number how many transitions there were
     * @param openings how often in a row the breaker opened without having been closed
     * @param began when, by the breaker's clock
     * @param openFor how long after that the breaker lets probes through; null if that is not known
     */
    private record Epoch(
            long number, int openings, long began, @Nullable Duration openFor) {}

    /**
     * Guards by a breaker.
     *
     * @param error makes the exception that the breaker records for an attempt that counts as an error
     */
    CircuitBreakerGuard(CircuitBreaker breaker, Function<Outcome, Exception> error) {
        this.breaker = breaker;
        this.error = error;
        this.epoch = new Epoch(0, 0, 0, null);
        breaker.getEventPublisher().onStateTransition(this::onTransition);
    }

    private synchronized void onTransition(CircuitBreakerOnStateTransitionEvent event) {
        State from = event.getStateTransition().getFromState();
        boolean opens = event.getStateTransition().getToState() == State.OPEN;
        int openings = (from == State.OPEN || from == State.HALF_OPEN ? epoch.openings : 0) + (opens ? 1 : 0);
        epoch = new Epoch(epoch.number + 1, openings, breaker.getCurrentTimestamp(), opens ? openFor(openings) : null);
    }

    private Duration openFor(int openings) {
        long millis = breaker.getCircuitBreakerConfig()
                .getWaitIntervalFunctionInOpenState()
                .apply(openings);
        return Duration.ofMillis(millis).plusNanos(1); // probes go after this time, not at it
    }

    @Override
    public String name() {
        return "circuit-breaker";
    }

    @Override
    public @Nullable Pass tryEnter() {
        Permission permission = new Permission();
        return permission.take() ? permission : null;
    }

    @Override
    public boolean isRefusing() {
        return switch (breaker.getState()) {
            case OPEN -> epoch.openFor == null || !retryAfter().isZero();
            case FORCED_OPEN -> true;
            default -> false;
        };
    }

    @Override
    public Duration retryAfter() {
        Epoch current = epoch;
        if (current.openFor == null || breaker.getState() != State.OPEN) {
            return Duration.ZERO;
        }
        long passed = breaker.getTimestampUnit().toNanos(breaker.getCurrentTimestamp() - current.began);
        Duration left = current.openFor.minusNanos(passed);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** What the breaker permitted one attempt. Its calls come one after the other. */
    private final class Permission implements Pass {

        private long takenIn;

        boolean take() {
            boolean taken = breaker.tryAcquirePermission();
            takenIn = epoch.number;
            return taken;
        }

        private boolean isOld() {
            return takenIn != epoch.number;
        }

        @Override
        public boolean onAdmitted() {
            if (isOld() && !take()) {
                takenIn = -1;
            }
            return takenIn >= 0;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {
            if (isOld()) {
                return;
            }
            long nanos = Math.max(0, duration.toNanos());
            switch (signal.outcome()) {
                case SUCCESS, RATE_LIMITED, DENIED -> breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
                case BUSY, UNREACHABLE, FAILED ->
                    breaker.onError(nanos, TimeUnit.NANOSECONDS, error.apply(signal.outcome()));
                case IGNORED, CANCELLED -> breaker.releasePermission();
            }
        }

        @Override
        public void onLeft() {
            if (!isOld()) {
                breaker.releasePermission();
            }
        }
    }
}
