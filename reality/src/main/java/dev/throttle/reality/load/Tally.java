package dev.throttle.reality.load;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How calls have ended. */
final class Tally {

    private final AtomicInteger succeeded = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final Queue<Long> latencies = new ConcurrentLinkedQueue<>();
    private volatile @Nullable String failure;

    /** Counts a call that ends now with a status, or with an exception. */
    void ended(long startedAt, @Nullable Integer status, @Nullable Throwable exception) {
        latencies.add(System.nanoTime() - startedAt);
        if (exception == null && status != null && status == 200) {
            succeeded.incrementAndGet();
        } else {
            failed.incrementAndGet();
            if (failure == null) {
                failure = exception == null ? "status " + status : exception.toString();
            }
        }
    }

    int succeeded() {
        return succeeded.get();
    }

    int failed() {
        return failed.get();
    }

    /** {@return the times of all ended calls in nanoseconds, shortest first} */
    List<Long> latencies() {
        return latencies.stream().sorted().toList();
    }

    /** {@return what the first failed call got, or null} */
    @Nullable String failure() {
        return failure;
    }
}
