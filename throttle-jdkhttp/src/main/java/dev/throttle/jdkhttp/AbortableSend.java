package dev.throttle.jdkhttp;

import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent on the caller's thread, and can be ended by another one. The wrapped client's own
 * {@code shutdownNow} may not exist, so that an interrupt is what ends its requests.
 */
final class AbortableSend implements Calls.Abortable {

    /** What the thread does in the wrapped client. */
    interface Task<R> {
        R run() throws IOException, InterruptedException;
    }

    private final Supplier<IOException> closed;

    /** The thread while it is in the wrapped client. Guarded by this, as are the two that follow. */
    private @Nullable Thread sender;

    private boolean interruptedByUs;
    private boolean aborted;

    /**
     * For one call.
     *
     * @param closed what the call fails with if it is aborted
     */
    AbortableSend(Supplier<IOException> closed) {
        this.closed = closed;
    }

    <R> R run(Task<R> task) throws IOException, InterruptedException {
        begin();
        boolean hasThrown = false;
        try {
            return task.run();
        } catch (InterruptedException e) {
            hasThrown = true;
            if (end()) {
                throw closed.get();
            }
            throw e;
        } finally {
            if (end() && !hasThrown) {
                // Ours, meant for the request, which has ended before. One that came beside ours stays.
                Thread.interrupted();
            }
        }
    }

    private void begin() throws IOException {
        synchronized (this) {
            if (!aborted) {
                sender = Thread.currentThread();
                return;
            }
        }
        throw closed.get();
    }

    private boolean end() {
        synchronized (this) {
            sender = null;
            return interruptedByUs;
        }
    }

    boolean isAborted() {
        synchronized (this) {
            return aborted;
        }
    }

    @Override
    public void abort() {
        synchronized (this) {
            aborted = true;
            if (sender != null && !sender.isInterrupted()) { // else it was interrupted already
                interruptedByUs = true;
                sender.interrupt();
            }
        }
    }
}
