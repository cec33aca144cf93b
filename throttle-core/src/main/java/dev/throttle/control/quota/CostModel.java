package dev.throttle.control.quota;

/**
 * What requests take of one unit, learned from how far the count falls and from what they are settled with. What a
 * request asked for is an amount that somebody estimated, or {@link CostLedger#UNKNOWN}.
 */
final class CostModel {

    /** Requests whose costs have a smaller spread are alike. */
    private static final double ALIKE = 0.2;
    /** No request is taken for more than this many times what it took by its settlement. */
    private static final double MOST_OTHERS = 5;
    /** The first count tells less: others may have used the rest. */
    private static final double FIRST_TRUST = 0.3;

    /** What a request takes for each unit that it was estimated to take. */
    private final CostRatio estimates = new CostRatio(0.3);
    /** What a request takes that nobody has estimated. */
    private final CostRatio amounts = new CostRatio(0.6);
    /** The same, by what requests were settled with. */
    private final CostRatio settledEstimates = new CostRatio(0.3);

    private final CostRatio settledAmounts = new CostRatio(0.6);

    void settled(double asked, double took) {
        if (asked == CostLedger.UNKNOWN) {
            settledAmounts.add(took);
        } else if (asked > 0) {
            settledEstimates.add(took / asked);
        }
    }

    /** A refusal told what a request would have taken. */
    void seen(double asked, double took) {
        if (asked == CostLedger.UNKNOWN) {
            amounts.add(took);
        } else if (asked > 0) {
            estimates.add(took / asked);
        }
    }

    /** The count fell because of some requests. */
    void fell(double fall, CostLedger.Sum requests, boolean hasFallenBefore) {
        double trust = hasFallenBefore ? 1 : FIRST_TRUST;
        if (requests.unknown == requests.count) {
            amounts.add(fall / requests.count, trust);
        } else if (requests.unknown == 0 && requests.estimated > 0) {
            estimates.add(fall / requests.estimated, trust);
        }
    }

    private CostRatio amounts() {
        boolean first = !amounts.isKnown() && settledAmounts.isKnown();
        return settledAmounts.isSure() || first ? settledAmounts : amounts;
    }

    private CostRatio estimates() {
        boolean booked = estimates.isSure() && estimates.spread() < ALIKE; // the server books what it is told
        return settledEstimates.isSure() && !booked ? settledEstimates : estimates;
    }

    private CostRatio ratio(double asked) {
        return asked == CostLedger.UNKNOWN ? amounts() : estimates();
    }

    /** {@return what such a request takes in the mean} */
    double mean(double asked) {
        if (asked == CostLedger.UNKNOWN) {
            return amounts().isKnown() ? amounts().mean() : 0;
        }
        return asked * (estimates().isKnown() ? estimates().mean() : 1);
    }

    /** {@return what such a request takes at most, as sure as so many standard deviations} */
    double high(double asked, double deviations) {
        if (asked == CostLedger.UNKNOWN) {
            return amounts().isKnown() ? amounts().high(deviations) : 1;
        }
        return asked * (estimates().isKnown() ? estimates().high(deviations) : 1);
    }

    /** {@return what the count falls by with each own request: more than that takes, where others are there} */
    double apparent(double asked) {
        double own = mean(asked);
        boolean unknown = asked == CostLedger.UNKNOWN;
        CostRatio falls = unknown ? amounts : estimates;
        return falls.isSure() ? Math.max(own, Math.min(falls.mean() * (unknown ? 1 : asked), MOST_OTHERS * own)) : own;
    }

    /** {@return the standard deviation of the logarithm of what such a request takes} */
    double spread(double asked) {
        return ratio(asked).spread();
    }

    /** {@return whether nobody has said what such a request takes, and those before it were not alike} */
    boolean isDoubtful(double asked) {
        return asked == CostLedger.UNKNOWN && !(amounts().isSure() && amounts().spread() < ALIKE);
    }
}
