package dev.throttle.benchmarks;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** The throttles that are measured: with the default strategy, and with metrics bound, as a program has them. */
final class Subjects {

    private Subjects() {}

    /** {@return a throttle for which nothing is due: its first request was answered} */
    static Throttle atRest() {
        Throttle throttle = Throttle.create();
        new ThrottleMetrics(throttle).bindTo(new SimpleMeterRegistry());
        for (int i = 0; i < 3; i++) {
            Permit permit = throttle.tryAcquire();
            if (permit == null) {
                throw new IllegalStateException("something is due");
            }
            permit.complete(Signal.SUCCESS);
        }
        return throttle;
    }

    /** {@return throttles with the defaults, with metrics bound} */
    static ThrottleRegistry perKey() {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        new ThrottleMetrics(throttles).bindTo(new SimpleMeterRegistry());
        return throttles;
    }
}
