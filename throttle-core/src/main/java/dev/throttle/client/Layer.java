package dev.throttle.client;

import dev.throttle.Throttle;
import dev.throttle.internal.CallContext;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A throttled request as the clients below see it, which the client that throttles it sends through. One of them may
 * have a door too: it finds the layer above by what the client carries from one to the other, or else by the thread.
 */
public abstract class Layer {

    private static final ThreadLocal<@Nullable Layer> SENDING = new ThreadLocal<>();

    private final Object owner;
    private final Throttle throttle;
    private final @Nullable Layer above;

    /**
     * Makes a layer.
     *
     * @param owner the registry of the throttles, or the one throttle
     * @param throttle the throttle of the request
     * @param above the layer that sends the same request through this one; null if there is none
     */
    Layer(Object owner, Throttle throttle, @Nullable Layer above) {
        this.owner = owner;
        this.throttle = throttle;
        this.above = above;
    }

    /** {@return whether a request below is the one of this layer} */
    abstract boolean sends(String method, URI uri);

    /** {@return whether the request passes the throttles of an owner in this layer, or in one above} */
    final boolean passes(Object others) {
        return owner.equals(others) || (above != null && above.passes(others));
    }

    /** {@return whether the request has passed a throttle in this layer, or in one above} */
    @SuppressWarnings("ReferenceEquality") // the very throttle
    final boolean hasPassed(Throttle other) {
        return throttle == other || (above != null && above.hasPassed(other));
    }

    /** {@return whether the request has passed another throttle of the same key} */
    final boolean hasKey(String key) {
        return throttle.key().equals(key) || (above != null && above.hasKey(key));
    }

    /** {@return the layer that this thread is sending; null if there is none} */
    static @Nullable Layer sending() {
        return SENDING.get();
    }

    /** Sends an attempt. */
    static <R, E extends Exception, F extends Exception> R send(
            @Nullable Layer layer, CallContext.Task<R, E, F> attempt) throws E, F {
        Layer around = SENDING.get();
        SENDING.set(layer);
        try {
            return attempt.run();
        } finally {
            SENDING.set(around);
        }
    }
}
