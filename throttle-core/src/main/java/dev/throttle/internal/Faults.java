package dev.throttle.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports what a part supplied by the user throws. The first time it is a warning, later times are for debugging: a
 * part that always fails must not flood the log. Thread-safe.
 */
public final class Faults {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.Throttle");

    private final String part;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Reports for one part.
     *
     * @param part the part, as the subject of "failed"
     */
    public Faults(String part) {
        this.part = part;
    }

    /**
     * Reports one failure.
     *
     * @param failure what was thrown
     */
    public void report(Throwable failure) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn("{} failed; the exception is ignored, and further ones are logged at debug level", part, failure);
        } else {
            LOG.debug("{} failed again", part, failure);
        }
    }
}
