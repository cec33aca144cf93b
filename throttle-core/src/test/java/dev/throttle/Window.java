package dev.throttle;

import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

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
    private long aheadMillis;

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

    /** It tells the reset as a time, in whole seconds since 1970, rounded up. Its {@code Date} is rounded down. */
    Window tellsTheTime() {
        tellsTheTime = true;
        return this;
    }

    /** Its clock is ahead of that of the client. */
    Window isAhead(long millis) {
        aheadMillis = millis;
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
        long now = time.currentTimeMillis() + aheadMillis;
        long reset = ceiling(tellsTheTime ? left + now * 1_000_000 : left, 1_000_000_000);
        String name = tellsTheTime ? "X-RateLimit-" : "RateLimit-";
        return Heads.status(
                accepted ? 200 : 429,
                "Date",
                DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        Instant.ofEpochMilli(now).atOffset(ZoneOffset.UTC)),
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
