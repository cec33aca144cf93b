package dev.throttle.micrometer;

import dev.throttle.internal.CallbackPool;
import dev.throttle.time.TimeSource;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides when meters come and go. To register the meters of a key, or to remove them, takes some tens of microseconds.
 * A caller does that itself as long as few keys come. Where new keys come all the time it is left to rounds in the
 * background, so that keys that were dropped meanwhile need no meters at all. Thread-safe.
 */
final class LateRounds {

    /** How many keys may come or go at once before the others wait. */
    static final long AT_ONCE = 4096;

    /** How long it takes until one more may. */
    static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The time between two rounds, unless a round takes so long that this would be too much of a processor. */
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_PER_WORK = 4;

    private final TimeSource time;
    private final Executor executor;
    /** When all of them may come at once again. */
    private final AtomicLong restedAt;

    private final AtomicBoolean isPlanned = new AtomicBoolean();
    private volatile boolean isWanted;
    private volatile long pauseNanos = PAUSE_NANOS;

    LateRounds() {
        this(TimeSource.system(), CallbackPool.shared());
    }

    LateRounds(TimeSource time, Executor executor) {
        this.time = time;
        this.executor = executor;
        this.restedAt = new AtomicLong(time.nanoTime());
    }

    /** {@return whether the caller may do it itself; every yes counts} */
    boolean isCalm() {
        long now = time.nanoTime();
        while (true) {
            long rested = restedAt.get();
            long next = (rested - now > 0 ? rested : now) + INTERVAL_NANOS;
            if (next - now > AT_ONCE * INTERVAL_NANOS) {
                return false;
            }
            if (restedAt.compareAndSet(rested, next)) {
                return true;
            }
        }
    }

    /**
     * Asks for a round, which begins after whatever the caller has done before.
     *
     * @param round the same for every call
     */
    void ask(Runnable round) {
        isWanted = true;
        if (!isPlanned.get() && isPlanned.compareAndSet(false, true)) {
            plan(() -> time.schedule(pauseNanos, () -> plan(() -> executor.execute(() -> run(round)))));
        }
    }

    /** What cannot be planned, as no thread can be made, is planned by whoever asks next. */
    private void plan(Runnable step) {
        boolean isDone = false;
        try {
            step.run();
            isDone = true;
        } finally {
            if (!isDone) {
                isPlanned.set(false);
            }
        }
    }

    private void run(Runnable round) {
        isWanted = false;
        long began = time.nanoTime();
        try {
            round.run();
        } finally {
            pauseNanos = Math.max(PAUSE_NANOS, PAUSE_PER_WORK * (time.nanoTime() - began));
            isPlanned.set(false);
            if (isWanted) {
                ask(round);
            }
        }
    }
}
