package dev.throttle.control.quota;

import java.util.Map;

/**
 * The tuned constants of the laws, by name. Users do not set them: {@code docs/design/quota-pacing.md} shows for each
 * what happens without it. The lab's {@code ablation} command makes that table with strategies whose constants it
 * changes. Throttles of one strategy share one object. Immutable.
 */
final class Tuning {

    static final Tuning USUAL = new Tuning();

    // Fixed windows
    final double tolerance;
    final double renewedShare;

    // Refusals that no count explains
    final double firstProbe;
    final double probeShare;
    final double few;
    final double cut;
    final double slow;
    final double calm;
    final double firstFlight;
    final double search;

    // Rolling quotas
    final double slowGain;
    final double speedGain;
    /** How much one answer counts: in the swing of the count, for a fall, and for what an empty start builds up. */
    final double news;

    final double flatWeight;
    final double foresight;
    final double lean;
    final double reference;
    final double catchUp;
    final double headroom;
    final double targetShare;
    final double damping;
    final double recovery;
    final double plenty;
    final double join;
    final double firstInterval;
    final double newcomerCut;
    final double quotaCut;

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
        this.search = changed.getOrDefault("search", 8.0);
        this.slowGain = changed.getOrDefault("slowGain", 0.13);
        this.speedGain = changed.getOrDefault("speedGain", 0.06);
        this.news = changed.getOrDefault("news", 0.1);
        this.flatWeight = changed.getOrDefault("flatWeight", 0.4);
        this.foresight = changed.getOrDefault("foresight", 3.0);
        this.lean = changed.getOrDefault("lean", 0.032);
        this.reference = changed.getOrDefault("reference", 0.733);
        this.catchUp = changed.getOrDefault("catchUp", 6.0);
        this.headroom = changed.getOrDefault("headroom", 15.0);
        this.targetShare = changed.getOrDefault("targetShare", 0.25);
        this.damping = changed.getOrDefault("damping", 0.7);
        this.recovery = changed.getOrDefault("recovery", 30.0);
        this.plenty = changed.getOrDefault("plenty", 25.0);
        this.join = changed.getOrDefault("join", 1.9);
        this.firstInterval = changed.getOrDefault("firstInterval", 1.15);
        this.newcomerCut = changed.getOrDefault("newcomerCut", 6.0);
        this.quotaCut = changed.getOrDefault("quotaCut", 1.35);
    }

    /** {@return how many times as long as usual a refused request waits at most: two cuts longer, at random} */
    double retryTo() {
        return quotaCut * quotaCut;
    }
}
