package dev.throttle.control.limit;

import dev.throttle.internal.Nanos;

/** So many units in each stretch of time. */
record Window(String unit, int limit, long nanos) {

    double perSecond() {
        return limit / Nanos.toSeconds(nanos);
    }
}
