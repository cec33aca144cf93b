package dev.throttle.client;

import dev.throttle.internal.Nanos;
import dev.throttle.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** How long a call has waited, for whatever, and when it must have ended. Most calls wait for nothing and have none. */
final class CallWait {

    private static final long NONE = Long.MAX_VALUE;

    private final TimeSource time;
    /** When the call must have ended; {@link #NONE} if it may take any time. */
    private volatile long deadline = NONE;
    /** What was waited for the attempts so far. */
    private volatile long waitedNanos;
    /** When the wait for the next attempt began; {@link #NONE} if none has begun. */
    private volatile long beganAt = NONE;
    /** Whether no throttle has seen a part of the wait. */
    private volatile boolean isElsewhere;

    CallWait(TimeSource time) {
        this.time = time;
    }

    /** @param left how long the call may take from now on */
    void setDeadline(long left) {
        deadline = time.nanoTime() + left;
    }

    boolean isTimedOut() {
        return deadline != NONE && time.nanoTime() - deadline >= 0;
    }

    void begin() {
        if (beganAt == NONE) {
            beganAt = time.nanoTime();
        }
    }

    /** @param at when it began, if it did not before */
    void beginAt(long at) {
        beganAt = beganAt == NONE ? at : beganAt;
    }

    /** Before any throttle is asked. */
    void beginElsewhere() {
        isElsewhere = true;
        begin();
    }

    void end() {
        if (beganAt != NONE) {
            waitedNanos = Nanos.plus(waitedNanos, time.nanoTime() - beganAt);
            beganAt = NONE;
        }
    }

    private long waited() {
        return Nanos.plus(waitedNanos, beganAt == NONE ? 0 : time.nanoTime() - beganAt);
    }

    /** {@return how long a call has waited in nanoseconds} */
    static long waitedNanos(@Nullable CallWait wait) {
        return wait == null ? 0 : wait.waited();
    }

    /** {@return whether a wait is under way} */
    static boolean isUnderWay(@Nullable CallWait wait) {
        return wait != null && wait.beganAt != NONE;
    }

    /** {@return whether a throttle sees all of the wait, and all that bounds it} */
    static boolean isPlain(@Nullable CallWait wait) {
        return wait == null || (wait.deadline == NONE && !wait.isElsewhere);
    }

    /** {@return how long a call may wait from now on, of which it may wait so long in total} */
    static long leftNanos(@Nullable CallWait wait, long maxWaitNanos) {
        long left = maxWaitNanos == Nanos.MAX ? Nanos.MAX : maxWaitNanos - waitedNanos(wait);
        if (wait != null && wait.deadline != NONE) {
            left = Math.min(left, wait.deadline - wait.time.nanoTime());
        }
        return Math.max(0, left);
    }
}
