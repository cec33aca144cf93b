package dev.throttle.control.busy;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests per second after busy responses. Each busy response halves the limit at once. Every second the
 * limit recovers by {@code recoverRate} times itself, or by the constant {@code recoverValue}. There is no limit before
 * the first busy response, and the limit ends when fewer requests arrive than it allows.
 *
 * <p>From the design note "Throttling on Busy Responses" of TChannel. Immutable and thread-safe.
 */
public final class BusyRps extends StrategyBuilder.Built {

    private static final String MEASURED = "measured";

    private final BusyRpsModel model;
    private final @Nullable Double initialLimit;
    private final long maxWaitNanos;
    private final boolean rateLimitedIsBusy;

    private BusyRps(Builder builder) {
        super(builder);
        this.model = builder.recoverValue > 0
                ? BusyRpsModel.recoverValue(builder.recoverValue)
                : BusyRpsModel.recoverRate(builder.recoverRate);
        this.initialLimit = builder.initialLimit;
        this.maxWaitNanos = builder.maxWait.equals(DurationText.FOREVER) ? Long.MAX_VALUE : Nanos.of(builder.maxWait);
        this.rateLimitedIsBusy = builder.rateLimitedIsBusy;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new State();
    }

    private boolean isBusy(Outcome outcome) {
        return outcome == Outcome.BUSY || (rateLimitedIsBusy && outcome == Outcome.RATE_LIMITED);
    }

    private final class State implements RateController {

        private final BusyRpsLimit current = new BusyRpsLimit(model);
        private final BusyRpsLimit ahead = new BusyRpsLimit(model);

        @Override
        public boolean isIdle() {
            return current.isLifted();
        }

        @Override
        public long dueNanos(Cost aheadOfIt, Cost cost, long nowNanos) {
            if (current.isLifted()) {
                return nowNanos;
            }
            ahead.copy(current);
            ahead.advance(nowNanos);
            return nowNanos + ahead.waitNanos(aheadOfIt.requests());
        }

        /** Of a busy response the retry policy takes care in any case. */
        @Override
        public boolean isAdaptive() {
            return rateLimitedIsBusy;
        }

        @Override
        public long maxWaitNanos() {
            return maxWaitNanos;
        }

        /** A limit that is in force stays so, and recovers by the settings of this one from now on. */
        @Override
        public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
            if (before instanceof State other) {
                other.current.advance(nowNanos);
                current.copy(other.current);
            }
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            current.advance(nowNanos);
            current.take(cost.requests());
        }

        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {
            current.advance(nowNanos);
            if (isBusy(signal.outcome())) {
                double initial = initialLimit == null ? Math.max(1, load.requestsPerSecond()) : initialLimit;
                current.onBusy(initial, nowNanos);
            } else if (signal.outcome() == Outcome.IGNORED) {
                current.take(-load.cost().requests());
            }
            current.liftIfAbove(load.requestsPerSecond() + load.waiting());
        }

        @Override
        public double limitPerSecond() {
            return shown(current);
        }

        @Override
        public double limitPerSecond(long nowNanos) {
            ahead.copy(current);
            ahead.advance(nowNanos);
            return shown(ahead);
        }

        /** {@return a limit as it is shown: one that has recovered to the cap limits nothing} */
        private static double shown(BusyRpsLimit limit) {
            double inForce = limit.inForce();
            return limit.isLifted() || inForce >= BusyRpsModel.CAP ? Double.POSITIVE_INFINITY : inForce;
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder extends StrategyBuilder<Builder> {

        private double recoverRate = 3;
        private double recoverValue;
        private @Nullable Double initialLimit;
        private Duration maxWait = DurationText.FOREVER;
        private boolean rateLimitedIsBusy;

        /** Makes a builder with the defaults. */
        public Builder() {
            super("busy-rps");
            number("recoverRate", () -> recoverRate, this::recoverRate);
            number("recoverValue", () -> recoverValue, this::recoverValue);
            text("initialLimit", this::initialLimitText, this::readInitialLimit);
            duration("maxWait", () -> maxWait, this::maxWait);
            text(
                    "rateLimitedIsBusy",
                    () -> String.valueOf(rateLimitedIsBusy),
                    text -> rateLimitedIsBusy(Preconditions.flag("rateLimitedIsBusy", text)));
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Sets what is added to the limit each second, as a multiple of it. The default is 3.
         *
         * @param value from 0.01 to a million
         * @return this builder
         */
        public Builder recoverRate(double value) {
            this.recoverRate = Preconditions.between("recoverRate", value, 0.01, 1e6);
            return this;
        }

        /**
         * Sets a constant that is added to the limit each second instead of a multiple of it. The default is 0, which
         * means the multiple.
         *
         * @param value requests per second, from 0.01 to 9,999,999, or 0
         * @return this builder
         */
        public Builder recoverValue(double value) {
            this.recoverValue = value == 0 ? 0 : Preconditions.between("recoverValue", value, 0.01, BusyRpsModel.CAP);
            return this;
        }

        /**
         * Sets the limit that the first busy response halves. The default is the measured number of requests per
         * second.
         *
         * @param value requests per second, from 1 to 9,999,999
         * @return this builder
         */
        public Builder initialLimit(double value) {
            this.initialLimit = Preconditions.between("initialLimit", value, 1, BusyRpsModel.CAP);
            return this;
        }

        /**
         * Makes the first busy response halve the measured number of requests per second, which is the default.
         *
         * @return this builder
         */
        public Builder initialLimitMeasured() {
            this.initialLimit = null;
            return this;
        }

        private String initialLimitText() {
            return initialLimit == null ? MEASURED : String.valueOf(initialLimit);
        }

        private void readInitialLimit(String text) {
            if (text.equals(MEASURED)) {
                initialLimitMeasured();
            } else {
                initialLimit(Preconditions.number("initialLimit", text, "a number, or " + MEASURED));
            }
        }

        /**
         * Sets the longest wait for the limit. A new caller that would have to wait longer is rejected on arrival. By
         * default only the throttle's {@code maxWait} applies.
         *
         * @param value zero, so that no call waits, or more
         * @return this builder
         */
        public Builder maxWait(Duration value) {
            this.maxWait = Preconditions.notNegative("maxWait", value);
            return this;
        }

        /**
         * Sets whether a quota refusal (429) counts as a busy response. By default it does not, because it says nothing
         * about the load of the server.
         *
         * @param value whether it does
         * @return this builder
         */
        public Builder rateLimitedIsBusy(boolean value) {
            this.rateLimitedIsBusy = value;
            return this;
        }

        @Override
        public BusyRps build() {
            return new BusyRps(this);
        }
    }
}
