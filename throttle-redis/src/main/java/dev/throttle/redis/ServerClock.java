package dev.throttle.redis;

import org.jspecify.annotations.Nullable;

/**
 * The store's clock, as far as this process can tell: each answer with a time was made at some instant between the
 * question and the answer. Nothing here knows what time it is in the world. Thread-safe.
 */
final class ServerClock {

    private static final long TRUSTED_NANOS = 30_000_000_000L;

    private volatile @Nullable Reading best;

    /**
     * One answer: the store's clock was somewhere in a range when the process's was at an instant.
     *
     * @param micros the middle of the range
     * @param error half of its width
     */
    private record Reading(long at, long micros, long error) {

        long micros(long nanos) {
            return micros + (nanos - at) / 1000;
        }
    }

    /** Reads an answer. */
    void read(long serverMicros, long askedAt, long answeredAt) {
        long error = Math.max(0, answeredAt - askedAt) / 2000 + 1;
        Reading latest = new Reading(askedAt + (answeredAt - askedAt) / 2, serverMicros, error);
        Reading before = best;
        boolean isBetter = before == null
                || latest.error <= before.error
                || latest.at - before.at > TRUSTED_NANOS
                || Math.abs(before.micros(latest.at) - serverMicros) > before.error + latest.error + 1000; // it jumped
        if (isBetter) {
            best = latest;
        }
    }

    boolean isKnown() {
        return best != null;
    }

    /** {@return the store's time at an instant of the process; 0 if nothing is known} */
    long micros(long nanos) {
        Reading current = best;
        return current == null ? 0 : current.micros(nanos);
    }
}
