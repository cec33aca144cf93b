package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;

/** Tells what a call probably takes of units that its caller does not know. */
final class CostEstimator {

    private CostEstimator() {}

    /** {@return what a call takes as far as its caller tells: what is certain, and what is estimated of other units} */
    static Cost stated(CallOptions options) {
        Cost estimate = options.estimate();
        return estimate == null ? options.cost() : options.cost().orElse(estimate);
    }
}
