package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;

/**
 * One call through a throttle, with all its attempts: wait for a permit, send, end the permit, and if the answer is to
 * retry, begin again. The call keeps how long it has waited and how often it was refused.
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time. {@link Calls} makes it.
 */
public final class ThrottledCall extends Acquisition<Permit> {

    ThrottledCall(Engine engine, CallOptions options, long arrivedAt, Permits<Permit> permits) {
        super(engine, options, arrivedAt, permits);
    }
}
