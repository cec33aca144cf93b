package dev.throttle.redis;

import dev.throttle.fixtures.OtherTime;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The time of the machine, which can be put forward; or one that goes on only then, however slow the machine is. */
final class JumpingTime extends OtherTime {

    private static final TimeSource SYSTEM = TimeSource.system();

    private final AtomicLong ahead = new AtomicLong();
    private final boolean isStanding;
    private final long start = SYSTEM.nanoTime();
    private final long startMillis = SYSTEM.currentTimeMillis();

    JumpingTime() {
        this(false);
    }

    private JumpingTime(boolean isStanding) {
        super(SYSTEM);
        this.isStanding = isStanding;
    }

    /** {@return one that stands still until it is put forward; what is scheduled runs when the machine's time comes} */
    static JumpingTime standing() {
        return new JumpingTime(true);
    }

    void jump(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    @Override
    public long nanoTime() {
        return (isStanding ? start : SYSTEM.nanoTime()) + ahead.get();
    }

    @Override
    public long currentTimeMillis() {
        return (isStanding ? startMillis : SYSTEM.currentTimeMillis()) + ahead.get() / 1_000_000;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        SYSTEM.parkUntil(blocker, SYSTEM.nanoTime() + (instant - nanoTime()));
    }
}
