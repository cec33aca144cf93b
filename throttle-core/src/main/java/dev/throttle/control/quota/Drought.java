package dev.throttle.control.quota;

/**
 * When to ask again while nothing is left. The last droughts ended between two bounds. Each question halves their
 * distance until it is small; from then on the client asks at the later one, and now and then before it. If nothing has
 * come back by then, it asks ever less often.
 */
final class Drought {

    /** Bounds are near enough that differ by this share of the later one. */
    private static final double NEAR = 0.05;

    /** The earlier bound falls by this share of the later one when a drought was over at the first question. */
    private static final double DOUBT = 0.005;

    /** A drought is forgotten when so many times as long has passed since it. */
    private static final int RECENT = 3;

    private boolean lasts;
    private long beganAt;
    private long endedAt;
    /** How long they last, about; 0 if the last one was not like those before. */
    private double usual;

    private long askedAt;
    /** How long droughts last at least and at most, in seconds; 0 if there was none. */
    private double least;

    private double most;

    /** An answer tells whether anything is left; one that was accepted ends a drought. */
    void read(boolean empty, boolean refused, long now) {
        if (lasts && !refused) {
            endedAt = now;
            over((askedAt - beganAt) / 1e9, (now - beganAt) / 1e9);
        }
        beganAt = lasts && refused ? beganAt : now;
        lasts = empty;
        askedAt = now;
    }

    private void over(double longer, double shorter) {
        boolean fits = longer < most && shorter > least;
        double doubt = longer == 0 ? DOUBT * most : 0;
        least = fits ? Math.max(least - doubt, longer) : longer;
        most = fits ? Math.min(most, shorter) : shorter;
        usual = fits ? (least + most) / 2 : 0;
    }

    boolean lasts() {
        return lasts;
    }

    /**
     * {@return how long they last, about, from answer to answer; 0 if the last ones were not alike, or are long ago}
     */
    double usual(long now) {
        return (now - endedAt) / 1e9 < RECENT * usual ? usual : 0;
    }

    /** {@return the time from the last question to the next, in seconds} */
    double patience(Tuning tuning) {
        double lasted = (askedAt - beganAt) / 1e9;
        double from = Math.max(least, lasted);
        double until = most - from < NEAR * most ? most : (from + most) / 2;
        double later = Math.max(tuning.firstProbe, tuning.probeShare * lasted);
        return lasted < until ? until - lasted : later;
    }
}
