package dev.throttle.reality.load;

import dev.throttle.reality.Limit;
import java.net.URI;
import java.util.Locale;

/** Which client. */
public enum ClientKind {
    /** Throttle on OkHttp. */
    OKHTTP,
    /** Throttle on {@code java.net.http}. */
    JDK,
    /** Full jitter, {@code Retry-After} obeyed. */
    BACKOFF,
    /** At full speed until nothing remains, then waits for the reset. */
    GREEDY,
    /** Resilience4j's RateLimiter that knows the limit. */
    RESILIENCE4J;

    /** {@return its name on the command line and in results} */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return whether it is this library} */
    public boolean isThrottle() {
        return this == OKHTTP || this == JDK;
    }

    /**
     * {@return a new client with default settings}
     *
     * @param uri what it calls
     * @param wire what it records its requests in
     * @param limit what the server grants, for a client that is told
     */
    public LoadClient create(URI uri, Wire wire, Limit limit) {
        return switch (this) {
            case OKHTTP -> new ThrottledOkHttp(uri, wire);
            case JDK -> new ThrottledJdk(uri, wire);
            case BACKOFF -> new Backoff(uri, wire);
            case GREEDY -> new GreedyUntilReset(uri, wire);
            case RESILIENCE4J -> new InformedRateLimiter(uri, wire, limit);
        };
    }
}
