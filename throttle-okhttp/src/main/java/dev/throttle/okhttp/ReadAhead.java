package dev.throttle.okhttp;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import okio.Buffer;
import okio.BufferedSource;
import okio.ByteString;
import okio.Source;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A body whose beginning is read by a thread of its own, so that nobody has to wait for it any longer than he likes. A
 * read of a socket cannot be given up without losing the socket: one that takes too long is left to itself, and its
 * bytes or its exception go to whoever reads the body next. The upstream is used by one thread at a time.
 */
final class ReadAhead implements Source {

    private final BufferedSource upstream;
    private final int limit;
    private final Runnable giveUp;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Read and not yet taken. Guarded by the lock, as everything below. */
    private final Buffer bytes = new Buffer();

    private boolean isReading = true;
    private boolean isEnough;
    private boolean isClosed;
    private @Nullable Throwable failure;

    /**
     * Of a body.
     *
     * @param giveUp makes a read under way fail, so that its connection can be closed; may do nothing
     */
    ReadAhead(BufferedSource upstream, int limit, Runnable giveUp) {
        this.upstream = upstream;
        this.limit = limit;
        this.giveUp = giveUp;
    }

    void start() {
        try {
            Threads.POOL.execute(this::readOn);
        } catch (Throwable e) {
            end(null); // no thread to be had: nothing is looked at
        }
    }

    private void readOn() {
        Buffer chunk = new Buffer();
        int left = limit;
        try {
            while (left > 0) {
                long count = upstream.read(chunk, left);
                if (!add(chunk) || count == -1) {
                    break;
                }
                left -= (int) count;
            }
            end(null);
        } catch (Throwable e) {
            end(e);
        }
    }

    /** {@return whether to read on} */
    private boolean add(Buffer chunk) {
        lock.lock();
        try {
            bytes.writeAll(chunk);
            changed.signalAll();
            return !isEnough;
        } catch (IOException e) {
            throw new AssertionError(e); // buffers do not fail
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable Throwable cause) {
        boolean isToBeClosed;
        lock.lock();
        try {
            isReading = false;
            failure = cause;
            isToBeClosed = isClosed;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (isToBeClosed) {
            closeUpstream();
        }
    }

    /** {@return what there is of the beginning after a time, or as soon as there will be no more} */
    ByteString await(long nanos) {
        boolean isInterrupted = false;
        lock.lock();
        try {
            long left = nanos;
            while (isReading && left > 0 && !isInterrupted) {
                try {
                    left = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            isEnough = true;
            return bytes.snapshot();
        } finally {
            lock.unlock();
            if (isInterrupted) {
                Thread.currentThread().interrupt(); // the caller will meet it when reading the body
            }
        }
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
        lock.lock();
        try {
            while (bytes.exhausted() && isReading) {
                changed.await();
            }
            if (!bytes.exhausted()) {
                return bytes.read(sink, byteCount);
            }
            Throwable cause = failure;
            failure = null;
            if (cause instanceof IOException e) {
                throw e;
            } else if (cause instanceof RuntimeException e) {
                throw e;
            } else if (cause instanceof Error e) {
                throw e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            lock.unlock();
        }
        return upstream.read(sink, byteCount);
    }

    @Override
    public Timeout timeout() {
        return upstream.timeout();
    }

    @Override
    public void close() throws IOException {
        boolean isInRead;
        lock.lock();
        try {
            isEnough = true;
            isClosed = true;
            isInRead = isReading;
        } finally {
            lock.unlock();
        }
        if (isInRead) {
            giveUp.run(); // the thread that reads closes it, when its read returns
        } else {
            upstream.close();
        }
    }

    private void closeUpstream() {
        try {
            upstream.close();
        } catch (IOException e) {
            // The body goes to nobody, and neither does what is wrong with it.
        }
    }

    private static final class Threads {

        private static final long IDLE_SECONDS = 10;

        /** A thread for each body that is being looked at; a body that stalls must not hold up another. */
        private static final Executor POOL = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(null, task, "throttle-body-reader", 0, false);
                    thread.setDaemon(true);
                    return thread;
                });
    }
}
