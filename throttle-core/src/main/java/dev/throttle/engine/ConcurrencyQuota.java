package dev.throttle.engine;

import dev.throttle.control.RateController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.List;

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
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return limit == NONE || onTheWire < limit ? nowNanos : UNTIL_SIGNAL;
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        onTheWire++;
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        learn(signal, load.inFlight(), signal.outcome().isRefusal() ? 0 : 1);
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        learn(signal, load.inFlight(), 0);
    }

    /**
     * Takes the last word over.
     *
     * @param inFlight the throttle's own count, so that no end can be missed
     * @param freed places given back with the answer, which the server may have counted still
     */
    private void learn(Signal signal, int inFlight, int freed) {
        onTheWire = inFlight;
        int told = NONE;
        List<Quota> quotas = signal.hints().quotas();
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                told = Math.min(told, granted(quota, inFlight + freed));
            }
        }
        if (told != NONE) {
            limit = told;
        }
    }

    private static int granted(Quota quota, long taken) {
        long granted = quota.limit() == null ? NONE : quota.limit();
        if (quota.remaining() != null) {
            granted = Math.min(granted, taken + Math.min(quota.remaining(), NONE));
        }
        return (int) Math.max(1, Math.min(granted, NONE));
    }

    @Override
    public int limitInFlight() {
        return limit;
    }
}
