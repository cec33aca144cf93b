package dev.throttle.control;

/**
 * Holds the state of one strategy in one throttle. A controller only computes: it has no clock, thread, lock or
 * randomness of its own, and so behaves the same in production, in unit tests and in simulations.
 *
 * <p>A controller is either a {@link SleepController} or a {@link RateLimit}, which may be a {@link RateController}; a
 * throttle accepts no other.
 *
 * <p>A controller need not be thread-safe, because its throttle calls it under a lock. Its methods must be short and
 * must not block. Times are monotonic nanoseconds ({@link dev.throttle.time.TimeSource#nanoTime()}) and must be
 * compared by subtraction.
 */
public interface Controller {

    /**
     * Tells whether the controller is at rest. At rest, no request has to wait until the next refusal or response with
     * hints, and the controller does not need to know about admissions and about successes without hints. While all
     * controllers are at rest the throttle admits requests without taking its lock.
     *
     * @return true if at rest
     */
    boolean isIdle();
}
