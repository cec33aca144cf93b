package dev.throttle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait at a throttle on virtual time. How long each waited is taken from the throttle, which decides it
 * under its lock, and the time stands still until a step has had its effect: so the time line is exact.
 */
final class Blocking implements ThrottleListener {

    /** A thread that has asked for a permit. */
    record Caller(Thread thread, CompletableFuture<Permit> admission) {

        /** The failure that the wait ended in. */
        Throwable failure() {
            return admission.handle((permit, failure) -> failure).join();
        }
    }

    /** Milliseconds waited, in the order of the grants. */
    final List<Long> waits = new CopyOnWriteArrayList<>();

    @Override
    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
        waits.add(wait.toMillis());
    }

    /** Starts a caller and returns once it stands in the queue or has its answer. */
    Caller ask(Throttle throttle, Callable<Permit> acquire) {
        int waiting = throttle.snapshot().waiting();
        CompletableFuture<Permit> admission = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                admission.complete(acquire.call());
            } catch (Throwable e) {
                admission.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        await(() -> admission.isDone() || throttle.snapshot().waiting() > waiting);
        return new Caller(thread, admission);
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited in vain");
            }
            Thread.yield();
        }
    }
}
