package dev.throttle.control.quota;

/**
 * What requests take of one unit, learned from how far the count falls and from what they are settled with. What a
 * request asked for is an amount that somebody estimated, or {@link CostLedger#UNKNOWN}.
 */
final class CostModel {

    /** Requests whose costs have a smaller spread are alike. */
    private static final double ALIKE = 0.2;
    /** Where the count falls by less than so many times what own requests take, nobody else need be there. */
    private static final double SURELY_MORE = 1.5;
    /** The first count tells less: others may have used the rest. */
    private static final double FIRST_TRUST = 0.3;

    /** What a request takes for each unit that it was estimated to take. */
    private final CostRatio estimates = new CostRatio(0.3);
    /** What a request takes that nobody has estimated. */
    private final CostRatio amounts = new CostRatio(0.6);
    /** The same, by what requests were settled with. */
    private final CostRatio settledEstimates = new CostRatio(0.3);

    private final CostRatio settledAmounts = new CostRatio(0.6);

    /** What refused requests have told that they take, the last ones. */
    private final double[] exact = new double[64];

    private int told;

    /** A request was refused, and told what it takes. */
    void tell(double took) {
        exact[told++ % exact.length] = took;
    }

    /** {@return whether an amount is known to be one that a request takes, and no estimate} */
    boolean isExact(double asked) {
        for (double amount : exact) {
            if (amount == asked) {
                return asked > 0;
            }
        }
        return false;
    }

    void settled(double asked, double took) {
        if (asked == CostLedger.UNKNOWN) {
            settledAmounts.add(took);
        } else if (asked > 0) {
            settledEstimates.add(took / asked);
        }
    }

    /** A refusal told what a request would have taken. It is not settled as what it was estimated to take. */
    void seen(double asked, double took) {
        boolean unknown = asked == CostLedger.UNKNOWN;
        if (!unknown && !(asked > 0)) {
            return;
        }
        double ratio = unknown ? took : took / asked;
        (unknown ? amounts : estimates).add(ratio);
        CostRatio settled = unknown ? settledAmounts : settledEstimates;
        if (settled.isKnown()) {
            settled.add(ratio);
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
        if (isExact(asked)) {
            return asked;
        }
        if (asked == CostLedger.UNKNOWN) {
            return amounts().isKnown() ? amounts().mean() : 0;
        }
        return asked * (estimates().isKnown() ? estimates().mean() : 1);
    }

    /** {@return what requests take in the mean of which it is not known what they took} */
    double mean(CostLedger.Sum requests) {
        return (requests.estimated == 0 ? 0 : mean(requests.estimated))
                + (requests.unknown == 0 ? 0 : requests.unknown * mean(CostLedger.UNKNOWN));
    }

    /** {@return what such a request takes at most, as sure as so many standard deviations} */
    double high(double asked, double deviations) {
        if (isExact(asked)) {
            return asked;
        }
        if (asked == CostLedger.UNKNOWN) {
            return amounts().isKnown() ? amounts().high(deviations) : 1;
        }
        return asked * (estimates().isKnown() ? estimates().high(deviations) : 1);
    }

    /** {@return how many others there seem to be: by how much more the count falls than own requests take; 0 to 1} */
    double company(double asked) {
        boolean unknown = asked == CostLedger.UNKNOWN;
        CostRatio falls = unknown ? amounts : estimates;
        CostRatio settled = unknown ? settledAmounts : settledEstimates;
        boolean booked = falls.spread() < ALIKE; // the server books what it is told
        double times = falls.isSure() && settled.isSure() && !booked ? falls.high(0) / settled.high(0) : 1;
        return Math.max(0, Math.min(1, times - SURELY_MORE));
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
