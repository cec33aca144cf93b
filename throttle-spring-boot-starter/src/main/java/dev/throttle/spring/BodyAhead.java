package dev.throttle.spring;

import dev.throttle.internal.CallbackPool;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Reads the beginning of a body ahead, on a thread of its own, as a server may be slow with it. Whoever reads this
 * stream gets the body whole, and meets what the reader has met. There is never more than one thread in the body: who
 * closes it while it is read ahead leaves that to the thread that reads, as a response is read to its end when it is
 * closed, and some libraries let one of two readers wait for ever.
 */
final class BodyAhead extends InputStream {

    private enum State {
        READING,
        READ,
        /** Closed while it was read: whoever reads closes it. */
        CLOSED
    }

    private final ClientHttpResponse response;
    private final InputStream source;
    private final byte[] start;
    private final AtomicReference<State> state = new AtomicReference<>(State.READING);
    private final CountDownLatch isRead = new CountDownLatch(1);
    private volatile int length;
    private volatile @Nullable IOException failure;
    private int position;

    private BodyAhead(ClientHttpResponse response, int limit) throws IOException {
        this.response = response;
        this.source = response.getBody();
        this.start = new byte[limit];
    }

    /**
     * Begins to read.
     *
     * @param response whose body it is
     * @param limit how many bytes are read ahead
     * @throws IOException if there is no body to read
     */
    static BodyAhead begin(ClientHttpResponse response, int limit) throws IOException {
        BodyAhead ahead = new BodyAhead(response, limit);
        CallbackPool.shared().execute(ahead::fill);
        return ahead;
    }

    private void fill() {
        int filled = 0;
        try {
            for (int read = 0; read >= 0 && filled < start.length && state.get() == State.READING; ) {
                read = source.read(start, filled, start.length - filled);
                filled += Math.max(0, read);
                length = filled;
            }
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new IOException(e);
        } finally {
            if (!state.compareAndSet(State.READING, State.READ)) {
                response.close();
            }
            isRead.countDown();
        }
    }

    /** Closes the response, now or when it is read no more. */
    void closeResponse() {
        if (state.compareAndExchange(State.READING, State.CLOSED) == State.READ) {
            response.close();
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
        if (state.get() == State.CLOSED) {
            throw new IOException("closed");
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
        return state.get() == State.READ ? length - position + source.available() : 0;
    }

    @Override
    public void close() throws IOException {
        if (state.compareAndExchange(State.READING, State.CLOSED) == State.READ) {
            source.close();
        }
    }
}
