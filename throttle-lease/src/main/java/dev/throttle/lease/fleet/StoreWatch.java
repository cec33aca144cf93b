package dev.throttle.lease.fleet;

import dev.throttle.lease.Fleet;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the store of a fleet can be reached, and what it has lost. Logs each change once. Thread-safe. */
public final class StoreWatch {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final long LOSS_LOG_NANOS = Duration.ofMinutes(1).toNanos();
    /** One answer may be late; after so many in a row the store counts as away. */
    public static final int PATIENCE = 3;

    private final String fleet;
    private final String store;
    private final String howLost;
    private final TimeSource time;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong losses = new AtomicLong();
    private volatile long lossLoggedAt;
    private volatile boolean up;
    private volatile boolean warned;
    private volatile boolean leaving;

    /**
     * Watches a store that was not reached yet.
     *
     * @param fleet the name of the fleet
     * @param store what the log calls the store, such as "Redis"
     * @param howLost how it may lose something, after "it was"
     */
    public StoreWatch(String fleet, String store, String howLost, TimeSource time) {
        this.fleet = fleet;
        this.store = store;
        this.howLost = howLost;
        this.time = time;
    }

    /** {@return the name of the fleet} */
    public String fleet() {
        return fleet;
    }

    /** {@return what the log calls the store} */
    public String store() {
        return store;
    }

    /** {@return whether it answered lately} */
    public boolean isUp() {
        return up;
    }

    /** Notes an answer, whatever it says. */
    public void answered() {
        failures.set(0);
        up = true;
        if (warned) {
            warned = false;
            LOG.info("fleet {}: {} is available again", fleet, store);
        }
    }

    /** {@return how often something failed in a row, which has failed or was late just now} */
    public int failed() {
        return failures.incrementAndGet();
    }

    /** {@return how often something failed in a row} */
    public int failures() {
        return failures.get();
    }

    /** Notes that it cannot be reached. */
    public void isAway(Throwable failure) {
        up = false;
        if (!warned && !leaving) {
            warned = true;
            LOG.warn(
                    "fleet {}: {} is unavailable ({}); until it is back, this process relies on what it knows itself",
                    fleet,
                    store,
                    FailureText.of(failure));
        }
    }

    /** Notes that the state of a limit was gone and had to be restored. */
    public void lost(String limit) {
        long before = losses.getAndIncrement();
        long now = time.nanoTime();
        if (before == 0 || now - lossLoggedAt > LOSS_LOG_NANOS) {
            lossLoggedAt = now;
            LOG.warn(
                    "fleet {}: {} has lost the state of the limit {}: it was {}."
                            + " The processes restored it from what they know, as if all were used ({} losses so far)",
                    fleet,
                    store,
                    limit,
                    howLost,
                    before + 1);
        }
    }

    /** {@return how often the state of a limit was gone} */
    public long losses() {
        return losses.get();
    }

    /** Ignores failures from now on, because the fleet is about to close. */
    public void leave() {
        leaving = true;
    }

    /** Nothing is asked any more. */
    public void close() {
        leaving = true;
        up = false;
    }
}
