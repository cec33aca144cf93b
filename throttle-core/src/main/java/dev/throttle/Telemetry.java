package dev.throttle;

import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells counters and listeners what happened. */
final class Telemetry {

    private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

    final Counters counters = new Counters();
    private final Throttle throttle;
    /** Those who hear all throttles that were built together. */
    private final Listeners common;
    /** Those who hear this throttle only. */
    final Listeners own = new Listeners(List.of());

    Telemetry(Throttle throttle, Listeners common) {
        this.throttle = throttle;
        this.common = common;
    }

    private boolean isHeard() {
        return !common.isEmpty() || !own.isEmpty();
    }

    void onWaited(String reason, long nanos) {
        if (isHeard()) {
            Duration wait = Duration.ofNanos(nanos);
            tell(l -> l.onWaited(throttle, reason, wait));
        }
    }

    void onRejected(ThrottleRejectedException rejection) {
        counters.rejected.increment();
        LOG.debug("{}", rejection.getMessage());
        tell(l -> l.onRejected(throttle, rejection));
    }

    /** Counts an end. The throttle calls it before it counts the request out, see {@link Counters#successes}. */
    void count(Outcome outcome) {
        if (outcome != Outcome.SUCCESS) {
            counters.ended(outcome).increment();
        }
    }

    void onEnd(Signal signal) {
        if (isHeard() && !signal.equals(Signal.SUCCESS)) {
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
        common.tell(event);
        own.tell(event);
    }
}
