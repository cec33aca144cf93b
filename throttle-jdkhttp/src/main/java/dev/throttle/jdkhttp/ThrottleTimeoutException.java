package dev.throttle.jdkhttp;

import dev.throttle.ThrottleRejectedException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The throttle did not let a request go, because it would have had to wait longer than it may, or because too many wait
 * already. Nothing was sent for the attempt that was refused. Being an {@link HttpTimeoutException} it is understood by
 * whatever handles the time-outs of the JDK's client.
 */
public final class ThrottleTimeoutException extends HttpTimeoutException {

    private static final long serialVersionUID = 1L;

    /** The host that the request was meant for. */
    private final String host;

    /** What the throttle said. */
    private final ThrottleRejectedException rejection;

    ThrottleTimeoutException(String host, ThrottleRejectedException rejection) {
        super(host + ": " + rejection.getMessage());
        this.host = host;
        this.rejection = rejection;
        initCause(rejection);
    }

    /** {@return the host that the request was meant for} */
    public String host() {
        return host;
    }

    /** {@return the wait that the request would have needed, as far as is known} */
    public Duration neededWait() {
        return rejection.neededWait();
    }

    /**
     * {@return the status that an earlier attempt of this call was refused with; null if nothing was sent for this
     * call}
     */
    public @Nullable Integer lastStatus() {
        return rejection.lastStatus();
    }

    /** {@return all that the throttle said about it; the same as {@link #getCause()}} */
    public ThrottleRejectedException rejection() {
        return rejection;
    }
}
