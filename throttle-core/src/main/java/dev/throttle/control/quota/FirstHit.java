package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * How long windows last that begin with a request, where the server rounds the reset up to a whole second. It then
 * comes up to a second late. The next window begins with the request that has waited for it, so each window would be
 * late.
 *
 * <p>The request that began a window left no earlier than a length before its end, and the reset is less than a second
 * after that. So the time from the request to the reset is longer than a window, and by a second and the time on the
 * wire at most. The length is the round one for which that holds in all windows. None does if windows begin at times of
 * their own, but for two seconds, which look like one: then this is refuted as soon as it matters.
 */
final class FirstHit {

    /** What rounding may add to a time, in seconds, and the error of such times. */
    private static final double ROUNDED = 1.01;
    /**
     * A window begins before its first answer is on its way back, and the next request is on its way, too. Both
     * together take a round trip, of which this share is used.
     */
    private static final double ROUND_TRIP = 0.75;
    /** A server may count in milliseconds. */
    private static final long LATER_NANOS = 2_000_000;

    private double shortest = Double.POSITIVE_INFINITY;
    /** The longest time, without what rounding and the wire may have added. */
    private double longest;

    private int windows;
    /** By how much a request may leave earlier than if the window had begun when its first answer came. */
    private long earlierNanos;

    private boolean careful;
    private boolean refuted;

    /**
     * Reads the answer to the first request of a window.
     *
     * @param untilReset seconds from when it left to the reset
     * @param flight for how many seconds it was on the wire
     * @param quickest the shortest round trip so far, in nanoseconds
     */
    void read(double untilReset, double flight, long quickest) {
        shortest = Math.min(shortest, untilReset);
        longest = Math.max(longest, untilReset - flight - ROUNDED);
        windows++;
        earlierNanos = careful ? 0 : (long) (ROUND_TRIP * quickest);
    }

    /** {@return the length of a window in seconds; 0 if it is not known} */
    double length() {
        double length = Math.max(1, Renewals.longestRound(shortest));
        return !refuted && windows > 1 && length > longest ? length : 0;
    }

    /** {@return whether no window has ended yet when it should} */
    boolean isUntried() {
        return windows == 2 && length() > 0;
    }

    /** {@return when the window ends whose first answer came at a time, if the {@link #length} is known} */
    long end(long answeredAt) {
        return answeredAt + Nanos.ofSeconds(length()) - earlierNanos + LATER_NANOS;
    }

    /**
     * Called when a window has not ended when it should have. The first time the request may have been quicker than all
     * before.
     *
     * @param end when it should have ended
     * @return when it ends; {@code toldAt} if it has nothing to do with a request
     */
    long late(long end, long toldAt) {
        refuted = careful;
        careful = true;
        return refuted ? toldAt : end + earlierNanos + LATER_NANOS;
    }
}
