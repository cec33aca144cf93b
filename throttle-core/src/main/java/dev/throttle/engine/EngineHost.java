package dev.throttle.engine;

import dev.throttle.control.ControllerHost;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;

/**
 * What the controllers of an engine may know of it.
 *
 * @param queue how many wait
 * @param look looks at the head of the queue again
 */
record EngineHost(
        String name,
        String key,
        RandomGenerator random,
        ReentrantLock lock,
        InFlightCounter traffic,
        IntSupplier queue,
        Runnable look)
        implements ControllerHost {

    /** A thread that holds the lock looks at the head anyway before it lets go of the lock. */
    @Override
    public void nudge() {
        if (!lock.isHeldByCurrentThread() && !traffic.isRetired()) {
            look.run();
        }
    }

    @Override
    public int waiting() {
        return queue.getAsInt();
    }

    @Override
    public boolean isGone() {
        return traffic.isRetired();
    }
}
