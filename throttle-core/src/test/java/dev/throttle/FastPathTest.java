package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.throttle.retry.Backoff;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a request costs while nobody waits and nothing is due. */
class FastPathTest {

    private static final int REQUESTS = 100_000;

    /** Stays under the throttle's lock until it is let go. */
    private static final class Holder implements Backoff {

        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @Override
        public long delayNanos(int attempt, double random) {
            held.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 0;
        }
    }

    @Test
    void aRequestTakesNoLock() throws Exception {
        Holder holder = new Holder();
        Throttle throttle = new Timeline()
                .throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.builder().backoff(holder).build())
                .build();
        Thread underTheLock = new Thread(() -> throttle.newCall().previewRetry(Signal.FAILED));
        underTheLock.start();
        holder.held.await();
        for (int i = 0; i < 1_000; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
            throttle.acquireAsync().join().release();
            throttle.execute(() -> "done");
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(underTheLock.isAlive()).isTrue();
        holder.release.countDown();
        underTheLock.join();
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(2_000);
    }

    /** Where the compiler sees that the permit stays on its thread even that is not allocated, see the decisions. */
    @Test
    void aRequestAllocatesNothingButItsPermit() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Throttle throttle =
                new Timeline().throttle(TestStrategies.sleep(Duration.ZERO)).build();
        requests(throttle);
        long before = threads.getCurrentThreadAllocatedBytes();
        requests(throttle);
        long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / REQUESTS;
        assertThat(bytes).isLessThanOrEqualTo(40);
    }

    private static void requests(Throttle throttle) throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
        }
    }
}
