package dev.throttle.micrometer;

import dev.throttle.ThrottleListener.Source;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The rate limit of a throttle, shown while there is one: infinity is no use on a dashboard. */
final class RateLimitGauge {

    static final String UNIT = "requests per second";

    private final MeterGroup group;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Meter shown;
    /** The last limit, for a read that coincides with the removal of the gauge. */
    private volatile double last;

    RateLimitGauge(MeterGroup group, double limit) {
        this.group = group;
        this.last = limit;
    }

    /** Comes or goes, as the throttle has a limit or not. */
    void follow(Source throttle) {
        lock.lock();
        try {
            double limit = throttle.snapshot().rateLimit();
            Meter gauge = shown;
            if (Double.isFinite(limit) && gauge == null) {
                last = limit;
                shown = group.add((registry, tags) -> Gauge.builder("throttle.rate.limit", throttle, this::read)
                        .description("Most requests per second that may be sent")
                        .baseUnit(UNIT)
                        .tags(tags)
                        .register(registry));
            } else if (!Double.isFinite(limit) && gauge != null) {
                group.remove(gauge);
                shown = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private double read(Source throttle) {
        double limit = throttle.snapshot().rateLimit();
        if (Double.isFinite(limit)) {
            last = limit;
        }
        return last;
    }
}
