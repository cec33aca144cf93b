package dev.throttle.lease;

import dev.throttle.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** A timer for the earliest of the instants it was set to. Not thread-safe. */
final class Alarm {

    private final TimeSource time;
    private final Runnable look;
    private TimeSource.@Nullable ScheduledTask timer;
    private long at;

    /**
     * Makes an alarm.
     *
     * @param look is called without any lock, and calls {@link #rang}
     */
    Alarm(TimeSource time, Runnable look) {
        this.time = time;
        this.look = look;
    }

    /** Sets the timer to an instant, unless it is set to an earlier one. */
    void set(long instant, long now) {
        if (timer != null && at - instant <= 0 && at - now > 0) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        at = instant;
        timer = time.schedule(Math.max(0, instant - now), look);
    }

    void rang() {
        timer = null;
    }
}
