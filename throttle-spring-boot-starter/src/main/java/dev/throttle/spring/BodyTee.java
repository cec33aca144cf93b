package dev.throttle.spring;

import dev.throttle.client.KeyedCall;
import dev.throttle.signal.usage.BodyTail;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Looks at a body on its way to the caller, for what its end tells about the cost of the call. */
final class BodyTee extends FilterInputStream {

    private final KeyedCall call;
    private final BodyTail tail;

    BodyTee(InputStream source, KeyedCall call, BodyTail tail) {
        super(source);
        this.call = call;
        this.tail = tail;
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        if (one < 0) {
            SpringCosts.report(call, tail);
        } else {
            tail.accept(new byte[] {(byte) one}, 0, 1);
        }
        return one;
    }

    @Override
    public int read(byte[] target, int offset, int most) throws IOException {
        int count = super.read(target, offset, most);
        if (count < 0) {
            SpringCosts.report(call, tail);
        } else {
            tail.accept(target, offset, count);
        }
        return count;
    }

    /** Going back would show bytes twice. */
    @Override
    public boolean markSupported() {
        return false;
    }

    /** Tells what has been seen, however far the caller has read. */
    void report() {
        SpringCosts.report(call, tail);
    }

    @Override
    public void close() throws IOException {
        report();
        super.close();
    }
}
