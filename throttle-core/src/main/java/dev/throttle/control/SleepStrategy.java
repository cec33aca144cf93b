package dev.throttle.control;

/**
 * A strategy whose callers sleep before their requests. A throttle has at most one, since two sleeps cannot both be
 * counted from the same arrival.
 */
public interface SleepStrategy extends Strategy {

    @Override
    SleepController newController(ControllerHost host);
}
