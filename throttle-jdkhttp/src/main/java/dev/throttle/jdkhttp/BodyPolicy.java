package dev.throttle.jdkhttp;

import dev.throttle.internal.Nanos;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How bodies are looked at and discarded. It holds no client, since exchanges hold it.
 *
 * @param maxBytes how much of a refused body is read, before its connection is given up
 * @param maxTime how long a body is looked at, and how long a refused one is read
 * @param time the time
 * @param executor where time limits are seen to
 * @param clientExecutor the wrapped client's executor; null if it has none that is known
 */
record BodyPolicy(
        long maxBytes,
        Duration maxTime,
        TimeSource time,
        Executor executor,
        @Nullable Executor clientExecutor) {

    /** Runs a task when the time is over, off the timer's thread: the client goes on from there. */
    TimeSource.ScheduledTask atTimeLimit(Runnable task) {
        return time.schedule(Nanos.of(maxTime), () -> SendingThreads.execute(executor, task));
    }
}
