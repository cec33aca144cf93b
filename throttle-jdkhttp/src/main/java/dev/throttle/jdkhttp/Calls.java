package dev.throttle.jdkhttp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls under way in one client, those that wait included. Once it is shut down none is added, and when the last
 * has left, the client's end is seen to.
 */
final class Calls {

    /** A call that can be ended from outside. */
    interface Abortable {

        /** Ends the call at once, with an {@link IOException} for its caller. Called once at most, from any thread. */
        void abort();
    }

    /** The number of calls, and this bit once no more are taken. */
    private static final long SHUT_DOWN = Long.MIN_VALUE;

    private final AtomicLong state = new AtomicLong();
    private final Set<Abortable> underWay = ConcurrentHashMap.newKeySet();
    private final CountDownLatch drained = new CountDownLatch(1);
    private final Runnable whenDrained;
    private volatile boolean aborted;

    Calls(Runnable whenDrained) {
        this.whenDrained = whenDrained;
    }

    /** {@return what a call fails with that comes after the end} */
    static IOException closed() {
        return new IOException("closed");
    }

    /**
     * {@return what a call fails with that was under way at the end}
     *
     * @param status what its last attempt was refused with; 0 if it was not
     */
    static IOException closedAfter(int status) {
        return status == 0 ? closed() : new IOException("closed; the last answer was " + status);
    }

    /**
     * {@return what a call fails with whose last response was dropped when it turned out that there is no other}
     *
     * @param status of the response
     */
    static IOException lost(int status) {
        return new IOException("the server answered " + status
                + ", and the request is not retried; the body of the response was discarded");
    }

    /**
     * Adds a call, which must leave exactly once.
     *
     * @throws IOException if the client is shut down
     */
    void enter(Abortable call) throws IOException {
        long current;
        do {
            current = state.get();
            if (current < 0) {
                throw closed();
            }
        } while (!state.compareAndSet(current, current + 1));
        underWay.add(call);
        if (aborted && underWay.remove(call)) {
            call.abort();
        }
    }

    void leave(Abortable call) {
        underWay.remove(call);
        if (state.decrementAndGet() == SHUT_DOWN) {
            end();
        }
    }

    /** Takes no more calls; those under way run to completion. */
    void shutDown() {
        if (state.getAndUpdate(current -> current | SHUT_DOWN) == 0) {
            end();
        }
    }

    /** Takes no more calls, and ends those under way. */
    void abort() {
        aborted = true;
        shutDown();
        for (Abortable call : List.copyOf(underWay)) {
            if (underWay.remove(call)) {
                call.abort();
            }
        }
    }

    private void end() {
        try {
            whenDrained.run();
        } catch (RuntimeException e) {
            // It is not the last call's fault, which is on this thread.
            System.getLogger("dev.throttle.jdkhttp").log(Level.WARNING, "the wrapped client failed to shut down", e);
        } finally {
            drained.countDown();
        }
    }

    int pending() {
        return (int) (state.get() & ~SHUT_DOWN);
    }

    /** {@return whether it is shut down and the last call has left} */
    boolean isDrained() {
        return drained.getCount() == 0;
    }

    boolean awaitDrained(long nanos) throws InterruptedException {
        return drained.await(nanos, TimeUnit.NANOSECONDS);
    }
}
