package dev.throttle.control.limit;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests in flight. Further callers wait in the throttle's queue until one of the requests has
 * ended, with any outcome. A request takes one place, whatever else it costs.
 *
 * <p>Requests that an HTTP client sends by itself, such as redirects, also take a place and can exceed the limit. Then
 * no other request is sent until the limit is kept again. Immutable and thread-safe.
 */
public final class InFlightLimit extends StrategyBuilder.Built {

    private final int limit;

    private InFlightLimit(Builder builder) {
        super(builder);
        this.limit = builder.limit;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new State();
    }

    private final class State implements RateController {

        /** Never fewer than there are: an end that is not learned from yet is still counted. */
        private int onTheWire;

        @Override
        public boolean isAdaptive() {
            return false;
        }

        /** When a request will end cannot be known. With a place free, those ahead may still take less than all. */
        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return onTheWire < limit ? nowNanos : UNTIL_SIGNAL;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
            int kept = Math.min((int) (reserve * limit + 1e-6), limit - 1);
            return onTheWire < limit - kept ? nowNanos : UNTIL_SIGNAL;
        }

        @Override
        public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
            onTheWire = load.inFlight();
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            onTheWire++;
        }

        /** The throttle's own count, so that no end can be missed. */
        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {
            onTheWire = load.inFlight();
        }

        @Override
        public int limitInFlight() {
            return limit;
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private int limit = 10;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("in-flight");
            whole("limit", () -> limit, this::limit);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets how many requests may be in flight at a time. The default is 10.
         *
         * @param value from 1 to a million
         * @return this builder
         */
        public Builder limit(long value) {
            this.limit = (int) Preconditions.between("limit", value, 1, 1_000_000);
            return this;
        }

        @Override
        public InFlightLimit build() {
            return new InFlightLimit(this);
        }
    }
}
