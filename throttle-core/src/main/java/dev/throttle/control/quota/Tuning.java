package dev.throttle.control.quota;

import java.util.Map;
import java.util.TreeMap;

/**
 * The tuned constants of the laws, by name. Nobody sets them: {@code docs/design/quota-pacing.md} shows for each what
 * happens without it, and the lab's {@code ablation} command makes that table by the system property below.
 */
final class Tuning {

    /** For the lab only: {@code name=value} pairs with commas between them. */
    static final String PROPERTY = "dev.throttle.quota-pacing.tuning";

    private final Map<String, Double> changed = new TreeMap<>();

    // Fixed windows
    final double tolerance = value("tolerance", 1.6);
    final double renewedShare = value("renewedShare", 0.5);

    // Refusals that no count explains
    final double firstProbe = value("firstProbe", 0.25);
    final double probeShare = value("probeShare", 0.35);
    final double few = value("few", 20);
    final double cut = value("cut", 0.25);
    final double slow = value("slow", 1);
    final double calm = value("calm", 120);

    // Rolling quotas
    final double slowGain = value("slowGain", 0.13);
    final double speedGain = value("speedGain", 0.06);
    /** How much one answer counts: in the swing of the count, for a fall, and for what an empty start builds up. */
    final double news = value("news", 0.1);

    final double flatWeight = value("flatWeight", 0.4);
    final double foresight = value("foresight", 3);
    final double lean = value("lean", 0.032);
    final double reference = value("reference", 0.733);
    final double catchUp = value("catchUp", 6);
    final double headroom = value("headroom", 15);
    final double targetShare = value("targetShare", 0.25);
    final double damping = value("damping", 0.7);
    final double recovery = value("recovery", 30);
    final double plenty = value("plenty", 25);
    final double join = value("join", 1.9);
    final double firstInterval = value("firstInterval", 1.15);
    final double newcomerCut = value("newcomerCut", 6);
    final double quotaCut = value("quotaCut", 1.35);

    /** {@return how many times as long as usual a refused request waits at most: two cuts longer, at random} */
    double retryTo() {
        return quotaCut * quotaCut;
    }

    private double value(String name, double usual) {
        if (changed.isEmpty()) {
            String text = System.getProperty(PROPERTY, "");
            changed.put("", 0.0);
            for (String pair : text.split(",", -1)) {
                int at = pair.indexOf('=');
                if (at > 0) {
                    changed.put(pair.substring(0, at), Double.parseDouble(pair.substring(at + 1)));
                }
            }
        }
        return changed.getOrDefault(name, usual);
    }
}
