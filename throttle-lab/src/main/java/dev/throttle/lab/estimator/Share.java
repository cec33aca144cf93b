package dev.throttle.lab.estimator;

import dev.throttle.control.RateLimit.Load;

/**
 * The pace of a client that is not the only one. What remains is a price that all clients see, and the interval is the
 * same function of it for all, so all come to the same interval, newcomers with their first answer.
 *
 * <pre>
 *   e     =  ln((R + 0.2 T) / (1.2 T))              R: what remains, T: what should remain
 *   f(R)  =  reference exp(-K e)
 *   ln s  &lt;-  ln s + lag (ln f(R) - ln s) / (1 + k)      s: the interval, k: own requests on the wire
 * </pre>
 *
 * <p>T is up to three times as large with requests on the wire, since these take from R what its reading does not show
 * yet. A refusal counts as a reading of 0.
 *
 * <p>In a sliding window what was used comes back one window later, and repeats what R has done. Of a window of any
 * length that echo dies away if K is at most lag T / 2: the interval has to follow R at once, and must not add up what
 * R was.
 */
final class Share {

    /** The part of what should remain that softens the price where nearly nothing is left. */
    private static final double SOFT = 0.2;
    /** By how many times requests on the wire raise what should remain, at most. */
    private static final double WIRE = 3;
    /** The share of a deviation that the next request puts right, and the bounds of its distance in intervals. */
    private static final double PHASE = 0.8;

    private static final double SHORTEST = 0.3;
    private static final double LONGEST = 4;
    /** So many counts in a row above what is ample halve the interval: the others have gone. */
    private static final int FULL = 3;

    private final Surroundings surroundings;
    private final double steepness;
    private final double lag;
    private final double retryTo;
    private final double join;
    final Pace pace;

    private double unit;
    private int full;
    private int accepted;
    private boolean refused;
    private long refusedAt;
    private double wait;

    /** @param fixed whether it is known beforehand what each request takes */
    Share(Surroundings surroundings, Tuning tuning, boolean fixed) {
        this.surroundings = surroundings;
        this.steepness = fixed ? tuning.steepness : tuning.steepnessOfCosts;
        this.lag = fixed ? tuning.lag : tuning.lagOfCosts;
        this.retryTo = tuning.retryTo;
        this.join = tuning.join;
        this.pace = new Pace(surroundings);
    }

    void startAnew() {
        pace.clear();
    }

    /** {@return whether it has had few answers yet} */
    boolean isNew() {
        return accepted < 16 && !refused;
    }

    /** Begins at an interval, for a reason other than the count. */
    void begin(double seconds, long now) {
        pace.limit(seconds, now);
    }

    void scale(double reference) {
        unit = reference;
    }

    /** Follows the count of an accepted answer. */
    void correct(double count, double target, double ample, double reference, Load load, long now) {
        accepted = Math.min(accepted + 1, 1 << 20);
        if (!pace.isFree() && unit > 0) {
            pace.interval(pace.interval() * reference / unit);
        }
        unit = reference;
        if (pace.isFree()) {
            if (count < target) {
                pace.limit(accepted == 1 && !refused ? join : 1 / Math.max(1, load.requestsPerSecond()), now);
            }
            return;
        }
        full = count > ample ? full + 1 : 0;
        if (full >= FULL) {
            pace.interval(pace.interval() / 2);
        } else {
            follow(count, target, reference, load);
        }
    }

    private void follow(double count, double target, double reference, Load load) {
        double aim = target * Math.min(WIRE, 1 + load.inFlight());
        double error = StrictMath.log((count + SOFT * aim) / ((1 + SOFT) * aim));
        double off = StrictMath.log(pace.interval() / reference) + steepness * error;
        pace.interval(pace.interval() * StrictMath.exp(-lag * off / (1 + load.inFlight())));
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
        double own = (readAt - pace.admittedAt()) / 1e9 + rise;
        double factor = (slot + PHASE * (own - slot)) / slot;
        return pace.dueNanos(0, Math.max(SHORTEST, Math.min(LONGEST, factor)), now);
    }

    /** A request was refused. Refusals of requests that were on the wire together count as one. */
    void refused(double target, double reference, Load load, long now) {
        if (!refused || load.admittedAtNanos() - refusedAt >= 0) {
            double usual = 1 / Math.max(1, load.requestsPerSecond());
            if (pace.isFree()) {
                pace.limit(accepted == 0 ? join : 2 * usual, now);
            }
            follow(0, target, reference, load);
            pace.interval(Math.max(pace.interval(), usual));
            wait = pace.interval();
            refused = true;
            refusedAt = now;
        }
        double longest = Math.min(wait, surroundings.settings.maxInterval() / retryTo);
        pace.hold(longest * (1 + (retryTo - 1) * surroundings.random.nextDouble()), now);
    }
}
