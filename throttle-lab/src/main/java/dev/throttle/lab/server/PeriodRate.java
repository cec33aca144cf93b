package dev.throttle.lab.server;

/**
 * The law of a rate in a stick table of HAProxy 2.6, such as {@code http_req_rate(10s)}: what came in the present
 * period and, of what came in the one before, the share that a sliding window would still have of it if it had come
 * evenly. A request is refused if the rate would exceed the capacity with it. Refused requests count as well where they
 * are tracked before they are denied, as in the manual. Periods follow each other while requests come; after two
 * periods without, the next one begins with a request. Times count in milliseconds. It knows nothing to tell about a
 * quota, and a {@code Retry-After} is a text of the configuration, so always the whole window.
 */
final class PeriodRate implements SimulatedServer {

    private static final long MILLI = 1_000_000L;

    private final long capacity;
    private final long period;
    private final long windowNanos;
    private final boolean countsRefused;
    private long before;
    private long present;
    /** When the present period began, so long ago at the start that it is over. */
    private long began;

    PeriodRate(long capacity, long windowNanos, boolean countsRefused) {
        this.capacity = capacity;
        this.period = Math.max(1, windowNanos / MILLI);
        this.windowNanos = windowNanos;
        this.countsRefused = countsRefused;
        this.began = -2 * period;
    }

    @Override
    public Answer answer(long now) {
        long millis = now / MILLI;
        if (millis - began >= period) {
            boolean isNext = millis - began < 2 * period;
            before = isNext ? present : 0;
            present = 0;
            began = isNext ? began + period : millis;
        }
        boolean accepted = remaining(now) > 0;
        if (accepted || countsRefused) {
            present++;
        }
        return accepted
                ? new Answer(Answer.OK, Answer.UNKNOWN, Answer.UNKNOWN)
                : new Answer(Answer.TOO_MANY_REQUESTS, Answer.UNKNOWN, resetNanos(now)).refusedFor(windowNanos);
    }

    @Override
    public long remaining(long now) {
        long millis = now / MILLI;
        long age = millis - began;
        if (age >= 2 * period) {
            return capacity;
        }
        long rate = age >= period ? present * (2 * period - age) / period : present + before * (period - age) / period;
        return Math.max(0, capacity - rate);
    }

    /** If there is room, some of what is counted is forgotten within a millisecond or at the end of the period. */
    @Override
    public long resetNanos(long now) {
        long millis = now / MILLI;
        long end = began + period;
        if (millis < end && present < capacity) {
            long left = leftFor(before, capacity - present);
            if (left > 0) {
                return untilMillis(end - left, now);
            }
        }
        return untilMillis(end + period - leftFor(present, capacity), now);
    }

    /** {@return how much of a period may be left so that less than a room is used by the share of an earlier count} */
    private long leftFor(long earlier, long room) {
        return earlier == 0 ? period : Math.min(period, (room * period + earlier - 1) / earlier - 1);
    }

    private static long untilMillis(long millis, long now) {
        return Math.max(MILLI - now % MILLI, millis * MILLI - now);
    }

    @Override
    public double grantable(long duration) {
        return Math.floor(capacity * Math.max(1.0, (double) duration / windowNanos));
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 / windowNanos * capacity;
    }
}
