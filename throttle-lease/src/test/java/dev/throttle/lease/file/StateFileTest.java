package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.file.StateFile.Content;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write that is cut off at any byte leaves what was before it, or what it wrote. */
class StateFileTest {

    private static final Mark MARK = Mark.first(0, 1_800_000_000_000_000L);

    @TempDir
    private Path parent;

    /** How many bytes are still written before the process is killed. */
    private long left = Long.MAX_VALUE;

    private StateFile file;

    @BeforeEach
    void open() throws IOException {
        file = opened();
    }

    private StateFile opened() throws IOException {
        UnaryOperator<Disk> dying = Dying::new;
        return new StateFile(new FleetFolder(parent, "test", dying).open("memory"));
    }

    private final class Dying implements Disk {

        private final Disk disk;

        Dying(Disk disk) {
            this.disk = disk;
        }

        @Override
        public int read(byte[] bytes, long at) throws IOException {
            return disk.read(bytes, at);
        }

        @Override
        public void write(byte[] bytes, long at) throws IOException {
            int some = (int) Math.min(left, bytes.length);
            disk.write(Arrays.copyOf(bytes, some), at);
            left -= some;
            if (some < bytes.length) {
                throw new IOException("killed");
            }
        }

        @Override
        public long size() throws IOException {
            return disk.size();
        }

        @Override
        public void cut(long size) throws IOException {
            disk.cut(size);
        }

        @Override
        public FileLock tryLock(long at) throws IOException {
            return Objects.requireNonNull(disk.tryLock(at));
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }

    private void write(String text) throws IOException {
        Content content = file.load();
        content.data.setText("a", text);
        file.save(content, MARK);
    }

    private String read() throws IOException {
        return String.valueOf(opened().load().data.text("a"));
    }

    @Test
    void aWriteThatIsCutOffLeavesWhatWasBefore() throws IOException {
        for (int length : List.of(1, 40, 3, 200)) {
            for (int bytes = 0; ; bytes++) {
                write("before");
                left = bytes;
                try {
                    write("x".repeat(length));
                } catch (IOException e) {
                    assertThat(read()).as("after " + bytes).isEqualTo("before");
                    left = Long.MAX_VALUE;
                    continue;
                }
                assertThat(read()).isEqualTo("x".repeat(length));
                left = Long.MAX_VALUE;
                break;
            }
        }
    }

    @Test
    void whatOthersHaveWrittenIsRead() throws IOException {
        StateFile other = opened();
        for (int i = 0; i < 10; i++) {
            write("mine " + i);
            Content content = other.load();
            assertThat(content.data.text("a")).isEqualTo("mine " + i);
            content.data.setText("a", "theirs " + "x".repeat(100 * i));
            other.save(content, MARK);
            assertThat(file.load().data.text("a")).startsWith("theirs");
        }
    }

    @Test
    void itDoesNotGrow() throws IOException {
        for (int i = 0; i < 1000; i++) {
            write("x".repeat(i % 97));
        }
        assertThat(Files.size(parent.resolve("fleet-test/memory"))).isLessThan(2000);
    }

    @Test
    void aLongFileIsCutWhenLittleIsLeft() throws IOException {
        for (int i = 0; i < 100; i++) {
            Content content = file.load();
            content.data.setText("b" + i, "x".repeat(50_000));
            file.save(content, MARK);
        }
        Content content = file.load();
        for (int i = 0; i < 100; i++) {
            content.data.remove("b" + i);
        }
        file.save(content, MARK);
        write("x");
        assertThat(Files.size(parent.resolve("fleet-test/memory"))).isLessThan(2_000_000);
        assertThat(read()).isEqualTo("x");
    }

    @Test
    void damageIsNoticed() throws IOException {
        write("before");
        byte[] garbage = new byte[5000];
        Arrays.fill(garbage, (byte) 77);
        Files.write(parent.resolve("fleet-test/memory"), garbage);
        Content content = opened().load();
        assertThat(content.isDamaged).isTrue();
        assertThat(content.data.has("a")).isFalse();
        write("after");
        assertThat(read()).isEqualTo("after");
    }

    @Test
    void aNewFileIsNotDamaged() throws IOException {
        assertThat(file.load().isDamaged).isFalse();
    }

    @Test
    void onlyOneHasTheLock() throws IOException {
        StateFile other = opened(); // as in another class loader
        assertThat(file.hold()).isTrue();
        assertThat(file.hold()).isFalse();
        assertThat(other.hold()).isFalse();
        file.release();
        assertThat(other.hold()).isTrue();
        other.release();
    }
}
