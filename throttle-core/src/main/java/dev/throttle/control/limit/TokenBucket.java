package dev.throttle.control.limit;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits requests with a bucket of {@code burst} tokens, which is full at first and refills at {@code rate}. A request
 * takes one token, or its cost in another {@linkplain Builder#unit unit}. In any time t at most burst + rate * t tokens
 * are taken, unless requests turn out to have cost more than was known when they were sent. The difference is owed, and
 * later requests wait for it.
 *
 * <p>Immutable and thread-safe.
 */
public final class TokenBucket extends StrategyBuilder.Built {

    private final String unit;
    private final Rate rate;
    private final long burst;

    private TokenBucket(Builder builder) {
        super(builder);
        this.unit = builder.unit();
        this.rate = builder.rate;
        this.burst = builder.effectiveBurst();
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new DripLimit(unit, rate, burst, Long.MAX_VALUE);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends LimitBuilder<Builder> {

        private Rate rate = new Rate(10, Duration.ofSeconds(1));
        private @Nullable Long burst;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("token-bucket");
            text("rate", () -> rate.toString(), text -> rate = Rate.parse(text));
            whole("burst", this::effectiveBurst, this::burst);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets how fast the bucket refills. The default is ten tokens per second. As text: {@code 4500/1h} or
         * {@code 10/s}.
         *
         * @param permits tokens per period, from 1 to a billion, at most one per nanosecond
         * @param period above zero, at most 366 days
         * @return this builder
         */
        public Builder rate(long permits, Duration period) {
            this.rate = new Rate(permits, Preconditions.required("rate period", period));
            return this;
        }

        /**
         * Sets how many tokens the bucket holds. The default is what it receives in one period of its rate.
         *
         * @param value from 1 to a billion; a request cannot take more permits than this
         * @return this builder
         */
        public Builder burst(long value) {
            this.burst = Preconditions.between("burst", value, 1, 1_000_000_000);
            return this;
        }

        private long effectiveBurst() {
            return burst == null ? rate.permits() : burst;
        }

        @Override
        public TokenBucket build() {
            return new TokenBucket(this);
        }
    }
}
