package dev.throttle.lease.fleet;

import dev.throttle.Throttle;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BiConsumer;

/** One throttle of a key in this process: what it publishes, and how it receives what others learned. Thread-safe. */
final class Presence {

    /** A throttle without requests for this time does not count. */
    private static final long BUSY_NANOS = Duration.ofSeconds(10).toNanos();
    /** The first guesses at a pace are of no use to others. */
    private static final long SETTLED_NANOS = Duration.ofSeconds(5).toNanos();

    private final Throttle throttle;
    private final BiConsumer<Signal, Duration> hear;
    private volatile long since;
    private volatile long answers;
    private volatile long busyAt;
    private volatile Company company = Company.NONE;

    Presence(Throttle throttle, BiConsumer<Signal, Duration> hear, long now) {
        this.throttle = throttle;
        this.hear = hear;
        this.since = now;
        this.busyAt = now;
    }

    boolean isOf(Throttle other) {
        return throttle == other;
    }

    boolean isSame(Presence other) {
        return throttle == other.throttle;
    }

    void observe(Signal signal, Duration age) {
        hear.accept(signal, age);
    }

    /** {@return whether the throttle has requests, or had some lately} */
    boolean isBusy(long now) {
        ThrottleSnapshot snapshot = throttle.snapshot();
        long ended =
                snapshot.outcomes().values().stream().mapToLong(Long::longValue).sum();
        if (ended != answers || snapshot.waiting() > 0 || snapshot.inFlight() > 0) {
            answers = ended;
            busyAt = now;
        }
        return now - busyAt <= BUSY_NANOS;
    }

    /** {@return how many requests per second all send together, as this one sees it; 0 if it does not know} */
    double together(long now) {
        double rate = throttle.snapshot().rateLimit();
        if (company.equals(Company.NONE)) {
            since = now; // without a count of the others its own rate says nothing about all of them
        }
        boolean isKnown = rate > 0 && rate < Double.POSITIVE_INFINITY && now - since > SETTLED_NANOS;
        return isKnown ? rate * company.busy() : 0;
    }

    void meet(Company others) {
        company = others;
        throttle.reportSharers(others.busy(), others.perSecond());
    }

    static String text(double perSecond) {
        return String.format(Locale.ROOT, "%.6f", perSecond);
    }
}
