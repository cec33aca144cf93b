package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * How units come back. A bucket is full after a time that grows with what is missing; a window ends when it ends. Which
 * of the two it is shows in whether the time that is told moves on as units are spent.
 */
final class UnitRefill {

    /** A window looks like a slow bucket until it was told of so many times. */
    private static final int ENOUGH = 4;

    /** Units per second that come back; 0 if that is not known. */
    private double rate;

    private double errorAsBucket;
    private double errorAsWindow;
    private double toldReset = Double.NaN;
    private long toldAt;
    private long resetAt;
    private int readings;

    /**
     * Learns from a count.
     *
     * @param reset when all is there again, in seconds; NaN if that is not told
     * @param length the length of a window in seconds; NaN if that is not told
     */
    void read(double remaining, double limit, double reset, double length, long now) {
        readings = Math.min(ENOUGH, readings + 1);
        if (!(reset >= 0)) {
            rate = length > 0 ? limit / length : rate;
            return;
        }
        double missing = limit - remaining;
        if (toldReset >= 0) {
            double passed = (now - toldAt) / 1e9;
            double asBucket = rate > 0 ? Math.abs(missing / rate - reset) : 0;
            double asWindow = toldReset - passed < 0 ? asBucket : Math.abs(toldReset - passed - reset);
            errorAsBucket = 0.8 * errorAsBucket + asBucket;
            errorAsWindow = 0.8 * errorAsWindow + asWindow;
        }
        if (reset > 0 && missing > 0 && remaining > 0) {
            double told = missing / reset;
            double share = reset == Math.rint(reset) ? Math.min(0.2, reset / 100) : 0.2; // whole seconds are rounded
            rate = rate == 0 ? told : rate + share * (told - rate);
        }
        toldReset = reset;
        toldAt = now;
        resetAt = now + Nanos.ofSeconds(reset);
    }

    boolean isWindow() {
        return errorAsWindow < 0.5 * errorAsBucket;
    }

    /**
     * {@return whether it was told of so often that a bucket would not be taken for a window, nor the other way round}
     */
    boolean isSure() {
        return readings >= ENOUGH;
    }

    double rate() {
        return rate;
    }

    /** {@return whether it is a bucket of which it is known how fast it fills} */
    boolean isBucket() {
        return rate > 0 && !isWindow();
    }

    /** {@return whether it was told when all is there again} */
    boolean isResetTold() {
        return toldReset >= 0;
    }

    long resetAt() {
        return resetAt;
    }

    /**
     * {@return what an earlier count is by now if nothing is taken; more than the limit if some of the refill is lost}
     */
    double after(double count, double seconds) {
        return isWindow() ? count : count + rate * seconds;
    }
}
