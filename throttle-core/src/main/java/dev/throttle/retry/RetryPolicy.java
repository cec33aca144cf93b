package dev.throttle.retry;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.RetryDecision.Retry;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts are repeated, and when.
 *
 * <p>A quota refusal is waited out: it is repeated when the throttle lets it, whatever the method and however often, as
 * long as the wait fits. Overloads and faults are not hammered: attempts are limited, only idempotent requests are
 * repeated, and a budget over all calls of a throttle bounds the extra load. Immutable and thread-safe.
 */
public final class RetryPolicy {

    private static final Duration DEFAULT_BASE = Duration.ofMillis(200);
    private static final Duration DEFAULT_CAP = Duration.ofSeconds(20);
    private static final Backoff DEFAULT_BACKOFF = Backoff.exponentialFullJitter(DEFAULT_BASE, DEFAULT_CAP);

    private final Set<Outcome> outcomes;
    private final int maxAttempts;
    private final boolean nonIdempotent;
    private final Backoff backoff;
    private final long throttledFloorNanos;
    private final double budgetRatio;
    private final int budgetReserve;
    private final Faults backoffFaults = new Faults("the backoff");

    private RetryPolicy(Builder builder) {
        this.outcomes = builder.outcomes;
        this.maxAttempts = builder.maxAttempts;
        this.nonIdempotent = builder.nonIdempotent;
        this.backoff = builder.backoff;
        this.throttledFloorNanos = Nanos.of(builder.throttledFloor);
        this.budgetRatio = builder.budgetRatio;
        this.budgetReserve = builder.budgetReserve;
    }

    /** {@return the default policy} */
    public static RetryPolicy standard() {
        return builder().build();
    }

    /** {@return a policy that repeats nothing} */
    public static RetryPolicy none() {
        return builder().outcomes(Set.of()).build();
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return the most attempts of a call after overloads and faults} */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** {@return the retries allowed per call, over ten seconds} */
    public double budgetRatio() {
        return budgetRatio;
    }

    /** {@return the retries allowed in ten seconds however few calls there are} */
    public int budgetReserve() {
        return budgetReserve;
    }

    /**
     * Decides what becomes of an attempt, before the budget is asked. A pure function.
     *
     * @param facts all that the decision depends on
     * @return the decision
     */
    public RetryDecision decide(RetryFacts facts) {
        StopReason hindrance = hindrance(facts);
        if (hindrance != null) {
            return hindrance.decision();
        }
        long delay = localDelayNanos(facts);
        if (Math.max(delay, facts.neededNanos()) > facts.leftNanos()) {
            return StopReason.WAIT_TOO_LONG.decision();
        }
        return delay == 0 ? Retry.WHEN_ADMITTED : new Retry(Duration.ofNanos(delay));
    }

    private @Nullable StopReason hindrance(RetryFacts facts) {
        switch (facts.outcome()) {
            case SUCCESS, IGNORED -> {
                return StopReason.ANSWERED;
            }
            case CANCELLED -> {
                return StopReason.CANCELLED;
            }
            case RATE_LIMITED, BUSY, FAILED -> {
                if (!outcomes.contains(facts.outcome())) {
                    return StopReason.DISABLED;
                }
                if (!facts.replayable()) {
                    return StopReason.NOT_REPLAYABLE;
                }
                if (facts.outcome() == Outcome.RATE_LIMITED) {
                    return null;
                }
                if (!facts.idempotent() && !nonIdempotent) {
                    return StopReason.NOT_IDEMPOTENT;
                }
                return facts.faults() >= facts.maxAttempts() ? StopReason.ATTEMPTS : null;
            }
        }
        throw new AssertionError(facts.outcome());
    }

    /** The wait that this policy adds where neither the server nor the throttle's strategy demands one. */
    private long localDelayNanos(RetryFacts facts) {
        if (facts.outcome() == Outcome.RATE_LIMITED) {
            // With nobody to space its attempts, a refused call would ask again and be refused again, for ever.
            return facts.neededNanos() > 0 && facts.spaced()
                    ? 0
                    : Math.max(throttledFloorNanos, backoffNanos(facts.failures(), facts.random()));
        }
        return facts.serverNamedWait() && facts.neededNanos() > 0 ? 0 : backoffNanos(facts.faults(), facts.random());
    }

    /** A backoff of the user's that throws is replaced by the default one. */
    private long backoffNanos(int attempt, double random) {
        try {
            return Math.max(0, backoff.delayNanos(attempt, random));
        } catch (Throwable e) {
            backoffFaults.report(e);
            return DEFAULT_BACKOFF.delayNanos(attempt, random);
        }
    }

    /** Collects the settings of a policy. Not thread-safe. */
    public static final class Builder {

        private Set<Outcome> outcomes = Set.copyOf(EnumSet.of(Outcome.RATE_LIMITED, Outcome.BUSY, Outcome.FAILED));
        private int maxAttempts = 3;
        private boolean nonIdempotent;
        private Backoff backoff = DEFAULT_BACKOFF;
        private Duration throttledFloor = DEFAULT_BASE;
        private double budgetRatio = 0.2;
        private int budgetReserve = 10;

        private Builder() {}

        /**
         * Sets the outcomes after which an attempt is repeated; all three by default.
         *
         * @param value any of throttled, busy and failed
         * @return this builder
         */
        public Builder outcomes(Set<Outcome> value) {
            Set<Outcome> copy = Set.copyOf(Preconditions.required("outcomes", value));
            Preconditions.check(
                    !copy.contains(Outcome.SUCCESS)
                            && !copy.contains(Outcome.IGNORED)
                            && !copy.contains(Outcome.CANCELLED),
                    "outcomes",
                    copy,
                    "any of RATE_LIMITED, BUSY and FAILED");
            this.outcomes = copy;
            return this;
        }

        /**
         * Sets the most attempts of a call after overloads and faults; 3 by default.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder maxAttempts(int value) {
            this.maxAttempts = (int) Preconditions.between("maxAttempts", value, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets whether requests that are not idempotent are repeated after overloads and faults; not by default.
         *
         * @param value whether they are
         * @return this builder
         */
        public Builder retryNonIdempotent(boolean value) {
            this.nonIdempotent = value;
            return this;
        }

        /**
         * Sets the wait where the server named no time; exponential with full jitter from 200 ms to 20 s by default.
         *
         * @param value the backoff
         * @return this builder
         */
        public Builder backoff(Backoff value) {
            this.backoff = Preconditions.required("backoff", value);
            return this;
        }

        /**
         * Sets the least wait after a quota refusal where neither the server nor the strategy demands one; 200 ms by
         * default.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder throttledFloor(Duration value) {
            this.throttledFloor = Preconditions.positive("throttledFloor", value);
            return this;
        }

        /**
         * Sets the retries after overloads and faults that are allowed per call; 0.2 by default.
         *
         * @param ratio retries per call, from 0 to 10
         * @param reserve retries in ten seconds however few calls there are, from 0; 10 by default
         * @return this builder
         */
        public Builder budget(double ratio, int reserve) {
            this.budgetRatio = Preconditions.between("budget ratio", ratio, 0, 10);
            this.budgetReserve = (int) Preconditions.between("budget reserve", reserve, 0, Integer.MAX_VALUE);
            return this;
        }

        /** {@return the policy} */
        public RetryPolicy build() {
            return new RetryPolicy(this);
        }
    }
}
