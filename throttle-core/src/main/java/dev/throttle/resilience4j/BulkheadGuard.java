package dev.throttle.resilience4j;

import dev.throttle.AdmissionGuard;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A bulkhead beside a throttle. */
final class BulkheadGuard implements AdmissionGuard {

    private final Bulkhead bulkhead;
    private final Pass place = new Place();

    BulkheadGuard(Bulkhead bulkhead) {
        Duration wait = bulkhead.getBulkheadConfig().getMaxWaitDuration();
        Preconditions.check(wait.isZero(), "maxWaitDuration of bulkhead " + bulkhead.getName(), wait, "zero");
        this.bulkhead = bulkhead;
    }

    @Override
    public String name() {
        return "bulkhead";
    }

    @Override
    public @Nullable Pass tryEnter() {
        return bulkhead.tryAcquirePermission() ? place : null;
    }

    /** One place is like any other. */
    private final class Place implements Pass {

        @Override
        public void onEnd(Signal signal, Duration duration) {
            bulkhead.onComplete();
        }

        @Override
        public void onLeft() {
            bulkhead.releasePermission();
        }
    }
}
