package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.WhenAway;
import dev.throttle.lease.file.FileProcess.Granted;
import dev.throttle.lease.file.FileProcess.Job;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two real JVMs and a real folder: what a killed one leaves behind, the other goes on with. */
class FileKillTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path parent;

    @Test
    void theOthersGoOnWhenOneIsKilled() throws Exception {
        Path logs = Files.createDirectory(parent.resolve("logs"));
        Job job = new Job(parent, 100, SECOND, 10, 2, Duration.ZERO, WhenAway.CLOSED);
        try (FileProcess one = new FileProcess(job, logs, 0);
                FileProcess other = new FileProcess(job, logs, 1)) {
            await().atMost(PATIENCE)
                    .until(() -> one.granted().size() > 20 && other.granted().size() > 20);
            one.kill();
            int before = other.granted().size();
            await().atMost(PATIENCE).until(() -> other.granted().size() > before + 100);
            one.restart();
            int last = one.granted().size();
            await().atMost(PATIENCE).until(() -> one.granted().size() > last + 20);
            List<Long> all = Stream.of(one, other)
                    .flatMap(process -> process.granted().stream())
                    .map(Granted::at)
                    .sorted()
                    .toList();
            // A burst of ten, what may be spent late, and what a thread that was kept from running writes down late.
            assertThat(Bounds.mostBeyond(100, all)).isLessThanOrEqualTo(10 + 20 + 20);
            assertThat(other.output()).doesNotContain("damaged");
        }
    }
}
