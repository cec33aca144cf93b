package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.ThrottleListener;
import dev.throttle.engine.Acquisition;
import dev.throttle.engine.Engine;
import dev.throttle.internal.CallContext;
import dev.throttle.time.TimeSource;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way of adapters into a throttle, which users do not see: it makes the calls of one throttle. Thread-safe.
 *
 * <p>Most requests wait for nothing and are not repeated. For these {@link #tryAcquire} takes a permit without a call;
 * {@link #callOf} makes the call later, if one is needed after all.
 */
public final class Calls {

    private static volatile @Nullable Function<ThrottleListener.Source, Calls> access;

    private final Engine engine;
    private final Acquisition.Permits<Permit> permits;

    /**
     * For a throttle.
     *
     * @param engine admits the requests
     * @param permits makes the permits
     */
    public Calls(Engine engine, Acquisition.Permits<Permit> permits) {
        this.engine = engine;
        this.permits = permits;
    }

    /**
     * {@return what makes the calls of a throttle}
     *
     * @param throttle the throttle
     */
    public static Calls of(ThrottleListener.Source throttle) {
        return Objects.requireNonNull(access).apply(throttle);
    }

    /**
     * Lets {@link #of} look into throttles. Their class does this before the first one is made.
     *
     * @param ofThrottle gives what makes the calls of a throttle
     */
    public static void grant(Function<ThrottleListener.Source, Calls> ofThrottle) {
        access = ofThrottle;
    }

    /** {@return a new call with the default options} */
    public ThrottledCall newCall() {
        return newCall(CallOptions.DEFAULT);
    }

    /**
     * {@return a new call}
     *
     * @param options the options of the call
     * @throws IllegalArgumentException if the call costs more than one of the limits can ever grant
     */
    public ThrottledCall newCall(CallOptions options) {
        return new ThrottledCall(engine, options, engine.now(), permits);
    }

    /** {@return a permit for one request if it may go without the lock and no guard is asked; null otherwise} */
    public @Nullable Permit tryAcquire() {
        long now = engine.now();
        return engine.isUnguarded() && engine.tryEnterFast(now) ? permits.permitAtRest(engine, now) : null;
    }

    /**
     * {@return the call of a permit that {@link #tryAcquire} returned, as if it had been made before}
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
        return engine.countsCosts();
    }

    /** {@return the context of this thread, the caller's; null if the throttle keeps none} */
    @Nullable CallContext captureContext() {
        return engine.captureContext();
    }

    TimeSource time() {
        return engine.time();
    }
}
