package dev.throttle.lab.peer;

/** The rate limiter of AWS's adaptive mode, by its published specification. Seconds and requests per second. */
final class CubicRate {

    private static final double BETA = 0.7;
    private static final double SCALE = 0.4;
    private static final double SMOOTH = 0.8;
    private static final double LEAST_RATE = 0.5;
    private static final double LEAST_CAPACITY = 1;
    private static final double BUCKETS_PER_SECOND = 2;

    private boolean enabled;
    private double fillRate;
    private double capacity;
    private double tokens;
    private double refilledAt;
    private double measured;
    private double measuredUntil;
    private long count;
    private double lastMaxRate;
    private double throttledAt;

    CubicRate(double now) {
        this.measuredUntil = Math.floor(now * BUCKETS_PER_SECOND) / BUCKETS_PER_SECOND;
        this.throttledAt = now;
        this.refilledAt = now;
    }

    /** {@return how many seconds to wait for a token that is taken} */
    double acquire(double now) {
        if (!enabled) {
            return 0;
        }
        refill(now);
        double wait = tokens < 1 ? (1 - tokens) / fillRate : 0;
        tokens--;
        return wait;
    }

    private void refill(double now) {
        tokens = Math.min(capacity, tokens + (now - refilledAt) * fillRate);
        refilledAt = now;
    }

    void update(double now, boolean throttled) {
        measure(now);
        double rate;
        if (throttled) {
            double used = enabled ? Math.min(measured, fillRate) : measured;
            lastMaxRate = used;
            throttledAt = now;
            rate = used * BETA;
            enabled = true;
        } else {
            double window = StrictMath.cbrt(lastMaxRate * (1 - BETA) / SCALE);
            double since = now - throttledAt - window;
            rate = SCALE * since * since * since + lastMaxRate;
        }
        refill(now);
        double next = Math.min(rate, 2 * measured);
        fillRate = Math.max(next, LEAST_RATE);
        capacity = Math.max(next, LEAST_CAPACITY);
        tokens = Math.min(tokens, capacity);
    }

    private void measure(double now) {
        double bucket = Math.floor(now * BUCKETS_PER_SECOND) / BUCKETS_PER_SECOND;
        count++;
        if (bucket > measuredUntil) {
            measured = count / (bucket - measuredUntil) * SMOOTH + measured * (1 - SMOOTH);
            count = 0;
            measuredUntil = bucket;
        }
    }
}
