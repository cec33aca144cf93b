package dev.throttle.jdkhttp;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSettings;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** ThrottleRegistry whose waits a test can tell beforehand. */
final class TestThrottles {

    /** A header that closes the gate for so many milliseconds. */
    static final String CLOSE_MILLIS = "Close-Millis";

    private TestThrottles() {}

    /** No limit; every refused attempt waits for the same time, and nobody else waits. */
    static Throttle.Builder builder(Duration retryDelay) {
        return settings(Throttle.builder(), retryDelay);
    }

    static ThrottleRegistry.Builder registry(Duration retryDelay) {
        return settings(ThrottleRegistry.builder(), retryDelay);
    }

    private static <B extends ThrottleSettings<B>> B settings(B builder, Duration retryDelay) {
        long nanos = retryDelay.toNanos();
        return builder.strategy(strategy("no-limit", NoLimit::new))
                .hintReader((response, receivedAt) -> {
                    List<String> closed = response.headers(CLOSE_MILLIS);
                    return closed.isEmpty()
                            ? RateHints.NONE
                            : new RateHints(Duration.ofMillis(Long.parseLong(closed.get(0))), List.of());
                })
                .retryAfterJitter(0, Duration.ZERO)
                .retryPolicy(RetryPolicy.builder()
                        .throttledFloor(Duration.ofNanos(1))
                        .backoff((attempt, random) -> nanos)
                        .build())
                .seed(1);
    }

    static Throttle throttle(Duration retryDelay) {
        return builder(retryDelay).build();
    }

    /** Lets nobody go before a time is over, counted from the first who asks. */
    static Strategy opensAfter(Duration delay) {
        return strategy("opens-after", () -> new OpensAfter(delay.toNanos()));
    }

    /** Limits nothing, and notes when each request was let go. */
    static Strategy noting(Collection<Long> admissions) {
        return strategy("noting", () -> new Noting(admissions));
    }

    private static Strategy strategy(String name, Supplier<RateController> controllers) {
        return new Strategy() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public RateController newController(java.util.random.RandomGenerator random) {
                return controllers.get();
            }
        };
    }

    private static class NoLimit implements RateController {
        @Override
        public boolean isIdle() {
            return true;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return nowNanos;
        }

        @Override
        public void onAdmitted(Cost cost, long nowNanos) {}

        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {}

        @Override
        public double limitPerSecond() {
            return Double.POSITIVE_INFINITY;
        }
    }

    private static final class OpensAfter extends NoLimit {
        private final long delay;
        private long opensAt;
        private boolean asked;

        OpensAfter(long delay) {
            this.delay = delay;
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            if (!asked) {
                asked = true;
                opensAt = nowNanos + delay;
            }
            return opensAt;
        }
    }

    private static final class Noting extends NoLimit {
        private final Collection<Long> admissions;

        Noting(Collection<Long> admissions) {
            this.admissions = admissions;
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public void onAdmitted(Cost cost, long nowNanos) {
            admissions.add(nowNanos);
        }
    }
}
