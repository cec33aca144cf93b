package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * How long windows last that begin with a request, where the server rounds the reset up to a whole second. It then
 * comes up to a second late. The next window begins with the request that has waited for it, so each window would be
 * late.
 *
 * <p>The request that began a window left no earlier than a length before its end, and the reset is less than a second
 * after that. So the time from the request to the reset is longer than a window, and by a second and the time on the
 * wire at most. The length is the usual one for which that holds in all windows. A length of another kind, and a window
 * that begins by the clock, may look like a shorter one: two requests are too early then, and nothing more is learned.
 */
final class FirstHit {

    /** What rounding may add to a time, in seconds, and the error of such times. */
    private static final double ROUNDED = 1.01;
    /**
     * A window begins before its first answer is on its way back, and the next request is on its way, too. Both
     * together take a round trip, of which this share is used.
     */
    private static final double ROUND_TRIP = 0.75;
    /** If so many requests were too early, this is not the length. */
    private static final int REFUTED = 2;
    /** A server may count in milliseconds. */
    private static final long LATER_NANOS = 2_000_000;

    private double shortest = Double.POSITIVE_INFINITY;
    /** The longest time, without what rounding and the wire may have added. */
    private double longest;

    private int windows;
    /** By how much a request may leave earlier than if the window had begun when its first answer came. */
    private long earlierNanos;

    /** How many requests were too early. */
    private int tooEarly;

    /**
     * Reads the answer to the first request of a window.
     *
     * @param untilReset seconds from when it left to the reset
     * @param flight for how many seconds it was on the wire
     * @param quickest about the quickest round trip of late, in nanoseconds
     */
    void read(double untilReset, double flight, long quickest) {
        shortest = Math.min(shortest, untilReset);
        longest = Math.max(longest, untilReset - flight - ROUNDED);
        windows++;
        earlierNanos = tooEarly > 0 ? 0 : (long) (ROUND_TRIP * quickest);
    }

    /** {@return the length of a window in seconds; 0 if it is not known} */
    double length() {
        double length = Math.max(1, Renewals.longestRound(shortest));
        return tooEarly < REFUTED && windows > 1 && length > longest ? length : 0;
    }

    /** {@return whether no window has ended yet when it should} */
    boolean isUntried() {
        return windows == 2 && length() > 0;
    }

    /**
     * {@return when the window ends whose first answer came at a time; {@code otherwise} if the length is not known}
     */
    long end(long answeredAt, long otherwise) {
        double length = length();
        return length > 0 ? answeredAt + Nanos.ofSeconds(length) - earlierNanos + LATER_NANOS : otherwise;
    }

    /**
     * Called when a window has not ended when it should have. The first time the request may have been quicker than all
     * before.
     *
     * @param end when it should have ended
     * @return when it ends; {@code toldAt} if the length was refuted
     */
    long late(long end, long toldAt) {
        tooEarly++;
        return tooEarly < REFUTED ? end + earlierNanos + LATER_NANOS : toldAt;
    }
}
