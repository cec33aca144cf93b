package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit.Load;
import dev.throttle.signal.Cost;

/** Seconds for tests that state moments, and what a throttle tells of itself at one of them. */
final class Moment {

    static final double SIGNAL = Double.POSITIVE_INFINITY;

    private Moment() {}

    static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }

    /** {@return a moment as its seconds; {@link #SIGNAL} for the next signal} */
    static double seconds(long nanos) {
        return nanos == RateController.UNTIL_SIGNAL ? SIGNAL : nanos / 1e9;
    }

    /** {@return the load at the end of a request that was let go at a time in seconds, with nothing else to do} */
    static Traffic sentAt(double seconds) {
        return new Traffic(nanos(seconds), 0, 0, 0, 1);
    }

    record Traffic(long admittedAtNanos, int inFlight, long admitted, int waiting, double requestsPerSecond)
            implements Load {

        @Override
        public Cost cost() {
            return Cost.ONE;
        }

        Traffic inFlight(int count) {
            return new Traffic(admittedAtNanos, count, admitted, waiting, requestsPerSecond);
        }

        Traffic admitted(long count) {
            return new Traffic(admittedAtNanos, inFlight, count, waiting, requestsPerSecond);
        }

        Traffic waiting(int count) {
            return new Traffic(admittedAtNanos, inFlight, admitted, count, requestsPerSecond);
        }

        Traffic perSecond(double rate) {
            return new Traffic(admittedAtNanos, inFlight, admitted, waiting, rate);
        }
    }
}
