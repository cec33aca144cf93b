package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Signal;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A hundred thousand asynchronous callers in one queue. */
class ManyWaitersTest {

    private static final int WAITERS = 100_000;

    private final Timeline line = new Timeline();

    @Test
    void aWaiterHoldsNoThreadAndLittleMemory() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofMillis(1))).build();
        List<CompletableFuture<Permit>> waiters = new ArrayList<>(WAITERS);
        for (int i = 0; i < 1_000; i++) {
            throttle.acquireAsync().cancel(false); // what is loaded and grown once is no waiter's
        }
        int threadsBefore = threads.getThreadCount();
        long bytesBefore = Heap.heldBytes();
        for (int i = 0; i < WAITERS; i++) {
            waiters.add(throttle.acquireAsync());
        }
        long bytes = (Heap.heldBytes() - bytesBefore) / WAITERS;
        assertThat(bytes).isLessThan(512);
        assertThat(threads.getThreadCount() - threadsBefore).isLessThan(20);
        assertThat(throttle.snapshot().waiting()).isGreaterThan(WAITERS - 10);
        assertThat(line.time.scheduledTasks()).isEqualTo(1);

        int served = 0;
        while (served < WAITERS && line.time.advanceToNextTask()) {
            while (served < WAITERS && waiters.get(served).isDone()) {
                served++;
            }
            assertThat(served == WAITERS
                            || !waiters.get(Math.min(served + 1, WAITERS - 1)).isDone())
                    .isTrue();
        }
        assertThat(served).isEqualTo(WAITERS);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void leavingFromAnywhereInALongQueueIsCheap() {
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofMillis(1))).build();
        List<CompletableFuture<Permit>> waiters = new ArrayList<>(WAITERS);
        for (int i = 0; i < WAITERS; i++) {
            waiters.add(throttle.acquireAsync());
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = WAITERS - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            CompletableFuture<Permit> swapped = waiters.get(i);
            waiters.set(i, waiters.get(other));
            waiters.set(other, swapped);
        }
        waiters.forEach(waiter -> waiter.cancel(false));
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void allLeaveTogetherWhenTheGateOpens() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        Calls.of(throttle).newCall().acquireForced().complete(Timeline.retryAfter(Duration.ofSeconds(30)));
        List<Integer> order = new ArrayList<>(WAITERS);
        for (int i = 0; i < WAITERS; i++) {
            int number = i;
            throttle.acquireAsync().thenAccept(permit -> {
                order.add(number);
                permit.complete(Signal.SUCCESS);
            });
        }
        line.advanceMillis(29_999);
        assertThat(order).isEmpty();
        line.advanceMillis(1);
        assertThat(order).hasSize(WAITERS).isSorted();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
