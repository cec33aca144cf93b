package dev.throttle.redis;

import java.time.Duration;

/** Time that has to pass for a Redis or other processes, whose clocks a test cannot move. */
final class RealTime {

    private RealTime() {}

    static void pass(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }
}
