package dev.throttle.redis;

import dev.throttle.fixtures.OtherTime;
import dev.throttle.time.TimeSource;
import java.time.Duration;

/** The time of a machine whose clocks are wrong. */
final class SkewedTime extends OtherTime {

    private final Duration skew;

    SkewedTime(Duration skew) {
        super(TimeSource.system());
        this.skew = skew;
    }

    Duration skew() {
        return skew;
    }

    @Override
    public long nanoTime() {
        return super.nanoTime() + skew.toNanos();
    }

    @Override
    public long currentTimeMillis() {
        return super.currentTimeMillis() + skew.toMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        super.parkUntil(blocker, instant - skew.toNanos());
    }
}
