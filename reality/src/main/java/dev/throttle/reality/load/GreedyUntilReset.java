package dev.throttle.reality.load;

import dev.throttle.signal.RateHints;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Goes at once until nothing remains; then the whole client waits for the reset that was told. */
final class GreedyUntilReset extends Peer {

    private final AtomicLong blockedUntil = new AtomicLong(System.nanoTime());

    GreedyUntilReset(URI uri, Wire wire) {
        super(uri, wire);
    }

    @Override
    void admit() throws InterruptedException {
        long wait;
        while ((wait = blockedUntil.get() - System.nanoTime()) > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }

    @Override
    void answered(int status, RateHints hints) {
        Duration wait = hints.isExhausted() || status == 429 ? hints.refusalWait() : null;
        if (wait != null) {
            long until = System.nanoTime() + wait.toNanos();
            blockedUntil.accumulateAndGet(until, (a, b) -> a - b > 0 ? a : b);
        }
    }
}
