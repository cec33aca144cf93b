package dev.throttle.lease.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import org.jspecify.annotations.Nullable;

/** What a file of the store does on a disk, so that a test can have a disk that is full. */
interface Disk {

    /** {@return how many bytes were read} */
    int read(byte[] bytes, long at) throws IOException;

    void write(byte[] bytes, long at) throws IOException;

    long size() throws IOException;

    void cut(long size) throws IOException;

    /** {@return the lock of one byte; null if another process has it} */
    @Nullable FileLock tryLock(long at) throws IOException;

    void close() throws IOException;

    /** {@return a real file} */
    static Disk of(FileChannel channel) {
        return new Disk() {
            @Override
            public int read(byte[] bytes, long at) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) > 0) {
                    // until all is there, or the file ends
                }
                return buffer.position();
            }

            @Override
            public void write(byte[] bytes, long at) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    channel.write(buffer, at + buffer.position());
                }
            }

            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public void cut(long size) throws IOException {
                channel.truncate(size);
            }

            @Override
            public @Nullable FileLock tryLock(long at) throws IOException {
                return channel.tryLock(at, 1, false);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }
}
