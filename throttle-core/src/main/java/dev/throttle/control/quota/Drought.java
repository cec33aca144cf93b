package dev.throttle.control.quota;

/**
 * When to ask again while nothing is left: as long after that began as it lasted the time before, then ever less often.
 */
final class Drought {

    private boolean lasts;
    private long beganAt;
    private long askedAt;
    /** How long the last one lasted at least, and by how much longer at most, in seconds. */
    private double least;

    private double more;

    void read(boolean empty, long now) {
        if (lasts && !empty) {
            least = (askedAt - beganAt) / 1e9;
            more = (now - askedAt) / 1e9;
        } else if (!lasts && empty) {
            beganAt = now;
        }
        lasts = empty;
        askedAt = now;
    }

    boolean lasts() {
        return lasts;
    }

    /** {@return how long the last one lasted at least, and half of what it may have lasted longer} */
    double usual() {
        return least + more / 2;
    }

    /** {@return the time from the last question to the next, in seconds} */
    double patience(Tuning tuning) {
        double lasted = (askedAt - beganAt) / 1e9;
        double step = tuning.probeShare * (lasted < least + more ? more : lasted);
        return Math.max(tuning.firstProbe, lasted < least ? least - lasted : step);
    }
}
