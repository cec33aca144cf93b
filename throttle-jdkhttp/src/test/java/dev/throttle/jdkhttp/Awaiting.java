package dev.throttle.jdkhttp;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waiting for what other threads do, looking often. */
final class Awaiting {

    private Awaiting() {}

    static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }
}
