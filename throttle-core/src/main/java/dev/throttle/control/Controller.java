package dev.throttle.control;

/**
 * The state of one algorithm in one throttle: plain arithmetic on what it is told, with no clock, thread, lock or
 * randomness of its own. The same object runs in production, in a unit test and in a simulation.
 *
 * <p>A controller is either a {@link SleepController} or a {@link RateController}; a throttle accepts no other.
 *
 * <p>A controller is not thread-safe: its throttle calls it under a lock, one call at a time. Calls must be short and
 * must not block. Times are monotonic nanoseconds ({@link dev.throttle.time.TimeSource#nanoTime()}), to be compared by
 * subtraction.
 */
public interface Controller {

    /**
     * Whether the controller is at rest: until it is told of a refusal or of a response with hints, no request would
     * have to wait, and it need not hear of admissions and of successes without hints. While every controller is at
     * rest the throttle admits requests without taking its lock.
     *
     * @return true if at rest
     */
    boolean isIdle();
}
