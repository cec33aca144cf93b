package dev.throttle.lab.server;

/**
 * What a server knows about one of several limits.
 *
 * @param unit what it counts
 * @param limit its capacity
 * @param remaining what is left, not negative
 * @param resetNanos the time until all of it is there again
 */
public record Told(String unit, long limit, long remaining, long resetNanos) {

    Told reset(long nanos) {
        return new Told(unit, limit, remaining, nanos);
    }

    /** {@return two limits seen as one, as Anthropic's API tells the sum of input and output tokens} */
    Told plus(Told other, String sum) {
        return new Told(sum, limit + other.limit, remaining + other.remaining, Math.max(resetNanos, other.resetNanos));
    }
}
