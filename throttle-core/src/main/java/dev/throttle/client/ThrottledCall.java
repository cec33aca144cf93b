package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.time.TimeSource;
import java.time.Duration;

/**
 * One call through a throttle, with all its attempts: wait for a permit, send, end the permit, and if the answer is to
 * retry, begin again. What the call has waited and how often it was refused is kept here.
 *
 * <p>One thread at a time uses a call; {@link #cancel()} may come from any thread at any time.
 */
public final class ThrottledCall extends Acquisition<Permit> {

    /**
     * For {@link dev.throttle.Throttle#newCall}.
     *
     * @param engine admits the attempts
     * @param options what the throttle has to know about the call
     * @param permits makes the permits
     */
    public ThrottledCall(Engine engine, CallOptions options, Permits<Permit> permits) {
        this(engine, options, engine.now(), permits);
    }

    ThrottledCall(Engine engine, CallOptions options, long arrivedAt, Permits<Permit> permits) {
        super(engine, options, arrivedAt, permits);
    }

    /** {@return how long the call has waited in total so far} */
    public Duration waited() {
        return Duration.ofNanos(waitedNanos());
    }

    /**
     * {@return how long the wait under way has lasted, also while its permit was given back; zero if none has begun}
     */
    public Duration waiting() {
        return Duration.ofNanos(waitingNanos());
    }

    /**
     * Corrects what the throttle was told, from the next decision and the next wait on. Not while the call waits.
     *
     * @param revised the new options, with the same cost
     */
    public void updateOptions(CallOptions revised) {
        Cost cost = options().cost();
        Preconditions.check(revised.cost().equals(cost), "cost", revised.cost(), "unchanged, " + cost);
        options(revised);
    }

    /** {@return the time that the throttle lives by} */
    public TimeSource time() {
        return engine().time();
    }
}
