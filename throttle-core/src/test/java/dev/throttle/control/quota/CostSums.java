package dev.throttle.control.quota;

import static dev.throttle.control.quota.Ledger.UNKNOWN;

import dev.throttle.control.quota.Ledger.Sum;

/** What tests give a {@link CostModel}, and what they expect from it. */
final class CostSums {

    private CostSums() {}

    /** {@return what is learned from seeing a value so many times} */
    static CostRatio ratio(double prior, int times, double value) {
        CostRatio ratio = new CostRatio(1, prior);
        for (int i = 0; i < times; i++) {
            ratio.add(value);
        }
        return ratio;
    }

    /**
     * Tells a bucket what is left, when all is there again, and how long a window is, in seconds; NaN for what is not
     * told.
     */
    static void tell(Bucket bucket, double remaining, double limit, double reset, double length, long at) {
        Reading reading = new Reading();
        reading.count = remaining;
        reading.reset = reset;
        reading.length = length;
        reading.admittedAt = at;
        reading.now = at;
        bucket.limit = limit;
        bucket.learn(reading);
    }

    /** Learns from a count of a bucket that was told at a time. */
    static double read(CostFalls falls, Bucket bucket, double remaining, long at, boolean isClear) {
        bucket.count = remaining;
        bucket.countAt = at;
        return falls.read(bucket, isClear);
    }

    /** {@return requests that asked for so much each} */
    static Sum sum(double... asked) {
        Sum sum = new Sum();
        for (double one : asked) {
            sum.add(one, UNKNOWN);
        }
        return sum;
    }
}
