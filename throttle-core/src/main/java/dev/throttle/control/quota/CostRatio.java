package dev.throttle.control.quota;

/** How the truth relates to what was known beforehand: mean and spread of the logarithm of the ratio. */
final class CostRatio {

    /** What the last request counts at least. */
    private static final double NEWEST = 0.015;

    private double weight;
    /** Mean and variance of the logarithm. */
    private double mean;

    private double variance;
    private double meanRatio;

    /** @param ratio what is assumed while nothing is known, and the spread of its logarithm */
    CostRatio(double ratio, double spread) {
        this.meanRatio = ratio;
        this.variance = spread * spread;
    }

    boolean isKnown() {
        return weight > 0;
    }

    /** {@return whether it has seen so many that it need not be doubted} */
    boolean isSure() {
        return weight > 4;
    }

    /** {@return how many requests it is learned from, the last ones} */
    double weight() {
        return weight;
    }

    /** Learns from one request. */
    void add(double ratio) {
        add(ratio, 1);
    }

    /**
     * The less it is to count, the sooner it is forgotten. What is not above 0 does not count, such as the ratio to
     * {@link Ledger#UNKNOWN}.
     */
    void add(double ratio, double trust) {
        if (!(ratio > 0) || ratio == Double.POSITIVE_INFINITY) {
            return;
        }
        double value = Math.log(ratio);
        weight = Math.min(weight + trust, 1 / NEWEST);
        double share = trust / weight;
        double off = value - mean;
        mean += share * off;
        if (weight > trust) { // one alone shows no spread
            variance += share * (off * (value - mean) - variance);
        }
        double doubt = variance / (2 * Math.max(1, weight)); // how far the mean itself may be off
        meanRatio = Math.exp(mean + variance / 2 + doubt);
    }

    /** {@return the mean ratio; more while few are known, and what is assumed while none is} */
    double mean() {
        return meanRatio;
    }

    /** {@return the standard deviation of the logarithm} */
    double spread() {
        return Math.sqrt(variance);
    }

    /**
     * {@return the ratio that is exceeded as seldom as a normal distribution exceeds so many standard deviations; 1 if
     * none is known}
     */
    double high(double deviations) {
        return weight == 0 ? 1 : Math.exp(mean + deviations * Math.sqrt(variance));
    }
}
