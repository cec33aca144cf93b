package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * The hypothesis that refusals come at random, as from one broken machine of many. A pace makes them no rarer.
 *
 * <p>It begins to rule after 15 more events that came early, so the pace has not helped, than others. It predicts that
 * without a pace the same share of the requests is refused as before. A limit would refuse ever more: the rival
 * hypothesis is three times the share. Each answer adds the logarithm of how much likelier the rival makes it, and the
 * sum stays at 0 or above (the CUSUM test of Page, 1954). At a threshold the hypothesis is refuted. The sum starts near
 * the threshold, so three refusals in a row suffice at first. Once the hypothesis has held it takes a limit eleven, and
 * chance alone hundreds of thousands of answers.
 *
 * <p>Each trial that fails makes the next one half as late again, because it costs those who share the limit.
 */
final class RandomRefusals {

    /** By so many the early events have to exceed the others before the first trial. */
    private static final int ENOUGH = 15;
    /** If a larger share than this is refused there is no trial. */
    private static final double LARGEST_SHARE = 0.2;
    /** How many times as many would be refused by a limit. */
    private static final double RIVAL = 3;
    /** Where the sum starts, and where the hypothesis is refuted. */
    private static final double START = 9;

    private static final double REFUTED = 12;

    private int enough = ENOUGH;
    /** By how many the early events exceed the others; not below 0. */
    private int excess;
    /** Requests since that was last 0: those refused, and all. */
    private double refused;

    private double answered;

    private boolean rules;
    /** The share of the requests that is expected to be refused. */
    private double share;

    private double sum;
    /** Whether the sum has been 0 since then, when that was last, and how many were accepted after that. */
    private boolean held;

    private long since;
    private int acceptedSince;

    boolean rules() {
        return rules;
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
     */
    boolean event(boolean helped, double accepted, int refused) {
        excess = Math.max(0, excess + (helped ? -1 : 1));
        this.refused = excess == 0 ? 0 : this.refused + refused;
        answered = excess == 0 ? 0 : answered + accepted + refused;
        rules = excess >= enough && this.refused < LARGEST_SHARE * answered;
        if (rules) {
            share = this.refused / answered;
            sum = START;
            held = false;
            excess = 0;
            enough += enough / 2;
        }
        return rules;
    }

    /**
     * A request was refused; {@return whether the hypothesis still rules}
     *
     * @param asked whether the server asked to wait, as a limit does
     */
    boolean refused(boolean asked) {
        sum += StrictMath.log(RIVAL);
        rules = sum < REFUTED && !asked;
        return rules;
    }

    void accepted(long now) {
        acceptedSince++;
        sum += StrictMath.log((1 - RIVAL * share) / (1 - share));
        if (sum <= 0) {
            sum = 0;
            held = true;
            since = now;
            acceptedSince = 0;
            enough = ENOUGH;
        }
    }

    /**
     * {@return seconds for each request that was accepted since more are refused}
     *
     * @param otherwise what to return if the hypothesis has not held, or fewer than ten were
     */
    double granted(double otherwise, long now) {
        return held && acceptedSince >= 10 ? Nanos.toSeconds(now - since) / acceptedSince : otherwise;
    }
}
