package dev.throttle;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;

/** A server with a quota per window, all windows of the same length; it tells all about it, in whole seconds. */
final class Window implements Callers.Server {

    private final VirtualTime time;
    private final long limit;
    private final long seconds;
    private final long start;
    private long number;
    private long used;

    Window(VirtualTime time, long limit, long seconds) {
        this.time = time;
        this.limit = limit;
        this.seconds = seconds;
        this.start = time.nanoTime();
    }

    /** Somebody else uses the quota of the present window. */
    void leaveOnly(long remaining) {
        roll();
        used = limit - remaining;
    }

    private void roll() {
        long current = (time.nanoTime() - start) / (seconds * 1_000_000_000);
        used = current == number ? used : 0;
        number = current;
    }

    @Override
    public ResponseHead answer() {
        roll();
        boolean accepted = used < limit;
        used += accepted ? 1 : 0;
        long left = (number + 1) * seconds * 1_000_000_000 - (time.nanoTime() - start);
        return Heads.status(
                accepted ? 200 : 429,
                "RateLimit-Limit",
                String.valueOf(limit),
                "RateLimit-Remaining",
                String.valueOf(limit - used),
                "RateLimit-Reset",
                String.valueOf((left + 999_999_999) / 1_000_000_000));
    }
}
