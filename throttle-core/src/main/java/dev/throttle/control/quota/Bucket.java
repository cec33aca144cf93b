package dev.throttle.control.quota;

import dev.throttle.control.quota.Ledger.Entry;
import dev.throttle.control.quota.Ledger.Truth;
import dev.throttle.internal.Nanos;

/**
 * The hypothesis that a quota is a bucket: it refills at a steady rate, and holds no more than its limit.
 *
 * <pre>
 *   level(t)  =  min(limit, level + refill dt)  -  own requests, each when it arrives or is settled
 *   total     =  count + own requests that it contains;  alone it never falls, and grows as the bucket refills
 * </pre>
 *
 * <p>The refill follows from what the server tells: for other units than requests from the reset, which says when the
 * bucket is full, otherwise from limit and window. Where neither is told it is learned from the growth of the total,
 * rather too low than too high. Limit and window may as well be those of a window: they tell of no refill if the total
 * stands still while it should have grown.
 */
final class Bucket {

    /** What is left at least when a request arrives whose cost is booked later, as a share of the limit. */
    private static final double SPARE = 0.05;
    /** An answer that takes so many times as long as others will not be settled any more. */
    private static final int LOST = 3;
    /** So many times a reset has to be told until it is sure whether it is that of a bucket. */
    private static final int ENOUGH = 4;
    /** The growth of the total is measured anew after so many own requests, if it has grown. */
    private static final int SEGMENT = 32;
    /** By so much counts may be off: they are rounded down, and answers overtake each other. */
    private static final int SLACK = 2;
    /** What has grown so often by a unit or two does not fill in steps, however long it was empty. */
    private static final int ONE_BY_ONE = 3;
    /**
     * How far a reset takes the refill to what follows from it. Most servers round resets up, so what follows is rather
     * too slow, and a faster refill counts more.
     */
    private static final double FASTER = 0.2;

    private static final double SLOWER = 0.03;
    /** What should have come back at least when nothing has, in units beyond what counts may be off by. */
    private static final int STANDS = 8;

    private final Ledger ledger;
    private final CostModel costs;
    private final Booking booking;

    double limit = Double.POSITIVE_INFINITY;
    /** What was left when the server told it last, and when that was. */
    double count;

    long countAt;
    /** How long requests are on their way. */
    long way;

    /** Units per second that come back; 0 if that is not known. */
    private double rate;

    /** How often the server has told how fast it refills; {@link #ENOUGH} at most. */
    private int timesTold;
    /** Whether that was no refill, since nothing has come back. */
    private boolean refuted;
    /** By how much the resets that are told are wrong for a bucket and for a window, in seconds, the last ones most. */
    private double errorAsBucket;

    private double errorAsWindow;
    /** The last reset that was told, in seconds, and when that was. */
    private double toldReset = Double.NaN;

    private long toldAt;

    /** What own requests took that the count contains. It and the count are the total, which others lower. */
    private double own;
    /** The total when the present segment of the measurement began, when that was, and what own requests had taken. */
    private double segmentTotal;

    private long segmentAt;
    private double segmentOwn;
    /** The same for the segment before, and how much the total grew in a second. */
    private double earlierTotal;

    private long earlierAt;
    private double earlierGrowth;
    /** The lowest count of the present segment. */
    private double segmentLowest;
    /** Whether two measurements in a row agree, and it does not fill in steps. */
    private boolean steady;
    /** The lowest count since it was measured anew. */
    private double lowest;
    /** Whether several units come back at once: it stays empty for longer than two of them take. */
    private boolean inSteps;
    /**
     * How often the total has grown by a unit or two, {@link #ONE_BY_ONE} times two at most. Each time it grows by
     * more, half of that is forgotten.
     */
    private int oneByOne;
    /** What comes back at least, in units per second. */
    private double least;

    /** By how much more was predicted lately than there was. */
    private double error;
    /** How many units should stay for others; 0 before any should. */
    private double kept;
    /** The refill before they stayed. */
    private double refillBefore;
    /** By how much slower it refills since they all stayed, as a share of what stays; NaN before they did. */
    private double slower = Double.NaN;
    /** The most that the total was for certain. */
    private double proven;
    /** The total when more than half of the limit was left last, and when that was; NaN if it has changed since. */
    private double standing = Double.NaN;
    /** By how much it may be off: so many requests were on the wire. */
    private double standingError;

    private long standingSince;

    /** What is predicted to be left at a time. */
    private double level;

    private long levelAt;

    Bucket(Ledger ledger, CostModel costs, Booking booking) {
        this.ledger = ledger;
        this.costs = costs;
        this.booking = booking;
    }

    /**
     * Begins with a count that was told at a time.
     *
     * @param perSecond units that come back at least, where the server tells nothing of that
     */
    void begin(double value, double perSecond, long at) {
        count = value;
        countAt = at;
        own = 0;
        proven = value;
        standing = Double.NaN;
        oneByOne = 0;
        kept = 0;
        slower = Double.NaN;
        least = perSecond;
        measureAnew(isRateTold() ? rate : perSecond);
    }

    /** Reads any answer, even one that was overtaken. */
    void answered(Reading r) {
        if (r.limit > 0) {
            limit = r.limit;
        } else if (r.count > limit || limit == Double.POSITIVE_INFINITY) { // not known, or larger than it seemed
            limit = costs.isFixed() ? Double.POSITIVE_INFINITY : Math.max(1, r.count);
        }
        way = way > 0 ? Math.min(r.way(), way + (r.way() - way) / 64) : r.way();
    }

    /** Learns the refill from what is told about limit and reset. */
    void learn(Reading r) {
        if (costs.isFixed() || !(r.reset >= 0)) { // what a reset means that counts requests differs
            if (r.length > 0 && limit < Double.POSITIVE_INFINITY && !refuted) {
                timesTold = Math.min(ENOUGH, timesTold + 1);
                rate = limit / r.length;
            }
            return;
        }
        timesTold = Math.min(ENOUGH, timesTold + 1);
        double reset = r.reset;
        long at = r.toldAt();
        double missing = limit - r.count;
        if (toldReset >= 0) {
            double passed = (at - toldAt) / 1e9;
            double asBucket = rate > 0 ? Math.abs(missing / rate - reset) : 0;
            double asWindow = toldReset - passed < 0 ? asBucket : Math.abs(toldReset - passed - reset);
            errorAsBucket = 0.8 * errorAsBucket + asBucket;
            errorAsWindow = 0.8 * errorAsWindow + asWindow;
        }
        if (reset > 0 && missing > 0 && r.count > 0) {
            double fresh = missing / reset;
            double known = Math.min(1, reset); // a reset below a second is mostly rounding
            double share = known * (fresh > rate ? FASTER : SLOWER);
            rate = rate == 0 ? fresh : rate + share * (fresh - rate);
        }
        toldReset = reset;
        toldAt = at;
    }

    /** {@return what is left; less than 0 if a count of 0 hides a debt: filling takes longer than from empty} */
    double left(Reading r) {
        double missing = r.reset * rate;
        boolean isDebt = r.count == 0 && missing > limit && !costs.isFixed() && !isWindow();
        return isDebt ? limit - missing : r.count;
    }

    /** {@return whether the resets that are told fit a window much better} */
    boolean isWindow() {
        return errorAsWindow < 0.5 * errorAsBucket;
    }

    /** {@return whether it is known well how fast it refills} */
    boolean isSure() {
        return rate > 0
                && !inSteps
                && (steady || (timesTold >= ENOUGH && !refuted && !isWindow()))
                && (!costs.isFixed() || error < SLACK + 1);
    }

    /**
     * {@return whether it is known well that it refills evenly} A refill that is not told is not trusted for that until
     * nothing was left once. If something is always left, others may have taken the rest of what came back, and what
     * was measured is the pace of this client.
     */
    boolean isEven() {
        return isSure() && steady && (isRateTold() || lowest < 1);
    }

    /** {@return whether the server tells how fast it refills} */
    boolean isRateTold() {
        return timesTold > 0 && !refuted;
    }

    double rate() {
        return rate;
    }

    /** {@return whether it is a window that is over by a time, as was told last} */
    boolean isOver(long at) {
        return isWindow() && at - toldAt - Nanos.ofSeconds(toldReset) >= 0;
    }

    boolean isResetTold() {
        return toldReset >= 0;
    }

    /** {@return what a count is so much later if nothing is taken; more than the limit if some refill is lost} */
    double after(double earlier, long nanos) {
        return isWindow() ? earlier : earlier + rate * (nanos / 1e9);
    }

    /** {@return what the last count is by a time if nothing is taken} */
    double untouched(long at) {
        return Math.min(limit, after(count, at - countAt));
    }

    /** Own requests took more that is in the last count already, or less. */
    void took(double units) {
        own += units;
    }

    /**
     * Corrects the level; {@return by how much others have lowered the total, at least}
     *
     * @param took what own requests took that the count contains for the first time
     * @param rivals what others on the wire may have taken before it
     * @param dry for how many seconds it usually stays empty after the first question
     */
    double correct(double value, double took, double rivals, double dry, long at) {
        double expected = untouched(at) - took;
        error = Math.max(error - error / 16, expected - value);
        own += took;
        count = value;
        countAt = at;
        lowest = Math.min(lowest, count);
        double grown = total() - proven;
        if (rivals == 0 && grown > 0) {
            oneByOne = grown > SLACK ? oneByOne / 2 : Math.min(2 * ONE_BY_ONE, oneByOne + 1);
            proven = total();
        }
        double step = (dry - 2 * way / 1e9) * rate;
        inSteps = costs.isFixed() && step > SLACK && step <= 2 * limit && oneByOne < ONE_BY_ONE; // more is an outage
        if (rivals == 0) {
            measure();
        }
        return -grown - rivals - SLACK;
    }

    /** {@return what is left, and what own requests took} Others lower it. */
    private double total() {
        return count + own;
    }

    /**
     * {@return whether nothing comes back, though the server has told how fast it does} Since little more than half was
     * left the total has stood still while so much should have come back. From then on what was told is no refill.
     */
    boolean standsStill() {
        if (!isRateTold()) {
            return false;
        }
        double inFlight = ledger.inFlight();
        if (count > limit / 2) {
            standing = limit >= 2 * STANDS ? total() : Double.NaN;
            standingError = SLACK + inFlight;
            standingSince = countAt;
        }
        double error = standingError + inFlight;
        boolean stands = Math.abs(total() - standing) <= error;
        standing = stands ? standing : Double.NaN;
        double expected = rate * (countAt - standingSince) / 1e9;
        refuted = stands && expected >= STANDS + error;
        if (refuted) {
            proven = total();
            measureAnew(0);
        }
        return refuted;
    }

    /** Goes by the refill that the server tells, since something has come back; {@return whether it was refuted} */
    boolean believe() {
        boolean was = refuted;
        refuted = false;
        return was;
    }

    /** Measures how fast the total grows, if it is known which requests the count contains. */
    private void measure() {
        double total = total();
        segmentLowest = Math.min(segmentLowest, count);
        double seconds = (countAt - earlierAt) / 1e9;
        double grown = seconds > 0 ? Math.max(0, (total - earlierTotal - 1) / seconds) : 0;
        if (!isRateTold() && costs.isFixed()) {
            rate = Math.max(least, grown);
        }
        if (own - segmentOwn >= SEGMENT && total - segmentTotal >= 2 * SLACK) {
            steady = !inSteps && Math.abs(grown - earlierGrowth) <= 0.25 * Math.max(grown, earlierGrowth);
            tryKept((total - segmentTotal) / ((countAt - segmentAt) / 1e9));
            segmentLowest = count;
            earlierGrowth = grown;
            earlierTotal = segmentTotal;
            earlierAt = segmentAt;
            segmentTotal = total;
            segmentAt = countAt;
            segmentOwn = own;
        }
    }

    /** @param refill what it is taken for meanwhile */
    private void measureAnew(double refill) {
        rate = refill;
        earlierTotal = total();
        earlierAt = countAt;
        segmentTotal = earlierTotal;
        segmentAt = earlierAt;
        segmentOwn = own;
        earlierGrowth = 0;
        steady = false;
        lowest = count;
    }

    /** Lets so many units stay for others; {@return how many do: none once they have turned out never to come back} */
    double keep(double units) {
        refillBefore = kept == 0 ? rate : refillBefore;
        kept = units;
        boolean neverComeBack = slower > 0.5 && slower < 2; // about as much slower as a sliding window
        return neverComeBack ? 0 : units;
    }

    /**
     * Looks, once, whether this is a sliding window, in which what stays never comes back: then the refill is slower by
     * about the share of the limit that stays, as soon as all of it does. Later on, the use of others looks the same.
     *
     * @param refill units per second that came back in a segment
     */
    private void tryKept(double refill) {
        boolean allStayed = kept > 0 && segmentLowest > kept - 1 && segmentLowest <= kept + 1;
        if (allStayed && Double.isNaN(slower)) {
            slower = (1 - refill / refillBefore) * limit / kept;
        }
    }

    /** Measures a refill that is not told anew, since it has predicted too much. */
    void doubt() {
        if (!isRateTold()) {
            measureAnew(0);
        }
    }

    /** {@return what is left when a request arrives that leaves now, own requests included} */
    double predict(long now) {
        level = count;
        levelAt = countAt;
        long arrival = now + way;
        for (int i = 0; i < ledger.size(); i++) {
            Entry entry = ledger.get(i);
            if (!entry.told) {
                pass(entry.admittedAt + way);
                level -= entry.truth == Truth.SETTLED ? entry.actual : booking.atArrival(entry, limit);
            } else if (entry.truth == Truth.SETTLED) {
                level -= entry.actual - booking.atArrival(entry, limit);
            } else if (booking.isLate() && entry.truth == Truth.OPEN && endsUntil(entry, arrival)) {
                // what is given back is not counted on
                level -= Math.max(0, costs.truth(entry.asked) - booking.atArrival(entry, limit));
            }
        }
        pass(arrival);
        return level;
    }

    /** {@return by how much too little is left for a request, when it arrives or when it is settled} */
    double missing(double need, double asked, long now) {
        double atArrival = needed(asked) - predict(now);
        if (booking.isLate()) {
            long duration = Nanos.ofSeconds(booking.duration());
            for (int i = 0; i < ledger.size(); i++) {
                Entry entry = ledger.get(i);
                boolean isLost = now - entry.admittedAt > LOST * duration;
                if (entry.truth == Truth.OPEN && !isLost && !(entry.told && endsUntil(entry, now + way))) {
                    pass(endsAt(entry));
                    level = Math.min(limit, level + booking.atArrival(entry, limit) - costs.truth(entry.asked));
                }
            }
            pass(now + duration - way);
        }
        return Math.max(need - level, atArrival);
    }

    private void pass(long until) {
        if (until - levelAt > 0) {
            level = Math.min(Math.max(limit, level), level + rate * (until - levelAt) / 1e9);
            levelAt = until;
        }
    }

    /** {@return whether a request probably ends after the last count and before a time} */
    private boolean endsUntil(Entry entry, long until) {
        return endsAt(entry) - countAt > 0 && endsAt(entry) - until <= 0;
    }

    private long endsAt(Entry entry) {
        return entry.admittedAt + Nanos.ofSeconds(booking.duration()) - way;
    }

    /** {@return what has to be left when such a request arrives, if what it takes is booked later} */
    double needed(double asked) {
        double held = booking.isHeld() ? Math.max(0, asked) : 0;
        return booking.isLate() ? Math.min(limit, held + SPARE * limit) : 0;
    }
}
