package dev.throttle.jdkhttp;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** ThrottleRegistry whose waits a test can tell beforehand. */
final class TestThrottles {

    /** A header that closes the gate for so many milliseconds. */
    static final String CLOSE_MILLIS = "Close-Millis";

    private TestThrottles() {}

    /** No limit; every refused attempt waits for the same time, and nobody else waits. */
    static Throttle.Builder builder(Duration retryDelay) {
        return Throttle.builder()
                .strategy(OpenController.strategy("no-limit", NoLimit::new))
                .hintReader(TestThrottles::read)
                .retryAfterJitter(0, Duration.ZERO)
                .retryPolicy(retries(retryDelay))
                .seed(1);
    }

    static ThrottleRegistry.Builder registry(Duration retryDelay) {
        return ThrottleRegistry.builder()
                .strategy(OpenController.strategy("no-limit", NoLimit::new))
                .hintReader(TestThrottles::read)
                .retryAfterJitter(0, Duration.ZERO)
                .retryPolicy(retries(retryDelay))
                .seed(1);
    }

    private static RateHints read(ResponseHead response, long receivedAtMillis) {
        List<String> closed = response.headers(CLOSE_MILLIS);
        return closed.isEmpty()
                ? RateHints.NONE
                : new RateHints(Duration.ofMillis(Long.parseLong(closed.get(0))), List.of());
    }

    private static RetryPolicy retries(Duration retryDelay) {
        long nanos = retryDelay.toNanos();
        return RetryPolicy.builder()
                .rateLimitedFloor(Duration.ofNanos(1))
                .backoff((attempt, random) -> nanos)
                .build();
    }

    static Throttle throttle(Duration retryDelay) {
        return builder(retryDelay).build();
    }

    /**
     * Lets nobody go before a time is over, counted from the first who asks. For virtual time: no test can know how
     * much real time passes between two lines of it.
     */
    static Strategy opensAfter(Duration delay) {
        return OpenController.strategy("opens-after", () -> new OpensAfter(delay.toNanos()));
    }

    /** Lets nobody go until a test opens it, so that whoever has asked before that has waited. */
    static Strategy closedUntil(AtomicBoolean open) {
        return OpenController.strategy("closed", () -> new ClosedUntil(open));
    }

    /** Lets nobody go. */
    static Strategy closed() {
        return closedUntil(new AtomicBoolean());
    }

    /** Limits nothing, and notes when each request was let go. */
    static Strategy noting(Collection<Long> admissions) {
        return OpenController.strategy("noting", () -> new Noting(admissions));
    }

    private static class NoLimit extends OpenController {
        @Override
        public boolean isIdle() {
            return true;
        }
    }

    private static final class OpensAfter extends OpenController {
        private final long delay;
        private long opensAt;
        private boolean asked;

        OpensAfter(long delay) {
            this.delay = delay;
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

    private static final class ClosedUntil extends OpenController {
        private static final long LOOK_AGAIN_NANOS = 1_000_000;

        private final AtomicBoolean open;

        ClosedUntil(AtomicBoolean open) {
            this.open = open;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return open.get() ? nowNanos : nowNanos + LOOK_AGAIN_NANOS;
        }
    }

    private static final class Noting extends OpenController {
        private final Collection<Long> admissions;

        Noting(Collection<Long> admissions) {
            this.admissions = admissions;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            admissions.add(nowNanos);
        }
    }
}
