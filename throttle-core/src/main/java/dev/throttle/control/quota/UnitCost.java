package dev.throttle.control.quota;

/** What a request costs in units of a window: the greatest common divisor of all falls of the count, from three on. */
final class UnitCost {

    private static final int ENOUGH = 3;

    private long step;
    private int falls;

    void forget() {
        step = 0;
        falls = 0;
    }

    void fell(double units) {
        long rest = (long) units;
        while (rest != 0) {
            long next = step % rest;
            step = rest;
            rest = next;
        }
        falls++;
    }

    boolean isKnown() {
        return falls >= ENOUGH;
    }

    double units() {
        return isKnown() && step > 0 ? step : 1;
    }
}
