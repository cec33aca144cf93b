package dev.throttle.control.quota;

import java.util.Map;

/**
 * The tuned constants, by name. Users do not set them: {@code docs/design/quota-pacing-ablation.md} shows for each what
 * happens without it. The lab's {@code ablation} command makes that table with strategies whose constants it changes.
 * Throttles of one strategy share one object. Immutable.
 */
final class Tuning {

    static final Tuning USUAL = new Tuning();

    // Windows
    /** A reset may move by so many seconds and is still the same. */
    final double tolerance;
    /** A count that rises by this share of what was used has been renewed. */
    final double renewedShare;

    // Refusals that no count explains
    /** The first question after a refusal, in seconds. */
    final double firstProbe;
    /** Each further question comes after this share of the time since then. */
    final double probeShare;
    /** One refusal in so many requests is borne without a pace. */
    final double few;
    /** Half of the step, as a logarithm, by which such a refusal lengthens a long interval. */
    final double cut;
    /** The interval in seconds at which that step is half as long. */
    final double slow;
    /** Accepted answers until the step is taken back, at a short interval. */
    final double calm;
    /**
     * So many requests go at first while the server tells nothing. So many answers double a pace that follows from too
     * few.
     */
    final double firstFlight;

    // Quotas that others use too
    /** How steeply the interval depends on what remains, and how far an answer brings it there. */
    final double steepness;

    final double lag;
    /** The same where requests take different amounts. */
    final double steepnessOfCosts;

    final double lagOfCosts;
    /** The interval in seconds where as much is left as should be, or longer if a unit takes longer to come back. */
    final double reference;
    /** The same, in mean requests, where it is known how fast the quota refills. */
    final double requestsOfCosts;
    /** Requests that should remain. */
    final double headroom;
    /** What should remain is at most this share of the limit, if requests take alike. */
    final double targetShare;
    /** The first interval of a client that finds little, or is refused first, in seconds. */
    final double join;
    /** How many times as long as the interval a refused request waits at most. */
    final double retryTo;

    /** Makes constants with their usual values. */
    Tuning() {
        this(Map.of());
    }

    /**
     * Makes constants of which some have other values.
     *
     * @param changed these, by name; other names are not used
     */
    Tuning(Map<String, Double> changed) {
        this.tolerance = changed.getOrDefault("tolerance", 1.6);
        this.renewedShare = changed.getOrDefault("renewedShare", 0.5);
        this.firstProbe = changed.getOrDefault("firstProbe", 0.25);
        this.probeShare = changed.getOrDefault("probeShare", 0.35);
        this.few = changed.getOrDefault("few", 20.0);
        this.cut = changed.getOrDefault("cut", 0.25);
        this.slow = changed.getOrDefault("slow", 1.0);
        this.calm = changed.getOrDefault("calm", 120.0);
        this.firstFlight = changed.getOrDefault("firstFlight", 8.0);
        this.steepness = changed.getOrDefault("steepness", 3.0);
        this.lag = changed.getOrDefault("lag", 0.2);
        this.steepnessOfCosts = changed.getOrDefault("steepnessOfCosts", 2.0);
        this.lagOfCosts = changed.getOrDefault("lagOfCosts", 0.1);
        this.reference = changed.getOrDefault("reference", 0.733);
        this.requestsOfCosts = changed.getOrDefault("requestsOfCosts", 3.0);
        this.headroom = changed.getOrDefault("headroom", 8.0);
        this.targetShare = changed.getOrDefault("targetShare", 0.25);
        this.join = changed.getOrDefault("join", 2.4);
        this.retryTo = changed.getOrDefault("retryTo", 1.8225);
    }
}
