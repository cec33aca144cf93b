package dev.throttle.jdkhttp;

import dev.throttle.internal.Nanos;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;

/** How much of a refused response's body is read, and for how long, before its connection is given up. */
record Drain(long maxBytes, Duration maxTime, TimeSource time, Executor executor) {

    /** Runs a task when the time is over, off the timer's thread: the client goes on from there. */
    TimeSource.ScheduledTask atTimeLimit(Runnable task) {
        return time.schedule(Nanos.of(maxTime), () -> SendingThreads.execute(executor, task));
    }
}
