package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;

/**
 * A stock that others use too, and that nothing has flowed into so far. It may be the first window of a server that
 * does not tell its reset. So it is treated as one of the usual hour: what others {@link SteadyUse keep using} is left
 * for them by a client that has used half as much again as they.
 *
 * <p>As soon as anything comes back, or nothing is left, or the hour is over, this ends. Who waits here asks again
 * every few seconds, so a bucket is found out soon.
 */
final class SharedStock {

    private static final double SECONDS = 3600;
    /** Counts of answers that overtake each other rise by chance. */
    private static final int SLACK = 2;

    private final PacingSettings settings;
    private final SteadyUse others = new SteadyUse();
    private boolean holds;
    private double first;
    private double lowest;
    private long lowestAt;
    private long beganAt;
    private long readAt;
    private double own;
    private double kept;
    /** Since when this client has been held back. */
    private long heldAt;

    SharedStock(PacingSettings settings) {
        this.settings = settings;
    }

    void begin(double count, long now) {
        holds = true;
        first = count;
        lowest = count;
        lowestAt = now;
        beganAt = now;
        readAt = now;
        own = 0;
        kept = 0;
        heldAt = now;
        others.begin(SECONDS, false, now);
    }

    void forget() {
        holds = false;
    }

    /** An own request has ended that the server may have counted. */
    void ended(int permits) {
        own += permits;
    }

    /**
     * Reads a count.
     *
     * @param wire how many own requests may have been counted already
     */
    void read(double count, boolean refused, long admittedAt, int wire, long now) {
        if (!holds) {
            return;
        }
        boolean risen = count > lowest + SLACK && admittedAt - lowestAt >= 0;
        if (risen || refused || count < 1 || now - beganAt >= Nanos.ofSeconds(SECONDS)) {
            holds = false;
            return;
        }
        if (count < lowest) {
            lowest = count;
            lowestAt = now;
        }
        readAt = now;
        double used = first - lowest;
        double foreign = used - own - wire;
        others.read(foreign, now);
        kept = foreign > SLACK ? others.kept(used, 1, first, now) : 0;
        if (lowest - 1 >= left(now)) {
            heldAt = now;
        }
    }

    private double left(long now) {
        return kept * Math.max(0, SECONDS - (now - beganAt) / 1e9);
    }

    /** {@return the earliest time for a request} */
    long dueNanos(long ahead, int permits, int wire, long now) {
        if (!holds || kept == 0) {
            return now;
        }
        if (lowest - wire - ahead - permits >= left(now)) {
            return now;
        }
        long patience = Math.max(settings.firstPatienceNanos(), (readAt - heldAt) / 10);
        return wire > 0 ? RateController.UNTIL_SIGNAL : readAt + patience;
    }
}
