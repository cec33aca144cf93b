package dev.throttle.spring;

import dev.throttle.internal.CallbackPool;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of a body ahead, on a thread of its own, as a server may be slow with it. Whoever reads this
 * stream gets the body whole, and meets what the reader has met.
 */
final class BodyAhead extends InputStream {

    private final InputStream source;
    private final byte[] start;
    private final CountDownLatch isRead = new CountDownLatch(1);
    private volatile int length;
    private volatile @Nullable IOException failure;
    private int position;

    private BodyAhead(InputStream source, int limit) {
        this.source = source;
        this.start = new byte[limit];
    }

    /**
     * Begins to read.
     *
     * @param source the body
     * @param limit how many bytes are read ahead
     */
    static BodyAhead begin(InputStream source, int limit) {
        BodyAhead ahead = new BodyAhead(source, limit);
        CallbackPool.shared().execute(ahead::fill);
        return ahead;
    }

    private void fill() {
        int filled = 0;
        try {
            for (int read = 0; read >= 0 && filled < start.length; ) {
                read = source.read(start, filled, start.length - filled);
                filled += Math.max(0, read);
                length = filled;
            }
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new IOException(e);
        } finally {
            isRead.countDown();
        }
    }

    /** {@return the bytes that have come when they are all there, or when the time is up} */
    byte[] await(long nanos) throws IOException {
        join(nanos);
        return Arrays.copyOf(start, length);
    }

    @SuppressWarnings("ReturnValueIgnored") // what has not come by then is not waited for
    private void join(long nanos) throws IOException {
        try {
            isRead.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading the beginning of a refused body");
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int most) throws IOException {
        if (isRead.getCount() > 0) {
            join(Long.MAX_VALUE);
        }
        int left = length - position;
        if (left > 0) {
            int count = Math.min(left, most);
            System.arraycopy(start, position, target, offset, count);
            position += count;
            return count;
        }
        IOException met = failure;
        if (met != null) {
            throw met;
        }
        return source.read(target, offset, most);
    }

    @Override
    public int available() throws IOException {
        return isRead.getCount() > 0 ? 0 : length - position + source.available();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
