package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells counters and listeners what happened. No listener can harm a request. */
final class Telemetry {

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

    final Counters counters = new Counters();
    private final Throttle throttle;
    private final ThrottleListener[] listeners;

    Telemetry(Throttle throttle, List<ThrottleListener> listeners) {
        this.throttle = throttle;
        this.listeners = listeners.toArray(ThrottleListener[]::new);
    }

    void onWaited(String reason, long nanos) {
        if (listeners.length > 0) {
            Duration wait = Duration.ofNanos(nanos);
            tell(l -> l.onWaited(throttle, reason, wait));
        }
    }

    void onRejected(ThrottleRejectedException rejection) {
        counters.rejected.increment();
        LOG.debug("{}", rejection.getMessage());
        tell(l -> l.onRejected(throttle, rejection));
    }

    void onEnd(Signal signal) {
        switch (signal.outcome()) {
            case SUCCESS -> {} // counted as what is left of all that ended
            default -> counters.ended(signal.outcome()).increment();
        }
        if (listeners.length > 0 && signal != Signal.SUCCESS) {
            tell(l -> l.onSignal(throttle, signal));
        }
    }

    void onRetryDecision(RetryDecision decision) {
        if (decision instanceof RetryDecision.Stop stop) {
            counters.stopped(stop.reason()).increment();
        } else {
            counters.retried.increment();
        }
        tell(l -> l.onRetryDecision(throttle, decision));
    }

    void onCreated() {
        tell(l -> l.onCreated(throttle));
    }

    void onEvicted() {
        tell(l -> l.onEvicted(throttle));
    }

    private void tell(Consumer<ThrottleListener> event) {
        for (ThrottleListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                LOG.warn("throttle {}: a listener failed", throttle.key(), e);
            }
        }
    }
}
