package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waiting for what other threads do, looking often. */
final class Awaiting {

    private Awaiting() {}

    /** Runs something on a thread of its own, as the common pool may have but one, which the JDK's client needs. */
    static <T> CompletableFuture<T> inBackground(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(task.call());
                    } catch (Throwable t) {
                        result.completeExceptionally(t);
                    }
                },
                "background");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    /** Waits as code does that knows nothing of interrupts; {@return true} */
    static boolean uninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return true;
            } catch (InterruptedException e) {
                // goes on waiting
            }
        }
    }

    /** Waits until what became garbage before is collected. */
    static void collectGarbage() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        do {
            System.gc();
        } while (collected.remove(10) == null);
        assertThat(garbage.get()).isNull();
    }

    static ConditionFactory await() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2));
    }
}
