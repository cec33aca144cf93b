package dev.throttle.engine;

import dev.throttle.control.RateController;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;

/**
 * Keeps to what a server says about requests on their way at the same time ({@link Quota#CONCURRENT_REQUESTS}),
 * whatever the strategy. At rest until a server says something about it.
 *
 * <p>The last word holds: the limit, and no more at once than what remains beside those on the wire. An accepted
 * request has given its place back with its answer, where the server may have counted it still; a refused one never had
 * any. One request may always go, as nothing else would bring news.
 */
final class ConcurrencyQuota implements RateController {

    static final String NAME = "concurrency-quota";

    private static final int NONE = Integer.MAX_VALUE;

    private int limit = NONE;
    /** Never fewer than there are, from the first word of the server on. */
    private int onTheWire;

    @Override
    public boolean isIdle() {
        return limit == NONE;
    }

    @Override
    public boolean isAdaptive() {
        return false; // a refusal is not spaced by it
    }

    @Override
    public long dueNanos(long permitsAhead, int permits, long nowNanos) {
        return limit == NONE || onTheWire < limit ? nowNanos : UNTIL_SIGNAL;
    }

    @Override
    public void onAdmitted(int permits, long nowNanos) {
        onTheWire++;
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        onTheWire = load.inFlight();
        int told = NONE;
        for (Quota quota : signal.hints().quotas()) {
            if (quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                told = Math.min(told, told(quota, signal.outcome()));
            }
        }
        if (told != NONE) {
            limit = told;
        }
    }

    private int told(Quota quota, Outcome outcome) {
        Long most = quota.limit();
        Long left = quota.remaining();
        long granted = most == null ? NONE : most;
        if (left != null) {
            long freed = outcome.isRefusal() ? 0 : 1;
            granted = Math.min(granted, onTheWire + freed + Math.min(left, NONE));
        }
        return (int) Math.max(1, Math.min(granted, NONE));
    }

    @Override
    public double limitPerSecond() {
        return Double.POSITIVE_INFINITY;
    }

    @Override
    public int limitInFlight() {
        return limit;
    }
}
