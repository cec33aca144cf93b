package dev.throttle.engine;

import dev.throttle.WhenFull;
import org.jspecify.annotations.Nullable;

/** How many may wait, and who makes room when it is full. Guarded by the engine's lock. */
final class Room {

    private final WaitQueue queue;
    private int maxWaiting;
    private boolean dropsOldest;

    Room(WaitQueue queue, EnginePolicy policy) {
        this.queue = queue;
        follow(policy);
    }

    /** Goes by other settings. Nobody who waits is turned away because fewer may. */
    void follow(EnginePolicy policy) {
        maxWaiting = policy.maxWaiting();
        dropsOldest = policy.whenFull() == WhenFull.DROP_OLDEST_OF_LOWEST;
    }

    /** {@return whether there is no place for a call, and nobody to be turned away for it} */
    boolean isFullFor(CallState call) {
        boolean full = !call.isRetry() && queue.size() >= maxWaiting;
        return full && (!dropsOldest || queue.leastFor(call.priority()) == null);
    }

    /** {@return who is to be turned away for a newcomer; null if there is a place} */
    @Nullable Waiter inTheWayOf(Waiter newcomer) {
        return newcomer.isRetry() || queue.size() < maxWaiting ? null : queue.leastFor(newcomer.priority);
    }
}
