package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;

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
        return Traffic.QUIET.admittedAt(nanos(seconds)).perSecond(1);
    }

    /** {@return a load whose request has another permit; 0 for one that left at rest} */
    static RateLimit.Load withPermit(long permitId, Traffic load) {
        return new RateLimit.Load() {
            @Override
            public Cost cost() {
                return load.cost();
            }

            @Override
            public long permitId() {
                return permitId;
            }

            @Override
            public long admittedAtNanos() {
                return load.admittedAtNanos();
            }

            @Override
            public int inFlight() {
                return load.inFlight();
            }

            @Override
            public long admitted() {
                return load.admitted();
            }

            @Override
            public int waiting() {
                return load.waiting();
            }

            @Override
            public double requestsPerSecond() {
                return load.requestsPerSecond();
            }
        };
    }

    /** {@return what an answer says; times of the request and the answer in nanoseconds} */
    static Reading reading(
            double count, double limit, double reset, double length, boolean accepted, long admittedAt, long now) {
        Reading reading = new Reading();
        reading.count = count;
        reading.limit = limit;
        reading.reset = reset;
        reading.length = length;
        reading.outcome = accepted ? Outcome.SUCCESS : Outcome.RATE_LIMITED;
        reading.admittedAt = admittedAt;
        reading.now = now;
        return reading;
    }
}
