package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/** When the next request may leave: one interval after the last, and not before a refusal has been waited out. */
final class Pace {

    /** No interval is shorter than this many seconds, unless there is none at all. */
    private static final double SHORTEST = 1e-4;

    private final Surroundings surroundings;
    private double interval;

    private long admittedAt;
    private long admittedId;
    /** What the last request took; 0 if none was admitted. */
    private int admittedPermits;

    private long admittedBefore;
    /** Spreads the admissions of clients that have the same interval. */
    private double jitter = 1;
    /** The interval when the last request was admitted, or when the limit was set. */
    private double tried;

    /** Whether all requests are held back, and until when. */
    private boolean held;

    private long heldUntil;

    Pace(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** {@return seconds between two requests; 0 if there is no limit} */
    double interval() {
        return interval;
    }

    /** {@return when the last request was admitted; another time if none was} */
    long admittedAt(long otherwise) {
        return admittedPermits > 0 ? admittedAt : otherwise;
    }

    boolean isFree() {
        return interval == 0;
    }

    /** Sets the interval, within its bounds; what is no number counts as the shortest. */
    void interval(double seconds) {
        interval = seconds > SHORTEST ? Math.min(surroundings.settings.maxInterval(), seconds) : SHORTEST;
    }

    /** Lifts the limit, unless a refusal is still being waited out. */
    void lift(long now) {
        if (!held || now - heldUntil >= 0) {
            clear();
        }
    }

    /** Sets a limit from now on, as if a request had just left. */
    void limit(double seconds, long now) {
        interval(seconds);
        admitted(1, jitter, admittedId, now);
        admittedBefore = now; // if an earlier request is taken back, that changes nothing
    }

    void clear() {
        interval = 0;
        held = false;
    }

    /** Holds back all requests for a time; an earlier hold that lasts longer stays. */
    void hold(double seconds, long now) {
        long until = now + Nanos.ofSeconds(seconds);
        heldUntil = held ? Nanos.later(heldUntil, until) : until;
        held = true;
    }

    /**
     * {@return the earliest time for a request} An interval that has just become longer may be short again after the
     * next answer. So it counts for those behind others only once a request has been admitted under it. Otherwise
     * callers would be turned away because of an interval that passes.
     *
     * @param factor the share of the interval that has to pass
     */
    long dueNanos(long permitsAhead, double factor, long now) {
        long wait = held ? heldUntil - now : 0;
        double usual = Math.min(interval * factor, Math.max(interval, surroundings.settings.maxInterval()));
        if (interval > 0) {
            double step = usual * admittedPermits * jitter;
            wait = Math.max(wait, Nanos.ofSeconds(step) - (now - admittedAt(now)));
            wait = Nanos.plus(Math.max(0, wait), Nanos.ofSeconds(permitsAhead * Math.min(usual, factor * tried)));
        }
        return wait <= 0 ? now : now + wait;
    }

    void admitted(int permits, double nextJitter, long id, long now) {
        admittedBefore = admittedAt(now);
        admittedAt = now;
        admittedId = id;
        admittedPermits = permits;
        jitter = nextJitter;
        tried = interval;
    }

    /** The server never counted a request. */
    void release(long id) {
        if (admittedPermits > 0 && admittedId == id) {
            admittedAt = admittedBefore;
            admittedPermits = 1;
        }
    }
}
