package dev.throttle.concurrencylimits;

import com.netflix.concurrency.limits.Limit;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/** Feeds the ends of requests to an algorithm, as samples and drops, and enforces its limit. */
final class AdaptiveInFlightController implements RateController {

    private final Limit algorithm;
    private final Departures departures = new Departures();
    /** Never fewer than there are: an end that is not learned from yet is still counted. */
    private int onTheWire;

    AdaptiveInFlightController(Limit algorithm) {
        this.algorithm = algorithm;
    }

    @Override
    public boolean isIdle() {
        return false;
    }

    /** It learns from refusals, but does not space the retries of a refused request. */
    @Override
    public boolean isAdaptive() {
        return false;
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return onTheWire < limitInFlight() ? nowNanos : UNTIL_SIGNAL;
    }

    /** What was learned belongs to the algorithm, and not to another one. */
    @Override
    public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        onTheWire = load.inFlight();
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        onTheWire++;
        departures.add(permitId, onTheWire);
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        onTheWire = load.inFlight();
        long admittedAt = load.admittedAtNanos();
        int inFlight = departures.remove(load.permitId(), onTheWire + 1);
        long roundTrip = Math.max(1, nowNanos - admittedAt);
        switch (signal.outcome()) {
            case SUCCESS -> algorithm.onSample(admittedAt, roundTrip, inFlight, false);
            case BUSY, UNREACHABLE, FAILED -> algorithm.onSample(admittedAt, roundTrip, inFlight, true);
            case RATE_LIMITED -> {
                if (signal.hints().quotas().stream().noneMatch(Quota::countsRequests)) {
                    algorithm.onSample(admittedAt, roundTrip, inFlight, true);
                }
            }
            case IGNORED, CANCELLED, DENIED -> {}
        }
    }

    @Override
    public double limitPerSecond() {
        return Double.POSITIVE_INFINITY;
    }

    /** One request may always go: without any the algorithm would learn nothing more. */
    @Override
    public int limitInFlight() {
        return Math.max(1, algorithm.getLimit());
    }
}
