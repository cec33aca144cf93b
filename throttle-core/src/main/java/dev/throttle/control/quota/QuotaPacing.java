package dev.throttle.control.quota;

import dev.throttle.control.NamedStrategy;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The default strategy: spaces the requests of all callers so that the server's remaining count comes to rest at a
 * small headroom instead of at zero. The count is a price that every client sees; each moves its own interval by what
 * it reads, and all come to the same one without talking to each other. Without such headers it goes by refusals alone.
 *
 * <p>{@code docs/quota-pacing.md} tells why it works. The defaults are meant for every server. Immutable and
 * thread-safe.
 */
public final class QuotaPacing extends NamedStrategy {

    final double headroom;
    final double maxInterval;
    final double maxResetWait;
    final double burstShare;
    final long firstPatienceNanos;
    final double jitter;

    private QuotaPacing(Builder builder) {
        super(builder);
        this.headroom = builder.headroom;
        this.maxInterval = Nanos.toSeconds(Nanos.of(builder.maxInterval));
        this.maxResetWait = Nanos.toSeconds(Nanos.of(builder.maxResetWait));
        this.burstShare = builder.burstShare;
        this.firstPatienceNanos = Nanos.of(builder.firstPatience);
        this.jitter = builder.jitter;
    }

    @Override
    public RateController newController(RandomGenerator random) {
        return new QuotaPacer(this, random);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private static final double MOST_HEADROOM = 1e9;
        private static final Duration SHORTEST_MAX_INTERVAL = Duration.ofMillis(1);

        private double headroom = 15;
        private Duration maxInterval = Duration.ofMinutes(2);
        private Duration maxResetWait = Duration.ofMinutes(10);
        private double burstShare = 0.2;
        private Duration firstPatience = Duration.ofSeconds(5);
        private double jitter = 0.03;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("quota-pacing");
            number("headroom", () -> headroom, this::headroom);
            duration("maxInterval", () -> maxInterval, this::maxInterval);
            duration("maxResetWait", () -> maxResetWait, this::maxResetWait);
            number("burstShare", () -> burstShare, this::burstShare);
            duration("firstPatience", () -> firstPatience, this::firstPatience);
            number("jitter", () -> jitter, this::jitter);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets how many requests should remain while all is calm; 15 by default. More of it means fewer refusals when
         * clients join, and quota that is left unused. Where the limit is known the headroom is at most a quarter of
         * it.
         *
         * @param value from 1 to a thousand millions
         * @return this builder
         */
        public Builder headroom(double value) {
            this.headroom = Preconditions.between("headroom", value, 1, MOST_HEADROOM);
            return this;
        }

        /**
         * Sets the longest time between two requests, and the longest wait after a refusal for which the server named
         * none; two minutes by default.
         *
         * @param value a millisecond or more
         * @return this builder
         */
        public Builder maxInterval(Duration value) {
            Preconditions.check(
                    value.compareTo(SHORTEST_MAX_INTERVAL) >= 0, "maxInterval", value, "a millisecond or more");
            this.maxInterval = value;
            return this;
        }

        /**
         * Sets the longest wait for the reset of a used up window before the server is asked again; ten minutes by
         * default. It does not shorten what a {@code Retry-After} asks for.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder maxResetWait(Duration value) {
            this.maxResetWait = Preconditions.notNegative("maxResetWait", value);
            return this;
        }

        /**
         * Sets the share of a fixed window's quota that a client that was not limited before may use at full speed; the
         * rest is spread over the window. 0.2 by default.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder burstShare(double value) {
            this.burstShare = Preconditions.between("burstShare", value, 0, 1);
            return this;
        }

        /**
         * Sets how long the first request of all goes alone, since its answer tells what the quota is; until that
         * answer, but no longer than five seconds by default.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder firstPatience(Duration value) {
            this.firstPatience = Preconditions.notNegative("firstPatience", value);
            return this;
        }

        /**
         * Sets the share of an interval by which it is lengthened or shortened at random at most; 0.03 by default.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder jitter(double value) {
            this.jitter = Preconditions.between("jitter", value, 0, 1);
            return this;
        }

        @Override
        public QuotaPacing build() {
            return new QuotaPacing(this);
        }
    }
}
