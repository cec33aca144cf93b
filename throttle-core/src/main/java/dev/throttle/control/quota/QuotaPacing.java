package dev.throttle.control.quota;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Map;

/**
 * The default strategy: it finds out what kind of limit a server has, and sends requests as fast as that allows. Each
 * quota that the server tells has a ledger of what was taken of it, and hypotheses of what it is: a window, a bucket or
 * a sliding window. Refusals that no count explains set a pace. There are never more requests in flight than may be
 * used.
 *
 * <p>{@code docs/design/quota-pacing.md} tells why it works. The defaults are meant for every server. Immutable and
 * thread-safe.
 */
public final class QuotaPacing extends StrategyBuilder.Built {

    private final PacingSettings settings;
    private final Tuning tuning;

    private QuotaPacing(Builder builder) {
        super(builder);
        this.tuning = builder.tuning;
        this.settings = new PacingSettings(
                builder.reserveAlone,
                builder.reserveShared,
                Nanos.toSeconds(Nanos.of(builder.maxInterval)),
                Nanos.toSeconds(Nanos.of(builder.maxResetWait)),
                Nanos.of(builder.firstPatience),
                builder.jitter);
    }

    PacingSettings pacing() {
        return settings;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new QuotaPacer(settings, tuning, host.random());
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private double reserveAlone = 0.1;
        private double reserveShared = 0.2;
        private Duration maxInterval = Duration.ofMinutes(2);
        private Duration maxResetWait = Duration.ofMinutes(2);
        private Duration firstPatience = Duration.ofSeconds(5);
        private double jitter = 0.03;
        private Tuning tuning = Tuning.USUAL;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("quota-pacing");
            number("reserveAlone", () -> reserveAlone, this::reserveAlone);
            number("reserveShared", () -> reserveShared, this::reserveShared);
            duration("maxInterval", () -> maxInterval, this::maxInterval);
            duration("maxResetWait", () -> maxResetWait, this::maxResetWait);
            duration("firstPatience", () -> firstPatience, this::firstPatience);
            number("jitter", () -> jitter, this::jitter);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets the share of a fixed window's quota that is kept for others while no other client was seen to use it;
         * 0.1 by default. The rest may be spent at full speed. What is kept is released evenly until the window ends,
         * so that none of it is lost.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder reserveAlone(double value) {
            this.reserveAlone = Preconditions.between("reserveAlone", value, 0, 1);
            return this;
        }

        /**
         * Sets the share of a fixed window's quota that is kept for others while another client was seen to use it, in
         * this window or the one before; 0.2 by default. Where windows are scarce, more is kept. All clients should
         * have the same value: it is a line that they all see.
         *
         * @param value from 0 to 1
         * @return this builder
         */
        public Builder reserveShared(double value) {
            this.reserveShared = Preconditions.between("reserveShared", value, 0, 1);
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
                    value.compareTo(Duration.ofMillis(1)) >= 0, "maxInterval", value, "a millisecond or more");
            this.maxInterval = value;
            return this;
        }

        /**
         * Sets the longest wait for the reset of a used up window that has not proved to stand still before the server
         * is asked again; two minutes by default. One that has is believed for an hour at least. It does not shorten
         * what a {@code Retry-After} asks for.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder maxResetWait(Duration value) {
            this.maxResetWait = Preconditions.notNegative("maxResetWait", value);
            return this;
        }

        /**
         * Sets how long the first request of all goes alone, since its answer tells what the quota is; until that
         * answer, but no longer than five seconds by default. Then all others go; those whose cost in another unit is
         * estimated go seven at a time, each time that this much time has passed.
         *
         * @param value zero or more; with zero nothing waits for the first answer
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

        /**
         * Changes tuned constants, for the lab's comparisons.
         *
         * @param changed the constants that differ from the usual ones, by name
         */
        Builder tuning(Map<String, Double> changed) {
            this.tuning = new Tuning(changed);
            return this;
        }

        @Override
        public QuotaPacing build() {
            return new QuotaPacing(this);
        }
    }
}
