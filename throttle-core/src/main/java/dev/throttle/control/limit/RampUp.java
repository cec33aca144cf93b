package dev.throttle.control.limit;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * Limits how fast the traffic may grow, for servers that refuse sudden increases, however far their other limits are
 * away. It begins with the rate {@code from}. In each period of {@code doubleEvery} at most twice as many permits are
 * granted as were used in the one before, and never less than {@code from}. They are spaced evenly. What is not used
 * does not count: a limit of which nothing was used for two periods begins again.
 *
 * <p>Immutable and thread-safe.
 */
public final class RampUp extends StrategyBuilder.Built {

    private final String unit;
    private final Rate from;
    private final Duration doubleEvery;

    private RampUp(Builder builder) {
        super(builder);
        this.unit = builder.unit();
        this.from = builder.from;
        this.doubleEvery = builder.doubleEvery;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new RampUpLimit(unit, from, doubleEvery);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends LimitBuilder<Builder> {

        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofDays(1);

        private Rate from = new Rate(10, Duration.ofSeconds(1));
        private Duration doubleEvery = Duration.ofMinutes(1);

        /** Makes a builder with the defaults. */
        public Builder() {
            super("ramp-up");
            text("from", () -> from.toString(), text -> from = Rate.parse(text));
            duration("doubleEvery", () -> doubleEvery, this::doubleEvery);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets the rate at the start and after a time without use. The default is ten permits per second. As text:
         * {@code 500/s} or {@code 50/min}.
         *
         * @param permits permits per period, from 1 to a billion, at most one per nanosecond
         * @param period above zero, at most 366 days
         * @return this builder
         */
        public Builder from(long permits, Duration period) {
            this.from = new Rate(permits, Preconditions.required("rate period", period));
            return this;
        }

        /**
         * Sets in which time the rate may double. The default is one minute.
         *
         * @param value from a millisecond to a day
         * @return this builder
         */
        public Builder doubleEvery(Duration value) {
            Preconditions.required("doubleEvery", value);
            Preconditions.check(
                    value.compareTo(SHORTEST) >= 0 && value.compareTo(LONGEST) <= 0,
                    "doubleEvery",
                    value,
                    "from " + SHORTEST + " to " + LONGEST);
            this.doubleEvery = value;
            return this;
        }

        @Override
        public RampUp build() {
            return new RampUp(this);
        }
    }
}
