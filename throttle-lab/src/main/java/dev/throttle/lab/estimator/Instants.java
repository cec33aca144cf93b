package dev.throttle.lab.estimator;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Instants and durations. */
final class Instants {

    private Instants() {}

    /** {@return the later one of two; {@link RateController#UNTIL_SIGNAL} is later than all} */
    static long later(long a, long b) {
        if (a == RateController.UNTIL_SIGNAL || b == RateController.UNTIL_SIGNAL) {
            return RateController.UNTIL_SIGNAL;
        }
        return b - a > 0 ? b : a;
    }

    /** {@return a duration in seconds; NaN if there is none} */
    static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : Nanos.toSeconds(Nanos.of(duration));
    }

    /** {@return the seconds from one moment to another; none if that was before} */
    static double secondsSince(long then, long now) {
        return Math.max(0, (now - then) / 1e9);
    }
}
