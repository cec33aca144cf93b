package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * The hypothesis that refusals come at random, as from one broken machine of many. A pace makes them no rarer.
 *
 * <p>An event is early if it comes so soon that the pace has not helped. When 15 more events were early than not, the
 * hypothesis begins to rule. It predicts that without a pace the same share p of the requests is refused as before.
 * Where there is a limit, a larger share is: the rival hypothesis is four times the odds p / (1 - p). Each answer adds
 * the logarithm of how much likelier the rival makes it to a sum, which never falls below 0 (the CUSUM test of Page,
 * 1954). At a threshold the hypothesis is refuted. The sum starts near the threshold:
 *
 * <pre>
 *   accepted:   sum  <-  sum - ln(1 + 3 p)
 *   refused:    sum  <-  sum - ln(1 + 3 p) + ln 4
 * </pre>
 *
 * <p>So three refusals in a row end a trial where p is below 0.15. When the hypothesis has held for some time, it takes
 * more in a row: ten where p is 0.05, and 21 where it is 0.4. Where p is small, a share that less than doubles may
 * never be noticed.
 *
 * <p>A trial that fails has cost others who share the limit. So the next one needs half as many early events again. The
 * trial of a client with one request at a time costs them less, and so does one while something else keeps to a limit:
 * it needs a third of the events.
 */
final class RandomRefusals {

    /** The first trial needs so many more early events than others. */
    private static final int ENOUGH = 15;
    /** An event counts for so many if a trial costs others little. */
    private static final int CHEAP = 3;
    /** If this share or more is refused, there is no trial. */
    private static final double LARGEST_SHARE = 2 / 3.0;
    /** A limit would multiply the odds of a refusal by this. */
    private static final double RIVAL = 4;
    /** Where the sum starts. */
    private static final double START = 9;
    /** Where it refutes the hypothesis. */
    private static final double REFUTED = 12;

    /** The next trial needs so many more early events than others. */
    private int enough = ENOUGH;
    /** By how many the early events exceed the others; not below 0. */
    private int excess;
    /** How many requests were refused since the excess was last 0, and how many were answered. */
    private double refused;

    private double answered;

    /** The share of the requests that is expected to be refused; 0 while the hypothesis does not rule. */
    private double share;

    /** What each answer adds to the sum: a number below 0. */
    private double perAnswer;
    /** The interval before the trial. */
    private double before;

    private double sum;
    /** When the sum was last 0, and how many requests were accepted after that. */
    private long since;

    private int acceptedSince;

    boolean rules() {
        return share > 0;
    }

    double share() {
        return share;
    }

    /**
     * Learns from an event behind a pace; {@return whether the hypothesis rules from now on}
     *
     * @param helped whether the pace may have helped, because the event did not come early
     * @param accepted how many requests were accepted since the event before
     * @param refused how many were refused
     * @param interval the pace, in seconds
     * @param cheap whether a trial costs others little
     */
    boolean event(boolean helped, double accepted, int refused, double interval, boolean cheap) {
        int weight = cheap ? CHEAP : 1;
        excess = Math.max(0, excess + (helped ? -weight : weight));
        this.refused = excess == 0 ? 0 : this.refused + refused;
        answered = excess == 0 ? 0 : answered + accepted + refused;
        if (excess >= enough && this.refused < LARGEST_SHARE * answered) {
            before = interval;
            share = this.refused / answered;
            perAnswer = -StrictMath.log(1 + (RIVAL - 1) * share);
            sum = START;
            excess = 0;
            this.refused = 0;
            answered = 0;
            enough += enough / 2;
        }
        return rules(); // there was no trial before
    }

    /** A request was refused; {@return whether the hypothesis still rules} */
    boolean refused() {
        sum += perAnswer + StrictMath.log(RIVAL);
        share = sum < REFUTED ? share : 0;
        return rules();
    }

    void accepted(long now) {
        acceptedSince++;
        sum += perAnswer;
        if (sum <= 0) {
            sum = 0;
            since = now;
            acceptedSince = 0;
            enough = ENOUGH;
        }
    }

    /**
     * {@return the interval after the hypothesis was refuted, in seconds; 0 for no pace} It is what the server has
     * granted since more are refused, or the one before the trial if that is shorter. If next to nothing was granted, a
     * window may be used up, and when it is renewed no pace is needed.
     */
    double paceAfter(long now) {
        if (enough > ENOUGH) { // the sum has not been 0
            return before;
        }
        return acceptedSince < 10 ? 0 : Math.min(before, Nanos.toSeconds(now - since) / acceptedSince);
    }
}
