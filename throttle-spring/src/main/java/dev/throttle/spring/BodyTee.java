package dev.throttle.spring;

import dev.throttle.client.BodyCosts;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Looks at a body on its way to the caller, for what its end tells about the cost of the call. */
final class BodyTee extends FilterInputStream {

    private final BodyCosts costs;

    BodyTee(InputStream source, BodyCosts costs) {
        super(source);
        this.costs = costs;
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        if (one < 0) {
            costs.end();
        } else {
            costs.accept(new byte[] {(byte) one}, 0, 1);
        }
        return one;
    }

    @Override
    public int read(byte[] target, int offset, int most) throws IOException {
        int count = super.read(target, offset, most);
        if (count < 0) {
            costs.end();
        } else {
            costs.accept(target, offset, count);
        }
        return count;
    }

    /** Going back would show bytes twice. */
    @Override
    public boolean markSupported() {
        return false;
    }

    @Override
    public void close() throws IOException {
        costs.end();
        super.close();
    }
}
