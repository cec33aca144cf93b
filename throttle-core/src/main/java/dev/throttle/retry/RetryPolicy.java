package dev.throttle.retry;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.decision.RetryRules;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Decides which attempts are retried, and when.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder().maxAttempts(5).retryNonIdempotent(true).build();
 * Throttle throttle = Throttle.builder().retryPolicy(policy).build();
 * }</pre>
 *
 * <p>After a quota refusal the request is retried when the throttle allows it, for any method and any number of times,
 * as long as {@code maxWait} is not exceeded. After overloads and faults the attempts are limited, only idempotent
 * requests are retried, and a budget over all calls of the throttle limits the additional load. A request that was
 * certainly not sent, because no connection could be made, is retried whatever its method.
 *
 * <p>While a server is away, that is, while nothing of its key succeeds any more, calls wait for it. Neither the number
 * of attempts nor the budget ends them then, but {@code overloadWait}. Immutable and thread-safe.
 */
public final class RetryPolicy {

    private final RetryRules rules;

    private RetryPolicy(RetryRules rules) {
        this.rules = rules;
    }

    /** {@return the default policy} */
    public static RetryPolicy standard() {
        return builder().build();
    }

    /** {@return a policy without retries} */
    public static RetryPolicy none() {
        return builder().outcomes(Set.of()).build();
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return the settings and what follows from them} For internal use by throttles. */
    @SuppressWarnings("exports") // only this module can use them
    public RetryRules rules() {
        return rules;
    }

    /** Collects the settings of a policy. Not thread-safe. */
    public static final class Builder {

        private static final Set<Outcome> REPEATABLE =
                Set.copyOf(EnumSet.of(Outcome.RATE_LIMITED, Outcome.BUSY, Outcome.UNREACHABLE, Outcome.FAILED));

        private Set<Outcome> outcomes = REPEATABLE;
        private int maxAttempts = 3;
        private boolean nonIdempotent;
        private Backoff backoff = RetryRules.STANDARD_BACKOFF;
        private Duration rateLimitedFloor = RetryRules.STANDARD_BASE;
        private double budgetRatio = 0.2;
        private int budgetReserve = 10;

        private Builder() {}

        /**
         * Sets the outcomes after which a request is retried. The default is all four.
         *
         * @param value any of {@link Outcome#RATE_LIMITED}, {@link Outcome#BUSY}, {@link Outcome#UNREACHABLE} and
         *     {@link Outcome#FAILED}
         * @return this builder
         */
        public Builder outcomes(Set<Outcome> value) {
            Set<Outcome> copy = Set.copyOf(Preconditions.required("outcomes", value));
            Preconditions.check(
                    REPEATABLE.containsAll(copy),
                    "outcomes",
                    copy,
                    "any of RATE_LIMITED, BUSY, UNREACHABLE and FAILED");
            this.outcomes = copy;
            return this;
        }

        /**
         * Sets the most attempts of a call after overloads and faults. The default is 3. Attempts that fail because the
         * server is away do not count: the call waits for the server, for {@code overloadWait} at most.
         *
         * @param value at least 1; with 1 no request is sent twice, whether or not the server is away
         * @return this builder
         */
        public Builder maxAttempts(int value) {
            this.maxAttempts = (int) Preconditions.between("maxAttempts", value, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets whether requests that are not idempotent are retried after overloads and faults. By default they are
         * not.
         *
         * @param value whether they are
         * @return this builder
         */
        public Builder retryNonIdempotent(boolean value) {
            this.nonIdempotent = value;
            return this;
        }

        /**
         * Sets the wait before a retry if the server named no time. The default is exponential with full jitter, from
         * 200 ms to 20 s.
         *
         * @param value the backoff
         * @return this builder
         */
        public Builder backoff(Backoff value) {
            this.backoff = Preconditions.required("backoff", value);
            return this;
        }

        /**
         * Sets the least wait after a quota refusal if neither the server nor the strategy requires one. The default is
         * 200 ms.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder rateLimitedFloor(Duration value) {
            this.rateLimitedFloor = Preconditions.positive("rateLimitedFloor", value);
            return this;
        }

        /**
         * Sets the budget of retries after overloads and faults, as retries per call. The default is 0.2. Retries while
         * the server is away do not count.
         *
         * @param ratio retries per call, from 0 to 10
         * @param reserve retries that are always allowed in ten seconds, however few calls there are, from 0; 10 by
         *     default
         * @return this builder
         */
        public Builder budget(double ratio, int reserve) {
            this.budgetRatio = Preconditions.between("budget ratio", ratio, 0, 10);
            this.budgetReserve = (int) Preconditions.between("budget reserve", reserve, 0, Integer.MAX_VALUE);
            return this;
        }

        /** {@return the policy} */
        public RetryPolicy build() {
            return new RetryPolicy(new RetryRules(
                    outcomes,
                    maxAttempts,
                    nonIdempotent,
                    backoff,
                    Nanos.of(rateLimitedFloor),
                    budgetRatio,
                    budgetReserve));
        }
    }
}
