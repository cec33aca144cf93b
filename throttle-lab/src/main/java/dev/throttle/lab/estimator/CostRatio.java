package dev.throttle.lab.estimator;

/** How the truth relates to what was known beforehand: mean and spread of the logarithm of the ratio. */
final class CostRatio {

    /** What the last request counts at least. */
    private static final double NEWEST = 0.015;

    private final double priorSpread;
    private double weight;
    private double mean;
    private double variance;
    private double meanRatio;

    CostRatio(double priorSpread) {
        this.priorSpread = priorSpread;
        this.variance = priorSpread * priorSpread;
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

    /** The less it is to count, the sooner it is forgotten. */
    void add(double ratio, double trust) {
        if (!(ratio > 0) || ratio == Double.POSITIVE_INFINITY) {
            return;
        }
        double value = Math.log(ratio);
        weight = Math.min(weight + trust, 1 / NEWEST);
        double share = trust / weight;
        double off = value - mean;
        mean += share * off;
        double prior = Math.max(share, 1.0 / 8);
        variance += Math.min(share, prior) * (off * (value - mean) - variance);
        if (weight <= trust) {
            variance = priorSpread * priorSpread;
        }
        double doubt = variance / (2 * Math.max(1, weight)); // how far the mean itself may be off
        meanRatio = Math.exp(mean + variance / 2 + doubt);
    }

    /** {@return the mean ratio; more while few are known} */
    double mean() {
        return meanRatio;
    }

    /** {@return the standard deviation of the logarithm} */
    double spread() {
        return Math.sqrt(variance);
    }

    /** {@return the ratio that is exceeded as seldom as a normal distribution exceeds so many standard deviations} */
    double high(double deviations) {
        return Math.exp(mean + deviations * Math.sqrt(variance));
    }
}
