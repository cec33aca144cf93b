package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleListener;
import dev.throttle.engine.Engine;
import dev.throttle.engine.PoolCall;
import dev.throttle.engine.PoolLine;
import dev.throttle.engine.ThrottledCall;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The way of adapters into a throttle, which users do not see: it makes the calls of one throttle. Thread-safe. */
public final class Calls {

    private static volatile @Nullable Function<ThrottleListener.Source, Calls> access;

    private static volatile @Nullable Function<Object, PoolLine> poolAccess;

    private final Engine engine;

    /**
     * For a throttle.
     *
     * @param engine admits the requests
     */
    public Calls(Engine engine) {
        this.engine = engine;
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

    /**
     * Begins a call of a pool.
     *
     * @param pool the pool, which is a {@code dev.throttle.Pool}
     * @param options what its members have to know about the call
     * @return the call
     */
    static PoolCall ofPool(Object pool, CallOptions options) {
        return new PoolCall(lineOf(pool), options);
    }

    /** {@return whether the members of a pool are keys of a registry} */
    static boolean isPoolOf(Object pool, Object registry) {
        return lineOf(pool).owner() == registry;
    }

    private static PoolLine lineOf(Object pool) {
        return Objects.requireNonNull(poolAccess).apply(pool);
    }

    /**
     * Lets {@link #ofPool} look into pools. Their class does this before the first one is made.
     *
     * @param ofPool gives the line of a pool
     */
    public static void grantPools(Function<Object, PoolLine> ofPool) {
        poolAccess = ofPool;
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
        return new ThrottledCall(engine, options);
    }
}
