package dev.throttle.benchmarks;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.Recorder;
import dev.throttle.signal.Signal;
import java.util.Arrays;
import java.util.List;

/**
 * A throttle that keeps when it granted each permit, as its limits are told under its lock: a caller's own watch says
 * when the caller was awake again, which may be in the next second.
 */
final class Recorded implements Accuracy.Turn {

    private static final int FIRST_SIZE = 1 << 16;

    private final Throttle throttle;
    /** Guarded by this object. */
    private long[] times = new long[FIRST_SIZE];

    private int size;

    Recorded(List<Strategy> limits) {
        Throttle.Builder builder = Throttle.builder().strategy(Strategies.none());
        limits.forEach(builder::limit);
        this.throttle = builder.limit(new Recorder(this::add)).build();
    }

    @Override
    public void await() throws Exception {
        throttle.acquire().complete(Signal.SUCCESS);
    }

    /** {@return when permits were granted from an instant on, in order} */
    synchronized long[] grantedSince(long start) {
        return Arrays.stream(times, 0, size).filter(time -> time - start >= 0).toArray();
    }

    private synchronized void add(long time) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
        }
        times[size++] = time;
    }
}
