package dev.throttle.client;

import dev.throttle.internal.CallbackPool;
import dev.throttle.signal.BodyClassifier;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A body whose beginning is read ahead by a thread of its own, so that nothing has to wait for a slow server longer
 * than it wants to. The reader of this stream gets the body whole, and any exception that reading ahead has met.
 *
 * <p>The source is used by one thread at a time: a read of a socket cannot be given up without losing the socket, and
 * some HTTP libraries let one of two readers wait for ever. So a stream that is closed while its source is read leaves
 * the closing to the thread that reads.
 */
public final class BodyAhead extends InputStream {

    private final InputStream source;
    private final Runnable giveUp;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** What was read ahead. Guarded by the lock up to its length, as everything below. */
    private final byte[] start = new byte[BodyClassifier.MAX_BYTES];

    private int length;
    private int position;
    private boolean isReading = true;
    private boolean isEnough;
    private boolean isClosed;
    /** What to close when the source is not read any more. */
    private @Nullable Closeable toClose;

    private @Nullable Throwable failure;

    private BodyAhead(InputStream source, Runnable giveUp) {
        this.source = source;
        this.giveUp = giveUp;
    }

    /**
     * Begins to read as much of a body as a {@link BodyClassifier} looks at.
     *
     * @param source the body
     * @param giveUp makes a read of the source fail that is under way when this stream is closed; may do nothing
     * @return the body, to be read instead of the source
     */
    public static BodyAhead begin(InputStream source, Runnable giveUp) {
        BodyAhead ahead = new BodyAhead(source, giveUp);
        try {
            CallbackPool.shared().execute(ahead::readAhead);
        } catch (Throwable e) {
            ahead.end(null); // no thread to be had: nothing is looked at
        }
        return ahead;
    }

    private void readAhead() {
        Throwable cause = null;
        try {
            int count = 0;
            while (count >= 0 && goesOn(count)) {
                count = source.read(start, length, start.length - length);
            }
        } catch (Throwable e) {
            cause = e;
        }
        end(cause);
    }

    /** So many bytes were read; {@return whether to read on} */
    private boolean goesOn(int count) {
        lock.lock();
        try {
            length += count;
            changed.signalAll();
            return !isEnough && length < start.length;
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable Throwable cause) {
        Closeable left;
        lock.lock();
        try {
            isReading = false;
            failure = cause;
            left = toClose;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (left != null) {
            try {
                left.close();
            } catch (IOException | RuntimeException e) {
                // The body is not wanted any more, and so its exception is not either.
            }
        }
    }

    /**
     * Waits for the beginning of the body. If the thread is interrupted it waits no longer, and stays interrupted.
     *
     * @param nanos how long to wait at most
     * @return what there is of the beginning by then
     */
    public byte[] await(long nanos) {
        lock.lock();
        try {
            awaitRead(nanos);
            isEnough = true;
            return Arrays.copyOf(start, length);
        } finally {
            lock.unlock();
        }
    }

    private void awaitRead(long nanos) {
        try {
            long left = nanos;
            while (isReading && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int most) throws IOException {
        lock.lock();
        try {
            while (position == length && isReading) {
                changed.await();
            }
            if (isClosed) {
                throw new IOException("closed");
            }
            if (position < length) {
                int count = Math.min(length - position, most);
                System.arraycopy(start, position, target, offset, count);
                position += count;
                return count;
            }
            Throwable cause = failure;
            failure = null;
            rethrow(cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            lock.unlock();
        }
        return source.read(target, offset, most);
    }

    /** The very exception that the source has thrown. */
    private static void rethrow(@Nullable Throwable cause) throws IOException {
        if (cause instanceof IOException e) {
            throw e;
        } else if (cause instanceof RuntimeException e) {
            throw e;
        } else if (cause instanceof Error e) {
            throw e;
        }
    }

    @Override
    public int available() throws IOException {
        lock.lock();
        try {
            int left = length - position;
            return isReading || isClosed ? left : left + source.available();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        close(source);
    }

    /**
     * Closes what the source belongs to, such as its response, now or when the source is not read any more.
     *
     * @param whole what to close
     * @throws IOException if closing it failed
     */
    public void close(Closeable whole) throws IOException {
        boolean isInRead;
        lock.lock();
        try {
            isEnough = true;
            isClosed = true;
            isInRead = isReading;
            toClose = isInRead ? whole : null;
        } finally {
            lock.unlock();
        }
        if (isInRead) {
            giveUp.run();
        } else {
            whole.close();
        }
    }
}
