package dev.throttle.control.quota;

import dev.throttle.control.RateController;

/** Instants at which requests may leave. */
final class Instants {

    private Instants() {}

    /** {@return the later one of two; {@link RateController#UNTIL_SIGNAL} is later than all} */
    static long later(long a, long b) {
        if (a == RateController.UNTIL_SIGNAL || b == RateController.UNTIL_SIGNAL) {
            return RateController.UNTIL_SIGNAL;
        }
        return b - a > 0 ? b : a;
    }
}
