package dev.throttle;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;

/** A server with a quota that is refilled all the time, and tells what remains of it. */
final class Bucket implements Callers.Server {

    private final VirtualTime time;
    private final double capacity;
    private final double perSecond;
    private double level;
    private long filledAt;

    Bucket(VirtualTime time, double capacity, double perSecond, double level) {
        this.time = time;
        this.capacity = capacity;
        this.perSecond = perSecond;
        this.level = level;
        this.filledAt = time.nanoTime();
    }

    double level() {
        long now = time.nanoTime();
        level = Math.min(capacity, level + perSecond * (now - filledAt) / 1e9);
        filledAt = now;
        return level;
    }

    @Override
    public ResponseHead answer() {
        boolean accepted = level() >= 1;
        level -= accepted ? 1 : 0;
        return Heads.status(accepted ? 200 : 429, "RateLimit-Remaining", String.valueOf((long) level));
    }
}
