package dev.throttle.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of a configuration that looks wrong, of each mistake once. Thread-safe. */
public final class Misuse {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.Throttle");

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /**
     * Warns, unless it has already.
     *
     * @param message what is wrong, and what to do about it; one of a few
     */
    public void warn(String message) {
        if (!told.contains(message) && told.add(message)) {
            LOG.warn("{}", message);
        }
    }
}
