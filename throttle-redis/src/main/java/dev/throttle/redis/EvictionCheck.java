package dev.throttle.redis;

import dev.throttle.lease.Fleet;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns if Redis may evict what limits rest on. It asks after each connect and once a minute, and says each change
 * once. Without the right to ask it says nothing. Thread-safe.
 */
final class EvictionCheck {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final long EACH_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Pattern POLICY = Pattern.compile("^maxmemory_policy:(\\S+)", Pattern.MULTILINE);
    private static final Pattern MEMORY = Pattern.compile("^maxmemory:(\\d+)", Pattern.MULTILINE);
    private static final String NEVER = "noeviction";

    private final String fleet;
    private @Nullable String told;
    private @Nullable Long askedAt;

    EvictionCheck(String fleet) {
        this.fleet = fleet;
    }

    /** Asks if it was not asked for a minute. */
    void checkSometimes(@Nullable Connection connection, long now) {
        synchronized (this) {
            if (connection == null || (askedAt != null && now - askedAt < EACH_NANOS)) {
                return;
            }
            askedAt = now;
        }
        check(connection);
    }

    void check(Connection connection) {
        try {
            connection.commands().info("memory").whenComplete((text, failure) -> {
                if (failure == null) {
                    read(text);
                }
            });
        } catch (RuntimeException e) {
            // It was closed, or does not know this: then nothing is known.
        }
    }

    /** Reads what Redis says of its memory. */
    void read(String text) {
        Matcher policy = POLICY.matcher(text);
        Matcher memory = MEMORY.matcher(text);
        if (!policy.find() || !memory.find()) {
            return;
        }
        String now = memory.group(1).equals("0") ? NEVER : policy.group(1);
        synchronized (this) {
            String before = told;
            told = now;
            if (now.equals(before) || (before == null && now.equals(NEVER))) {
                return;
            }
        }
        if (now.equals(NEVER)) {
            LOG.info("fleet {}: Redis does not evict keys any more", fleet);
        } else {
            LOG.warn(
                    "fleet {}: Redis may evict what the limits of the fleet rest on (maxmemory-policy {});"
                            + " each time it does, less is granted for a while. Set noeviction, or use a Redis of its own",
                    fleet,
                    now);
        }
    }
}
