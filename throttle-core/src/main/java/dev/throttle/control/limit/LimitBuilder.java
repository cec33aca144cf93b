package dev.throttle.control.limit;

import dev.throttle.control.StrategyBuilder;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;

/**
 * Collects the settings of a fixed limit. A limit counts requests unless another unit is set. Not thread-safe.
 *
 * @param <B> the builder's own type
 */
abstract sealed class LimitBuilder<B extends LimitBuilder<B>> extends StrategyBuilder<B>
        permits TokenBucket.Builder, LeakyBucket.Builder, WindowLimit.Builder, RampUp.Builder {

    private String unit = Quota.REQUESTS;

    LimitBuilder(String name) {
        super(name);
        text("unit", () -> unit, this::unit);
    }

    /**
     * Sets the unit that the limit counts, such as {@code tokens}. The default is requests. The amount that a request
     * takes is that of its cost, or else of its estimate, or else what similar calls have cost so far.
     *
     * @param value the unit's name as in {@link Quota#unit()}, not blank, of at most {@link Cost#MAX_UNIT_LENGTH}
     *     characters
     * @return this builder
     */
    public B unit(String value) {
        Cost.of(value, 0); // checks the name
        this.unit = value;
        return self();
    }

    final String unit() {
        return unit;
    }
}
