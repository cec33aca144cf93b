package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostLedger.UNKNOWN;

import dev.throttle.control.quota.CostLedger.Sum;

/** What tests give a {@link CostModel}, and what they expect from it. */
final class CostSums {

    private CostSums() {}

    /** {@return what is learned from seeing a value so many times} */
    static CostRatio ratio(double prior, int times, double value) {
        CostRatio ratio = new CostRatio(prior);
        for (int i = 0; i < times; i++) {
            ratio.add(value);
        }
        return ratio;
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
