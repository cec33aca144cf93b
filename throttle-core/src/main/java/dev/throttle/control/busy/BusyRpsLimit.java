package dev.throttle.control.busy;

import dev.throttle.internal.Nanos;

/**
 * The running limit of {@code busy-rps}: {@link BusyRpsModel} second by second, the busy responses of the running
 * second in force at once, and an allowance that grows with the limit in force and that requests take from.
 *
 * <p>At most the requests of 200 ms can be saved up. A request may go when the allowance has reached one, however many
 * permits it takes; what it takes too much the next ones have to wait for.
 */
final class BusyRpsLimit {

    private static final long SECOND = 1_000_000_000;
    /** The share of a second whose requests may go at once. */
    private static final double BURST_SECONDS = 0.2;
    /** An allowance this close to one is one. */
    private static final double ROUNDING = 1e-9;

    private final BusyRpsModel model;
    /** The limit at the beginning of the running second. While it is lifted it goes on recovering. */
    private double limit = BusyRpsModel.CAP;

    private boolean lifted = true;
    /** Whether there was a busy response ever, so that seconds are counted. */
    private boolean started;

    private long secondBeganAt;
    private int busy;
    private double allowance;
    private long allowanceAt;
    /** Whether some request may have had to wait in this second. */
    private boolean exhausted;
    /** Whether no request can have had to wait in the second before. */
    private boolean ample;

    BusyRpsLimit(BusyRpsModel model) {
        this.model = model;
    }

    void copy(BusyRpsLimit other) {
        limit = other.limit;
        lifted = other.lifted;
        started = other.started;
        secondBeganAt = other.secondBeganAt;
        busy = other.busy;
        allowance = other.allowance;
        allowanceAt = other.allowanceAt;
        exhausted = other.exhausted;
        ample = other.ample;
    }

    boolean isLifted() {
        return lifted;
    }

    /** {@return the limit in force, were it not lifted} */
    double inForce() {
        return BusyRpsModel.halved(limit, busy);
    }

    /** Lets time pass. */
    void advance(long now) {
        if (!lifted) {
            while (now - secondBeganAt >= SECOND) {
                if (limit >= BusyRpsModel.CAP && !exhausted) {
                    ample = true;
                    secondBeganAt = now - (now - secondBeganAt) % SECOND; // nothing happens in all these seconds
                } else {
                    accrue(secondBeganAt + SECOND);
                    nextSecond();
                }
            }
            accrue(now);
        } else if (started && now - secondBeganAt >= SECOND) {
            long seconds = (now - secondBeganAt) / SECOND;
            limit = model.quiet(limit, seconds);
            secondBeganAt += seconds * SECOND;
        }
    }

    private void nextSecond() {
        limit = model.next(limit, busy);
        busy = 0;
        secondBeganAt += SECOND;
        ample = !exhausted;
        exhausted = !isWhole();
    }

    private void accrue(long now) {
        long passed = now - allowanceAt;
        if (passed > 0) {
            double most = Math.max(1, inForce() * BURST_SECONDS);
            allowance = Math.min(most, allowance + passed * inForce() / SECOND);
            allowanceAt = now;
        }
    }

    private boolean isWhole() {
        return allowance >= 1 - ROUNDING;
    }

    /**
     * Lifts the limit if it delayed no request for a second and exceeds the demand.
     *
     * @param asked the demand in requests per second
     */
    void liftIfAbove(double asked) {
        lifted |= ample && busy == 0 && limit > asked;
    }

    void take(long permits) {
        if (!lifted) {
            allowance -= permits;
            exhausted |= !isWhole();
        }
    }

    void onBusy(double initialLimit, long now) {
        if (lifted) {
            lifted = false;
            limit = Math.min(limit, initialLimit);
            started = true;
            secondBeganAt = now;
            allowance = 0;
            allowanceAt = now;
            ample = false;
        }
        busy = Math.min(busy + 1, BusyRpsModel.MOST_HALVINGS);
        exhausted = true;
    }

    /** {@return how long it takes from the last advance on until the allowance reaches one more than some permits} */
    long waitNanos(long permitsAhead) {
        double missing = 1 + permitsAhead - allowance;
        if (missing <= ROUNDING) {
            return 0;
        }
        double rate = inForce();
        double left = (double) (secondBeganAt + SECOND - allowanceAt) / SECOND;
        double waited = 0;
        double next = limit;
        int halvings = busy;
        while (missing > rate * left) {
            missing -= rate * left;
            waited += left;
            next = model.next(next, halvings);
            halvings = 0;
            rate = next;
            left = 1;
            if (rate >= BusyRpsModel.CAP) {
                break;
            }
        }
        return Nanos.ofSeconds(waited + missing / rate);
    }
}
