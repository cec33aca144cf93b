package dev.throttle.resilience4j;

import dev.throttle.AdmissionGuard;
import dev.throttle.signal.Signal;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.event.CircuitBreakerOnStateTransitionEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
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
    private volatile Epoch epoch;

    /**
     * The time between two transitions.
     *
     * @param number how many transitions there were
     * @param openings how often in a row the breaker opened without having been closed
     * @param opensAt when the breaker is half open at the earliest; null if that is not known
     */
    private record Epoch(
            long number, int openings, @Nullable Instant opensAt) {}

    CircuitBreakerGuard(CircuitBreaker breaker) {
        this.breaker = breaker;
        this.epoch = new Epoch(0, 0, null);
        breaker.getEventPublisher().onStateTransition(this::onTransition);
    }

    private synchronized void onTransition(CircuitBreakerOnStateTransitionEvent event) {
        State from = event.getStateTransition().getFromState();
        boolean opens = event.getStateTransition().getToState() == State.OPEN;
        int openings = (from == State.OPEN || from == State.HALF_OPEN ? epoch.openings : 0) + (opens ? 1 : 0);
        epoch = new Epoch(epoch.number + 1, openings, opens ? halfOpenAfter(openings) : null);
    }

    private Instant halfOpenAfter(int openings) {
        long millis = breaker.getCircuitBreakerConfig()
                .getWaitIntervalFunctionInOpenState()
                .apply(openings);
        // The breaker lets probes through after this time, not at it.
        return breaker.getCircuitBreakerConfig()
                .getClock()
                .instant()
                .plusMillis(millis)
                .plusNanos(1);
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
            case OPEN -> epoch.opensAt == null || !retryAfter().isZero();
            case FORCED_OPEN -> true;
            default -> false;
        };
    }

    @Override
    public Duration retryAfter() {
        Instant opensAt = epoch.opensAt;
        if (opensAt == null || breaker.getState() != State.OPEN) {
            return Duration.ZERO;
        }
        Duration left =
                Duration.between(breaker.getCircuitBreakerConfig().getClock().instant(), opensAt);
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
                case SUCCESS, THROTTLED -> breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
                case BUSY, FAILED ->
                    breaker.onError(nanos, TimeUnit.NANOSECONDS, new CountedAsErrorException(signal.outcome()));
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
