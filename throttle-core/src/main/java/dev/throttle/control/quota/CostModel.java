package dev.throttle.control.quota;

/**
 * What requests take of one unit, learned from how far the count falls and from what they are settled with. What a
 * request asked for is its estimate, or {@link Ledger#UNKNOWN} without one.
 */
final class CostModel {

    /** Each request takes one unit for each permit; there is nothing to learn. */
    static final CostModel REQUESTS = new CostModel();

    /** Requests whose costs have a smaller spread are alike. */
    private static final double ALIKE = 0.2;
    /** The first count tells less: others may have used the rest. */
    private static final double FIRST_TRUST = 0.3;

    /** What a request takes for each unit that it was estimated to take. */
    private final CostRatio estimates = new CostRatio(1, 0.4);
    /** What a request without an estimate takes. */
    private final CostRatio amounts = new CostRatio(0, 0.8);
    /** The same, by what requests were settled with. */
    private final CostRatio settledEstimates = new CostRatio(1, 0.4);

    private final CostRatio settledAmounts = new CostRatio(0, 0.8);

    /** What refused requests have told that they take, the last ones. */
    private double[] exact = {};

    private int told;
    /** Whether there were requests without an estimate; estimates that come later may be learned from them. */
    private boolean learned;
    /** Whether one was estimated before anything could be learned. */
    private boolean given;

    /** {@return whether it is known beforehand what each request takes} */
    boolean isFixed() {
        return this == REQUESTS;
    }

    /** A refusal told exactly what its request takes. */
    void tell(double took) {
        exact = exact.length == 0 ? new double[64] : exact;
        exact[told++ % exact.length] = took;
    }

    /** {@return whether an amount is known to be one that a request takes, and no estimate} */
    boolean isExact(double asked) {
        for (int i = Math.min(told, exact.length) - 1; i >= 0; i--) {
            if (exact[i] == asked) {
                return true;
            }
        }
        return isFixed();
    }

    /**
     * Counts a request that leaves.
     *
     * @param asked its estimate, or {@link Ledger#UNKNOWN}
     */
    void asks(double asked) {
        if (!isFixed()) { // one object serves all quotas of requests
            learned |= asked == Ledger.UNKNOWN;
            given |= asked != Ledger.UNKNOWN && !settledAmounts.isKnown();
        }
    }

    /** A request turned out to have taken an amount. */
    void settled(double asked, double took) {
        settledAmounts.add(took);
        settledEstimates.add(took / asked);
    }

    /** A refusal told what a request would have taken. It never stands for the first settlement. */
    void seen(double asked, double took) {
        if (isExact(asked)) {
            return;
        }
        amounts.add(took);
        estimates.add(took / asked);
        if (settledAmounts.isKnown()) {
            settledAmounts.add(took);
        }
        if (settledEstimates.isKnown()) {
            settledEstimates.add(took / asked);
        }
    }

    /** Called when the count fell because of some requests. */
    void fell(double fall, Ledger.Sum requests, boolean hasFallenBefore) {
        double trust = hasFallenBefore ? 1 : FIRST_TRUST;
        amounts.add(fall / requests.count, trust);
        if (requests.unknown == 0) {
            estimates.add(fall / requests.estimated, trust);
        }
    }

    private CostRatio amounts() {
        return settledAmounts.isSure() || !amounts.isKnown() ? settledAmounts : amounts;
    }

    private CostRatio estimates() {
        boolean booked = estimates.isSure() && estimates.spread() < ALIKE; // the server books what it is told
        return settledEstimates.isSure() && !booked ? settledEstimates : estimates;
    }

    /** {@return how what such a request takes relates to what it asked for, or to one unit} */
    CostRatio ratio(double asked) {
        return isByAmount(asked) ? amounts() : estimates();
    }

    /** {@return whether an estimate tells less than what all requests took} It may have been learned from them. */
    private boolean isByAmount(double asked) {
        if (asked == Ledger.UNKNOWN || given || !amounts().isKnown()) {
            return asked == Ledger.UNKNOWN;
        }
        return estimates().isSure() ? amounts().spread() < estimates().spread() : learned;
    }

    /** {@return what a request without an estimate takes in the mean} */
    double mean() {
        return mean(Ledger.UNKNOWN);
    }

    /** {@return what such a request takes in the mean} */
    double mean(double asked) {
        if (isExact(asked)) {
            return asked == Ledger.UNKNOWN ? 1 : asked;
        }
        return isByAmount(asked) ? amounts().mean() : asked * estimates().mean();
    }

    /** {@return what a request takes in the mean, by what such requests were settled with; by the count before that} */
    double truth(double asked) {
        CostRatio ratio = asked == Ledger.UNKNOWN ? settledAmounts : settledEstimates;
        if (isExact(asked) || !ratio.isKnown()) {
            return mean(asked);
        }
        return asked == Ledger.UNKNOWN ? ratio.mean() : asked * ratio.mean();
    }

    /** {@return what requests take in the mean of which it is not known what they took} */
    double mean(Ledger.Sum requests) {
        if (requests.estimated == 0 || isByAmount(requests.estimated)) {
            return requests.count * mean();
        }
        return mean(requests.estimated) + requests.unknown * mean();
    }

    /** {@return what such a request takes at most, as sure as so many standard deviations} */
    double high(double asked, double deviations) {
        if (isExact(asked)) {
            return asked;
        }
        return isByAmount(asked)
                ? amounts().high(deviations)
                : asked * estimates().high(deviations);
    }

    /** {@return what such a request probably takes at most; where all take alike, what they take} */
    double likely(double asked) {
        return high(asked, ratio(asked).spread() < ALIKE ? 0 : 1);
    }
}
