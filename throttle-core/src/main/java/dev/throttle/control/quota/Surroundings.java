package dev.throttle.control.quota;

import java.util.random.RandomGenerator;

/**
 * What all parts of one pacer share: the settings, which can change, a source of chance, and the processes that share
 * the server's quota, as far as they are counted: how many there are, and how fast they send together. The count may be
 * incomplete, so a pace still reacts to other clients that show in what remains.
 */
final class Surroundings {

    /** The most that a pace grows by at a time: processes that cannot be counted any more may still send. */
    private static final double MOST_FASTER = 2;
    /** A count that is older is not used: the process has found another pace meanwhile. */
    private static final long REMEMBERED_NANOS = 60_000_000_000L;

    PacingSettings settings;
    final RandomGenerator random;

    /** How many processes share the quota, this one included; 0 if they are not counted. */
    private int processes;
    /** When they were counted no more. */
    private long lostAt;
    /** How many requests they send in a second; NaN if that is not known. */
    private double perSecond = Double.NaN;
    /** How many processes the paces were made for; behind their number for a moment after many have left. */
    private double paced = Double.NaN;

    Surroundings(PacingSettings settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
    }

    /** Goes by another count; {@return what the intervals are to be multiplied by} */
    double become(int count, double rate, long now) {
        int counted = processes;
        processes = count;
        perSecond = rate;
        if (count <= 0) {
            lostAt = counted > 0 ? now : lostAt;
            return 1; // they may be there still
        }
        boolean isNewCount = counted <= 0 && !(paced > count && now - lostAt <= REMEMBERED_NANOS);
        // A pace that was learned without a count fits the clients there were, newcomers included.
        double before = isNewCount ? count : paced;
        paced = Math.max(count, before / MOST_FASTER);
        return paced / before;
    }

    /** {@return how many there are, this one included; 1 if there is no other or if they are not counted} */
    int processes() {
        return Math.max(1, processes);
    }

    boolean areMany() {
        return processes > 1;
    }

    /** {@return the interval at which each gets the same, in seconds; NaN if unknown} */
    double fairInterval() {
        return areMany() && perSecond > 0 ? processes / perSecond : Double.NaN;
    }
}
