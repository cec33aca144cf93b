package dev.throttle.control.limit;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * Sends requests with constant spacing, one permit per 1 / {@code rate}, however they arrive. A queue of {@code queue}
 * permits holds requests that arrive too early. If it is full, new callers are rejected at once.
 *
 * <p>Two permits are never less than 1 / rate apart. A request of several permits is sent as soon as one permit is due,
 * and the next request waits for all of them. Immutable and thread-safe.
 */
public final class LeakyBucket extends StrategyBuilder.Built {

    private final String unit;
    private final Rate rate;
    private final long maxWaitNanos;

    private LeakyBucket(Builder builder) {
        super(builder);
        this.unit = builder.unit();
        this.rate = builder.rate;
        this.maxWaitNanos = Math.min(new Gcra(rate).waitNanos(builder.queue, 0), Nanos.MAX);
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new DripLimit(unit, rate, Gcra.ANY, maxWaitNanos);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends LimitBuilder<Builder> {

        private Rate rate = new Rate(10, Duration.ofSeconds(1));
        private long queue = 100;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("leaky-bucket");
            text("rate", () -> rate.toString(), text -> rate = Rate.parse(text));
            whole("queue", () -> queue, this::queue);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets the spacing as a rate. The default is ten permits per second. As text: {@code 4500/1h} or {@code 10/s}.
         *
         * @param permits permits per period, from 1 to a billion, at most one per nanosecond
         * @param period above zero, at most 366 days
         * @return this builder
         */
        public Builder rate(long permits, Duration period) {
            this.rate = new Rate(permits, Preconditions.required("rate period", period));
            return this;
        }

        /**
         * Sets how many permits may wait. The default is 100.
         *
         * @param value from 0, so that no call waits, to a billion
         * @return this builder
         */
        public Builder queue(long value) {
            this.queue = Preconditions.between("queue", value, 0, 1_000_000_000);
            return this;
        }

        @Override
        public LeakyBucket build() {
            return new LeakyBucket(this);
        }
    }
}
