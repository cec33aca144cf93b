package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;

/**
 * How refusals lengthen the interval of a rolling quota, and for how long a refused request waits. Refusals of requests
 * that were on the wire together count as one.
 */
final class RefusedPace {

    private final PacingSettings settings;
    private final Tuning tuning;
    private final Pace pace;
    private int inARow;
    private boolean ever;
    private long at;
    private double wait;
    private int cuts;

    RefusedPace(PacingSettings settings, Tuning tuning, Pace pace) {
        this.settings = settings;
        this.tuning = tuning;
        this.pace = pace;
    }

    /** {@return whether a request was ever refused} */
    boolean ever() {
        return ever;
    }

    /** {@return how often the interval was lengthened since the pace began} */
    int cuts() {
        return cuts;
    }

    void startAnew() {
        cuts = 0;
    }

    /** An answer that is no refusal; {@return whether it is the first after some} */
    boolean end(Load load) {
        boolean ends = inARow > 0 && isNews(load);
        inARow = ends ? 0 : inARow;
        return ends;
    }

    private boolean isNews(Load load) {
        return !ever || load.admittedAtNanos() - at >= 0;
    }

    /**
     * Learns of a refusal.
     *
     * @param accepted whether any request was accepted before
     * @param established whether the pace has proved to be about right
     * @return whether it still has
     */
    boolean refused(boolean accepted, boolean established, Load load, long now) {
        boolean first = !accepted && !ever;
        if (!first && !isNews(load)) {
            return established;
        }
        boolean proved = slowDown(first, accepted, established, load);
        inARow++;
        ever = true;
        cuts = Math.min(cuts + 1, 1 << 20);
        at = now;
        return proved;
    }

    private boolean slowDown(boolean first, boolean accepted, boolean established, Load load) {
        double interval = pace.interval();
        boolean proved = established;
        if (first) {
            interval = tuning.firstInterval;
            wait = interval * tuning.quotaCut;
        } else if (pace.isFree()) {
            interval = 2 / Math.max(1, load.requestsPerSecond());
            wait = interval;
            proved = accepted;
        } else if (inARow == 0) {
            wait = interval * (established ? 1 : tuning.newcomerCut);
            interval *= established ? tuning.quotaCut : tuning.newcomerCut;
        } else if (established) {
            interval *= tuning.quotaCut;
        } else {
            wait *= tuning.quotaCut;
            interval = Math.max(interval, wait);
        }
        pace.interval(Math.max(interval, 1 / Math.max(1, load.requestsPerSecond())));
        wait = pace.bounded(wait);
        return proved;
    }

    /**
     * Holds back all requests for a time, randomly up to {@code retryTo} times the wait.
     *
     * @param chance a random number from 0 to 1
     */
    void hold(double chance, long now) {
        double longest = Math.min(wait, settings.maxInterval() / tuning.retryTo());
        pace.hold(longest * (1 + (tuning.retryTo() - 1) * chance), now);
    }
}
