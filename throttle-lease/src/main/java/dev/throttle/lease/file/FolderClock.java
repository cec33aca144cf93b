package dev.throttle.lease.file;

import dev.throttle.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The clock of all files of a folder, as this process knows it. Each file says what it showed when it was written last,
 * and the clock that is ahead is right: so files that were made at different times, by clocks that differed, soon
 * agree. Thread-safe.
 */
final class FolderClock {

    private final TimeSource time;
    private @Nullable Mark latest;

    FolderClock(TimeSource time) {
        this.time = time;
    }

    /**
     * {@return what it shows now}
     *
     * @param written what it showed when a file was written last; null if it was not
     */
    synchronized Mark now(@Nullable Mark written) {
        long nano = time.nanoTime();
        long wall = time.currentTimeMillis() * 1000;
        Mark now = latest == null ? null : latest.then(nano, wall);
        Mark then = written == null ? null : written.then(nano, wall);
        if (now == null || (then != null && then.store() > now.store())) {
            now = then == null ? Mark.first(nano, wall) : then;
        }
        latest = now;
        return now;
    }
}
