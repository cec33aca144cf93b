package dev.throttle.lab.estimator;

import dev.throttle.control.RateLimit.Load;

/**
 * The pace of a client that is not the only one. What remains is a price that all clients see: below the target all
 * slow down, above it all speed up.
 *
 * <pre>
 *   e  =  ln((R - w k + m / 2) / T)          R: what remains, w: how far it moves, k: own requests on the wire
 *   slower, if e < 0 and R does not rise:    d  =  0.13 |e|  +  0.1 fall
 *   faster, if e > 0:                        d  = -0.06 e
 *   both:                                    ln s  <-  ln s + (d - 0.032 ln(s / reference)) / (1 + k)
 * </pre>
 *
 * <p>The lean towards the reference makes the point of rest unique, so all clients come to the same interval.
 */
final class Share {

    /** The share of a deviation that the next request puts right, and the bounds of its distance in intervals. */
    private static final double PHASE = 0.8;

    /** So many counts in a row above what is ample halve the interval: the others have gone. */
    private static final int FULL = 3;
    /** How much less an answer counts where the count swings by as much as its target. */
    private static final double NOISE = 2;

    private static final double SHORTEST = 0.3;
    private static final double LONGEST = 4;

    private final Surroundings surroundings;
    private final Tuning tuning;
    final Pace pace;

    private double unit;
    private double swing;
    private int full;
    private double last = Double.NaN;
    private boolean established;
    private int accepted;
    private boolean refusedEver;
    private int refusedInARow;
    private long refusedAt;
    private double wait;

    Share(Surroundings surroundings, Tuning tuning) {
        this.surroundings = surroundings;
        this.tuning = tuning;
        this.pace = new Pace(() -> surroundings.settings.maxInterval());
    }

    void startAnew() {
        pace.clear();
        last = Double.NaN;
        swing = 0;
    }

    /** {@return whether it has had few answers yet} */
    boolean isNew() {
        return accepted < 16 && !refusedEver;
    }

    double swing() {
        return swing;
    }

    /** Begins at an interval, for a reason other than the count. */
    void begin(double seconds, boolean proved, long now) {
        pace.limit(seconds, now);
        established |= proved;
    }

    void scale(double reference) {
        unit = reference;
    }

    /** Follows the count of an accepted answer. */
    void correct(double count, double mean, double target, double ample, double reference, Load load, long now) {
        accepted = Math.min(accepted + 1, 1 << 20);
        if (refusedInARow > 0 && load.admittedAtNanos() - refusedAt >= 0) {
            refusedInARow = 0;
            established = true;
        }
        if (!pace.isFree() && unit > 0) {
            pace.interval(pace.interval() * reference / unit);
        }
        unit = reference;
        double change = Double.isNaN(last) ? 0 : count - last;
        double most = target + 0.25 * Math.min(count, Double.isNaN(last) ? count : last);
        swing += tuning.news * (Math.min(Math.abs(change), most) - swing);
        last = count;
        double error = StrictMath.log((count + 0.5 * mean) / target);
        if (pace.isFree()) {
            if (error < 0 && change <= 0) {
                pace.limit(
                        accepted == 1 && !refusedEver ? tuning.join : 1 / Math.max(1, load.requestsPerSecond()), now);
            }
            return;
        }
        established |= error < 0 && accepted > 4;
        double calm = 1 + NOISE * swing / target; // what moves by itself says less
        double step;
        if (error < 0) {
            double fall = change < 0 ? StrictMath.log((count - change + mean) / (count + mean)) : 0;
            double weight = change == 0 && count > 0 ? tuning.flatWeight : 1;
            step = change > 0 ? 0 : -weight * tuning.slowGain * error + tuning.news * fall;
        } else {
            double longer = pace.interval() / reference;
            step = -tuning.speedGain * error * Math.max(1, Math.min(longer, tuning.catchUp));
        }
        full = count > ample ? full + 1 : 0;
        if (full >= FULL) {
            step = -StrictMath.log(2) * (1 + load.inFlight()) * calm;
        }
        double lean = tuning.lean * StrictMath.log(pace.interval() / reference);
        pace.interval(pace.interval() * StrictMath.exp((step / calm - lean) / (1 + load.inFlight())));
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
    void refused(Load load, long now) {
        boolean first = accepted == 0 && !refusedEver;
        if (refusedEver && load.admittedAtNanos() - refusedAt < 0) {
            hold(now);
            return;
        }
        double interval = pace.interval();
        if (first) {
            interval = tuning.firstInterval;
            wait = interval * tuning.quotaCut;
        } else if (pace.isFree()) {
            interval = 2 / Math.max(1, load.requestsPerSecond());
            wait = interval;
            established = accepted > 0;
        } else if (refusedInARow == 0) {
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
        refusedInARow++;
        refusedEver = true;
        refusedAt = now;
        hold(now);
    }

    private void hold(long now) {
        double longest = Math.min(wait, surroundings.settings.maxInterval() / tuning.retryTo());
        pace.hold(longest * (1 + (tuning.retryTo() - 1) * surroundings.random.nextDouble()), now);
    }
}
