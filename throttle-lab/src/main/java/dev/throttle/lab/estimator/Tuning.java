package dev.throttle.lab.estimator;

/** The tuned constants. */
final class Tuning {

    // Windows
    /** A reset may move by so many seconds and is still the same. */
    final double tolerance = 1.6;
    /** A count that rises by this share of what was used has been renewed. */
    final double renewedShare = 0.5;

    // Refusals that no count explains
    /** The first question after a refusal, in seconds. */
    final double firstProbe = 0.25;
    /** Each further question comes after this share of the time since then. */
    final double probeShare = 0.35;
    /** One refusal in so many requests is borne without a pace. */
    final double few = 20;
    /** Half of the step, as a logarithm, by which such a refusal lengthens a long interval. */
    final double cut = 0.25;
    /** The interval in seconds at which that step is half as long. */
    final double slow = 1;
    /** Accepted answers until the step is taken back, at a short interval. */
    final double calm = 120;

    // Quotas that others use too
    final double slowGain = 0.13;
    final double speedGain = 0.06;
    /** How much one answer counts in the swing of the count, and for a fall. */
    final double news = 0.1;
    /** How much an unchanged count slows down, against one that falls. */
    final double flatWeight = 0.4;
    /** How strongly intervals are drawn to the reference. */
    final double lean = 0.04;
    /** That interval in seconds, where it is not known how fast the quota refills. */
    final double reference = 0.733;
    /** How many times as fast a long interval shrinks, at most. */
    final double catchUp = 6;
    /** Requests that should remain. */
    final double headroom = 15;
    /** What should remain is at most this share of the limit, if requests take alike. */
    final double targetShare = 0.25;
    /** The first interval of a client that finds little, and of one whose very first request is refused, in seconds. */
    final double join = 1.9;

    final double firstInterval = 1.15;
    /** How many times as long a newcomer's first refusal makes its interval, and any other one. */
    final double newcomerCut = 6;

    final double quotaCut = 1.35;

    /** {@return how many times as long as usual a refused request waits at most} */
    double retryTo() {
        return quotaCut * quotaCut;
    }
}
