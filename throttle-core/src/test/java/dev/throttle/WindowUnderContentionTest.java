package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Threads that race for permits while the time goes on: judged by when each permit was granted, windows hold. */
class WindowUnderContentionTest {

    private static final int THREADS = 8;
    private static final int EACH = 500;
    private static final int LIMIT = 10;
    private static final long WINDOW = 1_000;

    /**
     * Goes on by a tick whenever a thread looks at it. A thread that parks lets a tenth of a window pass, or less if it
     * is due earlier, and looks again.
     */
    private static final class TickingTime implements TimeSource {

        private final AtomicLong ticks = new AtomicLong();

        @Override
        public long nanoTime() {
            return ticks.incrementAndGet();
        }

        @Override
        public long currentTimeMillis() {
            return 0;
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
            ticks.updateAndGet(now -> now + Math.max(0, Math.min(instant - now, WINDOW / LIMIT)));
            Thread.yield();
        }

        @Override
        public ScheduledTask schedule(long delayNanos, Runnable task) {
            throw new UnsupportedOperationException("blocking callers need no timer");
        }
    }

    /** Keeps no request waiting, and writes down when each was admitted. */
    private record Recorder(List<Long> times) implements Strategy {

        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public RateLimit newController(ControllerHost host) {
            return new RateLimit() {
                @Override
                public long dueNanos(Cost ahead, Cost cost, long now) {
                    return now;
                }

                @Override
                public void onAdmitted(Cost cost, long permitId, long now) {
                    times.add(now);
                }
            };
        }
    }

    private static List<Long> grants(Strategy limit) {
        List<Long> all = new ArrayList<>(); // guarded by the lock of the throttle
        Throttle throttle = Throttle.builder()
                .strategy(new Recorder(all))
                .limit(limit)
                .time(new TickingTime())
                .build();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            CompletableFuture<Void> caller = new CompletableFuture<>();
            callers.add(caller);
            Thread thread = new Thread(() -> {
                try {
                    for (int k = 0; k < EACH; k++) {
                        throttle.acquire().complete(Signal.SUCCESS);
                    }
                    caller.complete(null);
                } catch (Throwable e) {
                    caller.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        callers.forEach(CompletableFuture::join);
        Collections.sort(all);
        return all;
    }

    @Test
    void noWindowGrantsMoreThanTheLimit() {
        List<Long> grants = grants(Strategies.slidingWindowLog()
                .limit(LIMIT)
                .window(Duration.ofNanos(WINDOW))
                .build());
        assertThat(grants).hasSize(THREADS * EACH);
        for (int i = LIMIT; i < grants.size(); i++) {
            assertThat(grants.get(i) - grants.get(i - LIMIT)).as("grant %s", i).isGreaterThanOrEqualTo(WINDOW);
        }
    }

    @Test
    void noTwoAreCloserThanALeakyBucketAllows() {
        List<Long> grants = grants(Strategies.leakyBucket()
                .rate(1, Duration.ofNanos(WINDOW / LIMIT))
                .build());
        assertThat(grants).hasSize(THREADS * EACH);
        for (int i = 1; i < grants.size(); i++) {
            assertThat(grants.get(i) - grants.get(i - 1)).as("grant %s", i).isGreaterThanOrEqualTo(WINDOW / LIMIT);
        }
    }
}
