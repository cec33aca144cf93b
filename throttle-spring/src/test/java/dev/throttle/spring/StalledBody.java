package dev.throttle.spring;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

/** A body of which nothing comes until it is closed. */
final class StalledBody extends InputStream {

    private final CountDownLatch isClosed = new CountDownLatch(1);

    @Override
    public int read() throws IOException {
        try {
            isClosed.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return -1;
    }

    @Override
    public void close() {
        isClosed.countDown();
    }
}
