package dev.throttle.control.limit;

import dev.throttle.internal.Nanos;

/** So many permits in each stretch of time. */
record Window(int limit, long nanos) {

    double perSecond() {
        return limit / Nanos.toSeconds(nanos);
    }
}
