package dev.throttle.lease.file;

import dev.throttle.lease.file.FleetFolder.Opened;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One file, which one process at a time reads and writes under a lock. A process that is killed while it writes leaves
 * what was there before: data are written beside those that count, and count only once a small header names them, with
 * their length and checksum. There are two headers, and the later one that is whole counts.
 *
 * <p>Nothing here waits. {@link #hold} says whether it has the lock; everything else needs it, except {@link #news}.
 */
final class StateFile {

    /** The file's first bytes, and those of each header. */
    private static final int MAGIC = 0x54485231;

    private static final int HEADER = 64;
    /** Headers are in sectors of their own. */
    private static final int APART = 512;

    private static final int START = 2 * APART;
    private static final int LONGEST = 256 * 1024 * 1024;
    /** A file that is this many times too long is cut, unless it is short. */
    private static final int TOO_LONG = 4;

    private static final int SHORT = 1 << 20;
    /** What is locked is not read, so that others may look at a header without the lock, on any system. */
    private static final long LOCKED_BYTE = 1L << 40;

    private final Opened opened;
    private final AtomicBoolean isHeld = new AtomicBoolean();
    private @Nullable FileLock lock;
    private int users = 1;
    /** What was read or written last, which need not be read again if there was no write since. */
    private @Nullable Content latest;

    /** Names the data that count. */
    private record Header(long number, long at, int length, int sum, Mark mark, long news) {

        byte[] bytes() {
            ByteBuffer bytes = ByteBuffer.allocate(HEADER);
            bytes.putInt(MAGIC).putLong(number).putLong(at).putInt(length).putInt(sum);
            bytes.putLong(mark.store())
                    .putLong(mark.nano())
                    .putLong(mark.wall())
                    .putLong(news);
            bytes.putInt(checksumOf(bytes.array(), HEADER - Integer.BYTES));
            return bytes.array();
        }

        /** {@return null if they are not whole} */
        static @Nullable Header of(byte[] all, int from) {
            ByteBuffer bytes = ByteBuffer.wrap(all, from, HEADER).slice();
            byte[] own = new byte[HEADER];
            bytes.get(own).rewind();
            if (bytes.getInt() != MAGIC) {
                return null;
            }
            Header header = new Header(
                    bytes.getLong(),
                    bytes.getLong(),
                    bytes.getInt(),
                    bytes.getInt(),
                    new Mark(bytes.getLong(), bytes.getLong(), bytes.getLong()),
                    bytes.getLong());
            boolean isWhole = bytes.getInt() == checksumOf(own, HEADER - Integer.BYTES);
            return isWhole && header.at >= START && header.length >= 0 && header.length <= LONGEST ? header : null;
        }

        private long end() {
            return at + length;
        }
    }

    /** What a file keeps, and as of when. */
    static final class Content {

        final StoreData data;
        /** When it was written; null if nothing was before. */
        final @Nullable Mark mark;
        /** How many messages were published. */
        long news;
        /** Whether there was something that is not whole. */
        final boolean isDamaged;

        private final @Nullable Header header;

        /** The highest number of a header so far, also of one whose data are lost. */
        private final long highest;

        private Content(StoreData data, @Nullable Header header, long highest, boolean isDamaged) {
            this.data = data;
            this.header = header;
            this.highest = highest;
            this.mark = header == null ? null : header.mark;
            this.news = header == null ? 0 : header.news;
            this.isDamaged = isDamaged;
        }
    }

    StateFile(Opened opened) {
        this.opened = opened;
    }

    private static int checksumOf(byte[] bytes, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, length);
        return (int) checksum.getValue();
    }

    /** Counts one more user of this JVM. */
    void use() {
        users++;
    }

    /** {@return whether that was the last user} */
    boolean leave() {
        return --users == 0;
    }

    /** {@return whether this is still the file under its path} */
    boolean isThere() throws IOException {
        return opened.isThere();
    }

    /** Takes the lock if it is free, in this JVM and in others; {@return whether it did} */
    boolean hold() throws IOException {
        if (!isHeld.compareAndSet(false, true)) {
            return false;
        }
        boolean isLocked = false;
        try {
            lock = opened.disk().tryLock(LOCKED_BYTE);
            isLocked = lock != null;
        } catch (OverlappingFileLockException e) {
            // This JVM has this class twice, and the other has the lock.
        } finally {
            if (!isLocked) {
                isHeld.set(false);
            }
        }
        return isLocked;
    }

    void release() throws IOException {
        FileLock held = lock;
        lock = null;
        try {
            if (held != null) {
                held.release();
            }
        } finally {
            isHeld.set(false);
        }
    }

    private @Nullable Header header(byte[] headers, int index) {
        return Header.of(headers, index * APART);
    }

    private byte[] headers() throws IOException {
        byte[] headers = new byte[START];
        opened.disk().read(headers, 0);
        return headers;
    }

    private static @Nullable Header later(@Nullable Header one, @Nullable Header other) {
        return one == null || (other != null && other.number > one.number) ? other : one;
    }

    /** {@return how many messages were published, without the lock; -1 if that cannot be told now} */
    long news() throws IOException {
        byte[] headers = headers();
        Header header = later(header(headers, 0), header(headers, 1));
        return header == null ? -1 : header.news;
    }

    /** {@return what is kept} */
    Content load() throws IOException {
        byte[] headers = headers();
        Header one = header(headers, 0);
        Header other = header(headers, 1);
        Header last = later(one, other);
        long highest = last == null ? 0 : last.number;
        Content known = latest;
        latest = null; // until it is saved
        if (last != null && known != null && last.equals(known.header)) {
            return known;
        }
        StoreData data = last == null ? null : data(last);
        if (data == null && last != null) { // the machine lost its power, or another program has written there
            last = last.equals(one) ? other : one;
            data = last == null ? null : data(last);
        }
        boolean isDamaged =
                data == null ? !Arrays.equals(headers, new byte[START]) : !Objects.equals(last, later(one, other));
        return new Content(data == null ? new StoreData() : data, data == null ? null : last, highest, isDamaged);
    }

    private @Nullable StoreData data(Header header) throws IOException {
        if (opened.disk().size() < header.end()) {
            return null;
        }
        byte[] bytes = new byte[header.length];
        if (opened.disk().read(bytes, header.at) < bytes.length || checksumOf(bytes, bytes.length) != header.sum) {
            return null;
        }
        try {
            return StoreData.of(bytes);
        } catch (IOException e) {
            return null;
        }
    }

    /** Writes what is kept beside what was, and then the header that names it. */
    void save(Content content, Mark mark) throws IOException {
        byte[] bytes = content.data.bytes();
        Header before = content.header;
        long at = before == null || before.at - START >= bytes.length ? START : before.end();
        long number = content.highest + 1;
        Header header = new Header(number, at, bytes.length, checksumOf(bytes, bytes.length), mark, content.news);
        opened.disk().write(bytes, at);
        opened.disk().write(header.bytes(), (number & 1) * APART);
        if (opened.disk().size() > Math.max(SHORT, TOO_LONG * header.end())) {
            opened.disk().cut(header.end());
        }
        latest = new Content(content.data, header, number, false);
    }

    void close() throws IOException {
        opened.disk().close();
    }
}
