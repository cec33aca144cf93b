package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;

/**
 * The pace of a client that is not the only one. What remains is a price that all clients see, and the interval is the
 * same function of it for all, so all come to the same interval, newcomers with their first answer.
 *
 * <pre>
 *   e     =  ln((R + S) / (T + S))                  R: what remains, T: what should remain
 *   S     =  0.22 L                                 L: what should remain if the limit did not matter
 *   f(R)  =  reference exp(-K e)
 *   ln s  &lt;-  ln s + lag (ln f(R) - ln s) / (1 + k)      s: the interval, k: own requests on the wire
 * </pre>
 *
 * <p>S softens the price where nearly nothing is left. A small quota shows 0 more often than a large one while there is
 * enough for all, so 0 is less grave there. T and S are up to five times as large with requests on the wire, since
 * these take from R what its reading does not show yet.
 *
 * <p>A refusal counts as a reading of 0 with nothing on the wire, and shows that there is not enough: L is T then. The
 * first refusal of all, before any success, only sets the first interval, and the next request waits for no longer.
 *
 * <p>In a sliding window what was used comes back one window later, and repeats what R has done. An interval that adds
 * up what R was makes that echo grow; one that follows R at once keeps it within bounds near its rest. From far away it
 * would use at once what comes back at once, so while R swings, the interval falls only little by little.
 */
final class Share {

    /** S as a part of L. */
    private static final double SOFT = 0.22;
    /** By how many times requests on the wire raise what should remain, at most. */
    private static final double WIRE = 5;
    /**
     * A client without an interval is held back only where too little is left for what it has on the wire. So it gets
     * an interval before that: each of these requests raises what should remain by one, up to this share of it.
     */
    private static final double FREE = 0.5;
    /** The share of a deviation that the next request puts right, and the bounds of its distance in intervals. */
    private static final double PHASE = 0.8;

    private static final double SHORTEST = 0.3;
    private static final double LONGEST = 4;
    /** So many counts in a row above what is ample halve the interval: the others have gone. */
    private static final int FULL = 3;
    /** After so many accepted requests a count that stands at zero tells nothing. */
    private static final int STUCK = 4;
    /** The count is far from what should remain by this factor. In a small quota half of what is ample is enough. */
    private static final double FAR = 12;
    /** A client is new until so many of its requests were accepted. */
    private static final int NEW = 16;
    /** For so many times as long as the bound that the last swing has set it is remembered. */
    private static final int REMEMBERED = 10;
    /** What takes more seconds is no swing. */
    private static final double LONGEST_SWING = 600;
    /** While it swings the interval takes so many seconds, at most, to become 1/e of what it was. */
    private static final double SLOWEST = 30;
    /** Or the rate rises by so many requests a second in each second, if that is more. */
    private static final double RISE = 0.1;
    /** A shorter interval, in seconds, is none. */
    private static final double NONE = 0.01;

    private final Surroundings surroundings;
    private final Tuning tuning;
    private final double steepness;
    private final double lag;
    final Pace pace;

    /** When the count was read last. */
    private long readAt;
    /** On which side it was far from what should remain, since when, and how long it took to get there, in seconds. */
    private int side;

    private long sideAt;
    private double swing;

    private double unit;
    private int full;
    /** Accepted requests in a row that left nothing. */
    private int empty;

    private int accepted;
    private long refusedAt;
    /** How many seconds the next request waits after the last refusal; NaN if there was none. */
    private double wait = Double.NaN;

    /** @param fixed whether it is known beforehand what each request takes */
    Share(Surroundings surroundings, Tuning tuning, boolean fixed) {
        this.surroundings = surroundings;
        this.tuning = tuning;
        this.steepness = fixed ? tuning.steepness : tuning.steepnessOfCosts;
        this.lag = fixed ? tuning.lag : tuning.lagOfCosts;
        this.pace = new Pace(surroundings);
    }

    /** {@return whether it has had few answers yet} */
    boolean isNew() {
        return accepted < NEW && Double.isNaN(wait);
    }

    /**
     * Follows the count of an accepted answer.
     *
     * @param target what should remain
     * @param large what should remain if the limit did not matter
     * @param ample above this the others have gone
     * @param reference the interval where as much is left as should be, in seconds
     */
    void correct(double count, double target, double large, double ample, double reference, Load load, long now) {
        accepted = Math.min(accepted + 1, 1 << 20);
        rescale(reference);
        watch(count, target, ample, now);
        boolean isLow = count < target + Math.min(FREE * target, load.inFlight());
        if (pace.isFree() && isLow) {
            boolean isFirst = accepted == 1 && Double.isNaN(wait);
            pace.limit(isFirst ? tuning.join : 1 / Math.max(1, load.requestsPerSecond()), now);
        } else if (!pace.isFree()) {
            empty = count > 0 ? 0 : empty + 1;
            full = count > ample || empty > STUCK ? full + 1 : 0;
            if (full < FULL) {
                follow(count, target, large, load.inFlight(), now);
            } else {
                pace.interval(pace.interval() / 2);
                if (pace.interval() < NONE) {
                    pace.lift(now);
                }
            }
        }
        readAt = now;
    }

    /** Keeps the interval where it is between the reference and what follows from the count. */
    void rescale(double reference) {
        if (!pace.isFree() && unit > 0) {
            pace.interval(pace.interval() * reference / unit);
        }
        unit = reference;
    }

    private void follow(double count, double target, double large, int wire, long now) {
        double times = Math.min(WIRE, 1 + wire);
        double soft = SOFT * large * times;
        double error = StrictMath.log((count + soft) / (target * times + soft));
        double off = StrictMath.log(pace.interval() / unit) + steepness * error;
        double step = -lag * off / (1 + wire);
        if (swing > 0 && (now - sideAt) / 1e9 < REMEMBERED * swing) { // the interval falls only little by little
            double passed = Math.max(0, (now - readAt) / 1e9);
            step = Math.max(step, -Math.max(passed / swing, StrictMath.log(1 + RISE * passed * pace.interval())));
        }
        pace.interval(pace.interval() * StrictMath.exp(step));
    }

    /**
     * Notices that the count has gone from far above what should remain to far below, or back. What comes back at once
     * in a sliding window would otherwise be used at once, and come back at once again. What a new client sees is left
     * out: the count rises while newcomers wait, and falls when they go.
     */
    private void watch(double count, double target, double ample, long now) {
        double far = Math.min(FAR * target, Math.max(2 * target, ample / 2));
        int to = count >= far ? 1 : count * FAR <= target ? -1 : 0;
        if (to != 0 && to != side && accepted >= NEW) {
            double lasted = (now - sideAt) / 1e9;
            swing = side == 0 || lasted > LONGEST_SWING ? 0 : Math.min(SLOWEST, lasted);
            side = to;
            sideAt = now;
        }
    }

    /**
     * {@return when the next request goes, where it is known how fast the bucket fills} The deviation from the interval
     * puts most of the level's deviation right at once.
     *
     * @param level what was left when that was told last
     * @param untold what own requests take that were not seen then
     * @param mean what a request takes
     * @param need what has to be left for the next one
     * @param rate units per second
     * @param readAt when a request had to leave to be there at the reading
     */
    long dueNanos(double level, double untold, double mean, double need, double rate, long readAt, long now) {
        double slot = pace.interval();
        double others = slot * rate / mean - 1;
        double rise = (need - level + untold + others * (untold + mean)) / rate;
        double own = (readAt - pace.admittedAt(readAt)) / 1e9 + rise;
        double factor = (slot + PHASE * (own - slot)) / slot;
        return pace.dueNanos(0, Math.max(SHORTEST, Math.min(LONGEST, factor)), now);
    }

    /** A request was refused. Refusals of requests that were on the wire together count as one. */
    void refused(double target, double reference, Load load, long now) {
        empty = 0;
        if (Double.isNaN(wait) || load.admittedAtNanos() - refusedAt >= 0) {
            rescale(reference);
            double usual = 1 / Math.max(1, load.requestsPerSecond());
            boolean isFirst = pace.isFree() && accepted == 0;
            if (pace.isFree()) {
                pace.limit(isFirst ? tuning.join : 2 * usual, now);
            }
            if (!isFirst) {
                follow(0, target, target, 0, now);
            }
            pace.interval(Math.max(pace.interval(), usual));
            wait = isFirst ? 0 : pace.interval(); // the first interval is enough
            refusedAt = now;
        }
        double longest = Math.min(wait, surroundings.settings.maxInterval() / tuning.retryTo);
        pace.hold(longest * (1 + (tuning.retryTo - 1) * surroundings.random.nextDouble()), now);
    }
}
