package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.WhenAway;
import dev.throttle.lease.file.FileProcess.Granted;
import dev.throttle.lease.file.FileProcess.Job;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Eight JVMs and a real folder: {@code mvn -Pfleet -pl throttle-lease -am test}. What it measures it prints. What
 * counts is when {@code acquire} returned, so a thread that is kept from running on its way back counts as late.
 */
@Tag("fleet")
class FileBarTest {

    private static final int PROCESSES = Integer.getInteger("fleet.processes", 8);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** What may be spent this much late is what one lease grants. */
    private static final double LATE_SECONDS = 0.2;

    private final List<FileProcess> processes = new ArrayList<>();

    @TempDir
    private Path parent;

    private Path logs;

    @BeforeEach
    void makeFolder() throws Exception {
        logs = Files.createDirectory(parent.resolve("logs"));
    }

    @AfterEach
    void stop() {
        processes.forEach(FileProcess::close);
    }

    private static int seconds() {
        return Integer.getInteger("fleet.seconds", 30);
    }

    private static void pass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void start(Job job) {
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(new FileProcess(job, logs, i));
        }
        await().atMost(Duration.ofMinutes(3))
                .until(() -> processes.stream()
                        .noneMatch(process -> process.granted().isEmpty()));
    }

    private List<Granted> granted(long from, long to) {
        return processes.stream()
                .flatMap(process -> process.granted().stream())
                .filter(each -> each.at() >= from && each.at() < to)
                .toList();
    }

    private List<Long> times(long from, long to) {
        return granted(from, to).stream().map(Granted::at).sorted().toList();
    }

    private double fairness(long from, long to) {
        return Bounds.fairness(processes.stream()
                .mapToDouble(process -> process.granted().stream()
                        .filter(each -> each.at() >= from && each.at() < to)
                        .count())
                .toArray());
    }

    /** {@return the part of a rate that was used} */
    private static double used(List<Long> times, double perSecond) {
        return (times.size() - 1) / ((times.get(times.size() - 1) - times.get(0)) / 1e9) / perSecond;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "10, 10", "200, 50"})
    void bucketsAreUsedByAll(long permits, long burst) {
        start(new Job(parent, permits, SECOND, burst, 3, Duration.ZERO, WhenAway.CLOSED));
        pass(Duration.ofSeconds(5));
        long from = System.nanoTime();
        pass(Duration.ofSeconds(permits == 1 ? 2L * seconds() : seconds()));
        long to = System.nanoTime();
        double used = used(times(from, to), permits);
        double most = Bounds.mostBeyond(permits, times(Long.MIN_VALUE, to));
        double jain = fairness(from, to);
        System.out.printf(
                "%d/s, burst %d: used %.3f, most beyond the rate %.2f, Jain %.3f%n", permits, burst, used, most, jain);
        assertThat(used).isGreaterThanOrEqualTo(0.97);
        assertThat(most).isLessThanOrEqualTo(burst + Math.max(1, LATE_SECONDS * permits));
        assertThat(jain).isGreaterThanOrEqualTo(0.95);
    }

    @Test
    void aWindowIsUsedByAll() {
        Duration window = Duration.ofMinutes(1);
        start(new Job(parent, 100, window, 0, 3, Duration.ZERO, WhenAway.CLOSED));
        long first = times(Long.MIN_VALUE, Long.MAX_VALUE).get(0); // of the window that those have who start first
        pass(Duration.ofSeconds(190));
        long from = first + Duration.ofSeconds(59).toNanos();
        long to = first + Duration.ofSeconds(182).toNanos();
        List<Long> all = times(first, to);
        long most = Bounds.mostIn(window, all);
        double jain = fairness(from, to);
        System.out.printf(
                "100 a minute: used in three windows %.3f, most in a window %d, Jain of the second and third %.3f%n",
                Math.min(300, all.size()) / 300.0, most, jain);
        assertThat(all.size()).isGreaterThanOrEqualTo(291);
        assertThat(most).isLessThanOrEqualTo(100 + 1);
        assertThat(jain).isGreaterThanOrEqualTo(0.95);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "10, 10", "200, 50"})
    void oneIsKilledEachSecond(long permits, long burst) throws Exception {
        start(new Job(parent, permits, SECOND, burst, 3, Duration.ZERO, WhenAway.SHARE));
        long from = System.nanoTime();
        for (int i = 0; i < seconds(); i++) {
            FileProcess next = processes.get(i % PROCESSES);
            next.kill();
            next.restart();
            pass(SECOND);
        }
        long last = System.nanoTime();
        pass(Duration.ofSeconds(13));
        long to = System.nanoTime();
        double during = times(from, last).size() / ((last - from) / 1e9) / permits;
        long back = last + Duration.ofSeconds(3).toNanos();
        double after = times(back, to).size() / ((to - back) / 1e9) / permits;
        double most = Bounds.mostBeyond(permits, times(Long.MIN_VALUE, to));
        long damaged = 0;
        for (FileProcess process : processes) {
            damaged += process.output()
                    .lines()
                    .filter(line -> line.contains("damaged, and"))
                    .count();
        }
        System.out.printf(
                "%d/s, burst %d, kill -9 each second: used %.3f, from 3 s after the last %.3f, most beyond the rate %.2f,"
                        + " files damaged %d%n",
                permits, burst, during, after, most, damaged);
        assertThat(most).isLessThanOrEqualTo(burst + Math.max(1, LATE_SECONDS * permits));
        // Each that was killed leaves the permit that was promised to it. At one a second that is eight seconds' worth.
        assertThat(after).isGreaterThanOrEqualTo(permits == 1 ? 0.4 : 0.8);
        assertThat(damaged).isZero();
    }

    /** All together use a tenth of the limit. For five seconds somebody has the locks and stands still. */
    @Test
    void callersHardlyWait() throws Exception {
        Job job = new Job(parent, 1000, SECOND, 1000, 1, Duration.ofMillis(80), WhenAway.SHARE);
        start(job);
        pass(Duration.ofSeconds(5));
        long from = System.nanoTime();
        pass(Duration.ofSeconds(seconds()));
        long to = System.nanoTime();
        report("a tenth of 1000/s", granted(from, to));
        List<RandomAccessFile> held = new ArrayList<>();
        try (Stream<Path> files = Files.list(parent.resolve("fleet-bar"))) {
            for (Path path : files.toList()) {
                RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                held.add(file);
                while (file.getChannel().tryLock() == null) {
                    pass(Duration.ofMillis(1));
                }
            }
        }
        pass(Duration.ofSeconds(5));
        for (RandomAccessFile file : held) {
            file.close();
        }
        pass(Duration.ofSeconds(3));
        long longest = report("the same, locked for 5 s", granted(to, System.nanoTime()));
        assertThat(longest).isLessThan(Duration.ofMillis(500).toNanos());
    }

    private static long report(String what, List<Granted> all) {
        List<Long> waits = all.stream().map(Granted::waited).sorted().toList();
        long longest = waits.get(waits.size() - 1);
        System.out.printf(
                "%s: %d requests, acquire takes p50 %.3f ms, p99 %.3f ms, longest %.3f ms%n",
                what,
                waits.size(),
                waits.get(waits.size() / 2) / 1e6,
                waits.get(waits.size() * 99 / 100) / 1e6,
                longest / 1e6);
        return longest;
    }
}
