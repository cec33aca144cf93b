package dev.throttle.control.quota;

import dev.throttle.signal.Outcome;

/**
 * T, what should remain of a quota that others use too.
 *
 * <p>Of a quota of requests it is 8, or a quarter of the limit if that is less. A quota that was found empty fills
 * little by little, so T begins at 1 there, and grows with each answer. Where the size is not told, T falls when the
 * count is the highest again and was not below T in between: more comes back than is used, and what comes back beyond
 * the size is lost. T also goes to the lowest count, if that is not 0, where the count rises from little to the highest
 * again and again: several units come back at once, and clients that see few of these counts would otherwise have a
 * larger T than those that see many. If the count stays the highest for long, the size is known. A request that is
 * refused although something was left raises T by up to a quarter of the highest count: some take more than one unit.
 */
final class Target {

    /** In a quota that was found empty so much more should remain with each answer. */
    private static final double FILLING = 0.3;
    /** So many counts in a row that stay at the top show that the client is alone, however little is left. */
    private static final int SURELY = 12;
    /** After so many its size is known: it stays full although the last ones came in ever shorter intervals. */
    private static final int KNOWN = 16;
    /** When a quota of untold size is full, what should remain falls to this share of it. */
    private static final double LESS = 0.8;
    /** With each other count it rises by this much. */
    private static final double MORE = 0.05;
    /** Several units come back at once where a full quota falls to less than this share in between. */
    private static final double EMPTIED = 0.4;

    private final Tuning tuning;
    private final CostModel costs;
    private final Bucket bucket;

    /** What was left when a request was refused, at most a quarter of the highest count. */
    private double tooFew;

    private double highest;
    /** How many counts in a row were the highest. */
    private int atTop;
    /** The lowest count since the quota was full, and what should remain at most if it is of untold size. */
    private double low;

    private double enough = Double.POSITIVE_INFINITY;
    /** What should remain at most in a quota that was found empty. */
    private double filled;

    Target(Tuning tuning, CostModel costs, Bucket bucket) {
        this.tuning = tuning;
        this.costs = costs;
        this.bucket = bucket;
    }

    void begin(double count, Outcome outcome) {
        highest = outcome == Outcome.SUCCESS ? count : Math.max(0, count - 1);
        low = 0; // it was not seen full yet
        filled = outcome.isRefusal() ? 0 : Double.POSITIVE_INFINITY;
    }

    /** Reads any answer, even one that was overtaken. */
    void answered(double count, Outcome outcome) {
        if (outcome == Outcome.RATE_LIMITED) { // a 503 is not for want of a quota
            // Otherwise one refusal by chance would reserve all of a small quota.
            double most = Math.min(tuning.headroom, tuning.targetShare * Math.max(highest, count));
            tooFew = Math.max(tooFew, Math.min(count, most));
        } else {
            tooFew -= tooFew / 256;
        }
    }

    /**
     * Reads a count; {@return whether a quota of untold size stays full}
     *
     * @param accepted whether the count contains its request: otherwise it may be higher than any that does
     * @param same whether the count is what it was before
     * @param inFleet whether other clients are known, which go together: a count that stays shows nothing then, and one
     *     that rises from little is theirs too
     */
    boolean read(double count, boolean accepted, boolean same, boolean inFleet) {
        boolean isFull = accepted && count == highest && bucket.limit == Double.POSITIVE_INFINITY;
        low = Math.min(low, count);
        double least = tuning.targetShare * (count + 1); // as if its size were told
        boolean isSlack = low >= units();
        boolean comesAtOnce = !inFleet && low > 0 && low < EMPTIED * count;
        boolean falls = isFull && (isSlack || comesAtOnce);
        double rest = (1 - LESS) * (isSlack ? 0 : low);
        enough = falls ? Math.max(least, LESS * Math.min(enough, tuning.headroom) + rest) : enough + MORE;
        low = isFull ? count : low;
        atTop = same && !inFleet && isFull ? atTop + 1 : 0;
        boolean staysFull = atTop >= (count > units() ? 1 : SURELY);
        if (atTop >= KNOWN && count > 0) {
            enough = Math.min(enough, least);
        }
        highest = accepted ? Math.max(highest, count) : highest;
        filled = Math.max(filled + FILLING, count);
        return staysFull;
    }

    /** {@return the highest count that was told with an accepted request} */
    double highest() {
        return highest;
    }

    /** {@return whether the quota is so large that all can see T in it: it may be shared as soon as it is low} */
    boolean isQuotaLarge() {
        return highest >= tuning.headroom / tuning.targetShare;
    }

    /** {@return what should remain if the limit did not matter} */
    double large() {
        return costs.isFixed() ? tooFew + Math.max(1, Math.min(tuning.headroom, filled)) : units();
    }

    /** {@return what should remain} */
    double units() {
        if (costs.isFixed()) {
            return Math.min(large(), tooFew + Math.max(1, Math.min(enough, tuning.targetShare * bucket.limit)));
        }
        double mean = costs.mean();
        return Math.min(
                tuning.headroom * Math.max(1, mean),
                Math.max(bucket.limit / 4, Math.min(0.6 * bucket.limit, costs.high(Ledger.UNKNOWN, 2.2))));
    }

    /**
     * {@return the interval where T is left, in seconds} For requests it is no shorter than one unit takes to come
     * back, where the server tells the refill.
     */
    double reference() {
        if (!costs.isFixed()) {
            return tuning.requestsOfCosts * costs.mean() / bucket.rate();
        }
        boolean isKnown = bucket.isRateTold() && bucket.rate() > 0;
        return isKnown ? Math.max(tuning.reference, 1 / bucket.rate()) : tuning.reference;
    }
}
