package dev.throttle;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;

/**
 * A server with a quota per window, all windows of the same length. It tells the limit, what remains, and the seconds
 * until the reset, rounded up.
 */
final class Window implements Callers.Server {

    private final VirtualTime time;
    private final long limit;
    private final long length;
    private long endsAt;
    private long used;
    private boolean beginsWithARequest;
    private boolean tellsTheTime;
    private boolean tellsTheLength;

    Window(VirtualTime time, long limit, long seconds) {
        this(time, limit, Duration.ofSeconds(seconds));
    }

    Window(VirtualTime time, long limit, Duration length) {
        this.time = time;
        this.limit = limit;
        this.length = length.toNanos();
        this.endsAt = time.nanoTime() + this.length;
    }

    /** Each window begins with the first request after the end of the last one, as in most middleware. */
    Window beginsWithARequest() {
        beginsWithARequest = true;
        endsAt = time.nanoTime();
        return this;
    }

    /** It tells the reset as a time, in whole seconds since 1970. */
    Window tellsTheTime() {
        tellsTheTime = true;
        return this;
    }

    Window tellsTheLength() {
        tellsTheLength = true;
        return this;
    }

    /** The quota of the present window is used by another client. */
    void leaveOnly(long remaining) {
        roll();
        used = limit - remaining;
    }

    private void roll() {
        long over = time.nanoTime() - endsAt;
        if (over >= 0) {
            used = 0;
            endsAt += length + (beginsWithARequest ? over : over / length * length);
        }
    }

    @Override
    public ResponseHead answer() {
        roll();
        boolean accepted = used < limit;
        used += accepted ? 1 : 0;
        long left = endsAt - time.nanoTime();
        long reset = tellsTheTime
                ? ceiling(left + time.currentTimeMillis() * 1_000_000, 1_000_000_000)
                : ceiling(left, 1_000_000_000);
        String name = tellsTheTime ? "X-RateLimit-" : "RateLimit-";
        return Heads.status(
                accepted ? 200 : 429,
                tellsTheLength ? "RateLimit-Policy" : "X-Window",
                limit + ";w=" + length / 1_000_000_000,
                name + "Limit",
                String.valueOf(limit),
                name + "Remaining",
                String.valueOf(limit - used),
                name + "Reset",
                String.valueOf(reset));
    }

    private static long ceiling(long nanos, long unit) {
        return (nanos + unit - 1) / unit;
    }
}
