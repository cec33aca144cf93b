package dev.throttle.lab.sim;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.client.FailureKind;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A throttle of the library, as in production but for the time and the bounds of waits and retries. */
public final class ThrottleClient implements Client {

    /** As good as no limit, so that no figure is clipped. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(36500);

    /** Everything is repeated until it is accepted: what was given up would be missing from the figures. */
    private static final RetryPolicy RETRY_ALL = RetryPolicy.builder()
            .maxAttempts(Integer.MAX_VALUE)
            .budget(10, Integer.MAX_VALUE)
            .build();

    /** As adapters judge what their clients throw. */
    private static final FailureKind CONNECTION_REFUSED =
            Objects.requireNonNull(FailureKind.of(new ConnectException("connection refused")));

    private final Throttle throttle;

    private ThrottleClient(Strategy strategy, Surroundings surroundings) {
        Duration maxWait = surroundings.maxWait() == null ? LONGEST_WAIT : surroundings.maxWait();
        boolean repeatsAll = surroundings.retries() == Retries.ALL;
        Throttle.Builder builder = Throttle.builder()
                .name("lab")
                .strategy(strategy)
                .retryPolicy(repeatsAll ? RETRY_ALL : RetryPolicy.standard())
                .maxWait(maxWait)
                .seed(surroundings.seed())
                .time(surroundings.time())
                .executor(Runnable::run);
        this.throttle = (repeatsAll ? builder.overloadWait(maxWait) : builder).build();
    }

    /**
     * {@return clients that each have a throttle with a strategy}
     *
     * @param strategy the strategy
     */
    public static Factory with(Strategy strategy) {
        return surroundings -> new ThrottleClient(strategy, surroundings);
    }

    /**
     * {@return the client of one process}
     *
     * @param strategy the strategy
     * @param surroundings what it may use
     */
    public static ThrottleClient of(Strategy strategy, Surroundings surroundings) {
        return new ThrottleClient(strategy, surroundings);
    }

    /** {@return the throttle of the process} */
    public Throttle throttle() {
        return throttle;
    }

    @Override
    public Call newCall(@Nullable Cost estimate) {
        return new Throttled(Calls.of(throttle).newCall(CallOptions.DEFAULT.estimate(estimate)));
    }

    @Override
    public Call newCall(@Nullable Cost estimate, @Nullable String route) {
        return new Throttled(Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.estimate(estimate).route(route)));
    }

    private static final class Throttled implements Call {

        private final ThrottledCall call;
        private @Nullable Permit permit;

        Throttled(ThrottledCall call) {
            this.call = call;
        }

        @Override
        public void ask(Runnable granted, Runnable rejected) {
            // The throttle's executor runs this where the permit is granted, so no time passes in between.
            CompletableFuture<Permit> unused = call.acquireAsync().whenComplete((given, failure) -> {
                permit = given;
                if (given == null) {
                    rejected.run();
                } else {
                    granted.run();
                }
            });
        }

        @Override
        public boolean answered(ResponseHead response) {
            return Objects.requireNonNull(permit).complete(response).isRetry();
        }

        @Override
        public boolean unanswered() {
            return Objects.requireNonNull(permit)
                    .complete(CONNECTION_REFUSED.signal())
                    .isRetry();
        }

        @Override
        public void heard(RateHints hints) {
            Objects.requireNonNull(permit).observe(hints);
        }

        @Override
        public void ended(Cost truth) {
            Objects.requireNonNull(permit).settle(truth);
        }

        @Override
        public void giveBack() {
            Objects.requireNonNull(permit).release();
        }

        @Override
        public void cancel() {
            call.cancel();
        }
    }
}
