package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.internal.CallContext;
import dev.throttle.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The short way past a throttle, for a request before which nothing is due and after which nothing is repeated, as
 * nearly all are. It takes a permit and no {@link ThrottledCall}; should there be more to it than that, the call is
 * made later. Thread-safe.
 */
public final class AdmissionAtRest {

    private final Engine engine;
    private final Acquisition.Permits<Permit> permits;

    /**
     * For {@link dev.throttle.Throttle#atRest}.
     *
     * @param engine admits the requests
     * @param permits makes the permits
     */
    public AdmissionAtRest(Engine engine, Acquisition.Permits<Permit> permits) {
        this.engine = engine;
        this.permits = permits;
    }

    /** {@return a permit for one request if nothing at all stands in the way; null to ask through a call} */
    public @Nullable Permit tryAcquire() {
        long now = engine.now();
        return engine.isUnguarded() && engine.tryEnterFast(now) ? permits.permitAtRest(engine, now) : null;
    }

    /**
     * {@return the call of a permit that was taken here, as it would be had it been made before}
     *
     * @param permit the permit, which may have ended
     * @param options what the throttle has to know about the call
     */
    ThrottledCall callOf(Permit permit, CallOptions options) {
        ThrottledCall call = new ThrottledCall(engine, options, permits.admittedAt(permit), permits);
        permits.attach(permit, call);
        return call;
    }

    /** {@return when a permit was taken} */
    long takenAt(Permit permit) {
        return permits.admittedAt(permit);
    }

    /** {@return whether it matters what requests cost beside their number, as far as that is known} */
    boolean countsCosts() {
        return engine.costs().areCounted();
    }

    /** {@return the context of this thread, the caller's; null if the throttle keeps none} */
    @Nullable CallContext captureContext() {
        return engine.captureContext();
    }

    TimeSource time() {
        return engine.time();
    }
}
