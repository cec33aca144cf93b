package dev.throttle.okhttp;

import java.io.IOException;
import okio.Buffer;
import okio.Sink;
import okio.Timeout;

/** Keeps a body that is written to it, up to a size: a body may be longer than it says. */
final class BoundedBody implements Sink {

    private final Buffer kept = new Buffer();
    private final long most;

    BoundedBody(long most) {
        this.most = most;
    }

    byte[] bytes() {
        return kept.readByteArray();
    }

    @Override
    public void write(Buffer source, long byteCount) throws IOException {
        if (kept.size() + byteCount > most) {
            throw new IOException("a body must have as many bytes as it says, but had more than " + most);
        }
        kept.write(source, byteCount);
    }

    @Override
    public void flush() {}

    @Override
    public Timeout timeout() {
        return Timeout.NONE;
    }

    @Override
    public void close() {}
}
