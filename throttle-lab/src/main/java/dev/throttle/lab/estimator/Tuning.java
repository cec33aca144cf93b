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

    /** So many requests go at first while the server tells nothing; each answer lets two more go. */
    final double firstFlight = 8;
    /** Answers that double a pace which follows from too few. */
    final double search = 8;

    // Quotas that others use too
    /** How steeply the interval depends on what remains, and how far an answer brings it there. */
    final double steepness = 3;

    final double lag = 0.2;
    /** The same where requests take different amounts. */
    final double steepnessOfCosts = 2;

    final double lagOfCosts = 0.1;
    /**
     * The interval where as much is left as should be, in seconds; what it is in requests where the refill is known.
     */
    final double reference = 0.733;

    final double requestsOfCosts = 3;
    /** Requests that should remain. */
    final double headroom = 12;
    /** What should remain is at most this share of the limit, if requests take alike. */
    final double targetShare = 0.25;
    /** The first interval of a client that finds little, in seconds. */
    final double join = 1.9;

    /** How many times as long as the interval a refused request waits at most. */
    final double retryTo = 1.8;
}
