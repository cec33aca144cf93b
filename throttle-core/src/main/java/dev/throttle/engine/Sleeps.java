package dev.throttle.engine;

import dev.throttle.control.SleepController;
import dev.throttle.internal.Nanos;

/** How long sleeps are, with their jitter. */
final class Sleeps {

    private Sleeps() {}

    static long withJitter(long plain, SleepController sleep, double random) {
        return plain + (long) (plain * sleep.jitter() * random);
    }

    static long longestNanos(SleepController sleep) {
        double seconds = Math.max(sleep.sleepSeconds(), sleep.firstSleepSeconds());
        return withJitter(Math.min(Nanos.ofSeconds(seconds), Nanos.MAX / 2), sleep, 1);
    }
}
