package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.lease.BusyProcesses;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetLimitBuilder;
import dev.throttle.lease.WhenAway;
import dev.throttle.lease.fleet.FleetTerms;
import dev.throttle.lease.fleet.SharedFleet;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several fleets of one JVM share a real folder, on virtual time. */
class FileFleetTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    private Path parent;

    private VirtualTime time = new VirtualTime();
    private BusyProcesses processes = new BusyProcesses(time);
    private final List<Fleet> fleets = new ArrayList<>();
    private final List<BusyProcesses.Busy> busy = new ArrayList<>();
    private final List<Long> departures = new ArrayList<>();
    private boolean isFull;
    private long touches;

    @AfterEach
    void close() {
        isFull = false;
        fleets.forEach(Fleet::close);
        time.advance(SECOND);
    }

    /** One that may be full, and counts how often it is read or written. */
    private final class Watched implements Disk {

        private final Disk disk;

        Watched(Disk disk) {
            this.disk = disk;
        }

        @Override
        public int read(byte[] bytes, long at) throws IOException {
            touches++;
            return disk.read(bytes, at);
        }

        @Override
        public void write(byte[] bytes, long at) throws IOException {
            touches++;
            if (isFull) {
                throw new IOException("No space left on device");
            }
            disk.write(bytes, at);
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
        public @Nullable FileLock tryLock(long at) throws IOException {
            touches++;
            return disk.tryLock(at);
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }

    private Fleet fleet() {
        return fleet(time);
    }

    private Fleet fleet(TimeSource source) {
        FleetTerms terms = new FleetTerms("test", Duration.ZERO, false, source, task -> source.schedule(1, task));
        Fleet fleet = SharedFleet.open(
                terms, heard -> new FileStore("test", parent, source, terms.executor(), heard, Watched::new));
        fleets.add(fleet);
        time.advance(Duration.ofMillis(10));
        return fleet;
    }

    private void start(int count, Function<Fleet, FleetLimitBuilder> limit) {
        for (int i = 0; i < count; i++) {
            busy.add(processes.start(limit.apply(fleet()).build(), 3));
        }
    }

    private Throttle throttle(Fleet fleet) {
        Throttle throttle = Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
        fleet.join(throttle);
        return throttle;
    }

    private static void learn(Throttle throttle, Signal signal) {
        Objects.requireNonNull(throttle.tryAcquire()).complete(signal);
    }

    private static Signal comeBackIn(Duration wait) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(wait, List.of()));
    }

    @Test
    void aBucketIsSharedAndUsed() {
        start(8, fleet -> fleet.tokenBucket(200, SECOND).burst(50));
        time.advance(SECOND);
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isGreaterThanOrEqualTo(1990);
        assertThat(processes.mostBeyond(200)).isLessThanOrEqualTo(50);
    }

    @Test
    void aSlowBucketIsSharedAndUsed() {
        start(8, fleet -> fleet.tokenBucket(1, SECOND).burst(1));
        time.advance(Duration.ofSeconds(10));
        int before = processes.sent();
        time.advance(Duration.ofSeconds(100));
        assertThat(processes.sent() - before).isGreaterThanOrEqualTo(97);
        assertThat(processes.mostIn(SECOND)).isEqualTo(1);
    }

    /** On a machine that is too busy, two of three threads run eight milliseconds late. A permit is good for five. */
    @Test
    void aSlowBucketIsUsedWhereThreadsRunLate() {
        TimeSource late = new OtherTime(time) {
            private int count;

            @Override
            public ScheduledTask schedule(long delayNanos, Runnable task) {
                return super.schedule(delayNanos + (count++ % 3 == 0 ? 0 : 8_000_000), task);
            }
        };
        for (int i = 0; i < 4; i++) {
            Fleet fleet = fleet(late);
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(fleet.tokenBucket(4, SECOND).burst(1).build())
                    .time(late)
                    .executor(task -> late.schedule(0, task))
                    .maxWait(Duration.ofDays(1))
                    .build();
            sendForEver(throttle);
        }
        time.advance(Duration.ofSeconds(10));
        departures.clear();
        time.advance(Duration.ofSeconds(50));
        assertThat(departures.size()).isGreaterThanOrEqualTo(194);
        assertThat(Bounds.mostBeyond(4, departures)).isLessThanOrEqualTo(1.4);
    }

    private void sendForEver(Throttle throttle) {
        throttle.acquireAsync().thenAccept(permit -> {
            departures.add(time.nanoTime());
            permit.complete(Signal.SUCCESS);
            time.schedule(0, () -> sendForEver(throttle));
        });
    }

    @Test
    void aWindowIsSharedAndUsed() {
        start(8, fleet -> fleet.slidingWindow(100, Duration.ofMinutes(1)));
        time.advance(Duration.ofMinutes(1));
        int before = processes.sent();
        time.advance(Duration.ofMinutes(10));
        assertThat(processes.sent() - before).isGreaterThanOrEqualTo(970);
        assertThat(processes.mostIn(Duration.ofMinutes(1))).isLessThanOrEqualTo(100);
    }

    /** Fifty permits are there at once: then only the sign of life each second touches a file. */
    @Test
    void whileALeaseLastsNoFileIsTouched() {
        Fleet fleet = fleet();
        Throttle throttle = Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .limit(fleet.tokenBucket(1000, SECOND).build())
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
        for (int second = 0; second < 5; second++) {
            for (int i = 0; i < 100; i++) {
                throttle.acquireAsync().thenAccept(permit -> permit.complete(Signal.SUCCESS));
                time.advance(Duration.ofMillis(10));
            }
        }
        long before = touches;
        int withoutTouch = 0;
        for (int i = 0; i < 400; i++) {
            long now = touches;
            throttle.acquireAsync().thenAccept(permit -> permit.complete(Signal.SUCCESS));
            withoutTouch += touches == now ? 1 : 0;
            time.advance(Duration.ofMillis(10));
        }
        assertThat(withoutTouch).isEqualTo(400); // never by the caller
        // Ten leases a second, and the sign of life: each takes the lock, reads the header, writes data and header.
        assertThat(touches - before).isLessThanOrEqualTo(4 * 11 * 6);
    }

    @Test
    void whatOneWasToldTheOthersKnow() {
        Throttle one = throttle(fleet());
        Throttle other = throttle(fleet());
        time.advance(SECOND);
        learn(one, comeBackIn(Duration.ofMinutes(5)));
        time.advance(SECOND);
        assertThat(other.snapshot().blocked()).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(302));
    }

    /** With a lease it hears of it at once. */
    @Test
    void whoLeasesHearsOfItSooner() {
        Throttle one = throttle(fleet());
        Fleet second = fleet();
        Throttle other = throttle(second);
        busy.add(processes.start(second.tokenBucket(100, SECOND).build(), 3));
        time.advance(Duration.ofMillis(2150));
        learn(one, comeBackIn(Duration.ofMinutes(5)));
        time.advance(Duration.ofMillis(250));
        assertThat(other.snapshot().blocked()).isPositive();
    }

    @Test
    void whatWasLearnedOutlivesTheProcess() {
        Throttle before = throttle(fleet());
        time.advance(SECOND);
        learn(before, comeBackIn(Duration.ofMinutes(5)));
        Quota quota = new Quota(null, 100L, 3L, Duration.ofMinutes(10), null);
        learn(throttle(fleets.get(0)), Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        fleets.forEach(Fleet::close); // at once, with what was learned just now
        fleets.clear();
        time.advance(Duration.ofMinutes(1));
        Throttle after = throttle(fleet());
        assertThat(after.snapshot().blocked()).isBetween(Duration.ofSeconds(235), Duration.ofSeconds(245));
        assertThat(after.snapshot().quotas())
                .anySatisfy(known -> assertThat(known.remaining()).isEqualTo(3));
    }

    /** The monotonic clock begins anew, and half a minute has passed. */
    @Test
    void whatWasLearnedOutlivesAStartOfTheMachine() {
        start(2, fleet -> fleet.slidingWindow(100, Duration.ofMinutes(1)));
        Throttle before = throttle(fleets.get(0));
        time.advance(Duration.ofSeconds(2));
        assertThat(processes.sent()).isEqualTo(100);
        learn(before, comeBackIn(Duration.ofMinutes(5)));
        fleets.forEach(Fleet::close);
        fleets.clear();
        time.advance(SECOND);
        time = new VirtualTime(17, time.currentTimeMillis() + 30_000);
        processes = new BusyProcesses(time);
        start(2, fleet -> fleet.slidingWindow(100, Duration.ofMinutes(1)));
        time.advance(Duration.ofSeconds(20));
        assertThat(processes.sent()).isZero();
        assertThat(throttle(fleets.get(0)).snapshot().blocked())
                .isBetween(Duration.ofSeconds(240), Duration.ofSeconds(250));
        time.advance(Duration.ofSeconds(20));
        assertThat(processes.sent()).isEqualTo(100);
    }

    @Test
    void eachGoesByItsShareWhileTheDiskIsFull() {
        start(4, fleet -> fleet.tokenBucket(100, SECOND).burst(10));
        time.advance(Duration.ofSeconds(5));
        isFull = true;
        time.advance(SECOND);
        assertThat(fleets).noneMatch(Fleet::isConnected);
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(900, 1010);
        isFull = false;
        time.advance(SECOND);
        assertThat(fleets).allMatch(Fleet::isConnected);
        before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(950, 1010);
        assertThat(processes.mostBeyond(100)).isLessThanOrEqualTo(10 + 20);
    }

    @Test
    void aProcessThatStandsStillWithTheLockDoesNotStopTheOthers() throws IOException {
        start(4, fleet -> fleet.tokenBucket(100, SECOND).burst(10));
        time.advance(Duration.ofSeconds(5));
        List<RandomAccessFile> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(parent.resolve("fleet-test"))) {
            for (Path path : all.toList()) {
                RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                files.add(file);
                Objects.requireNonNull(file.getChannel().tryLock());
            }
        }
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(900, 1010);
        assertThat(fleets).noneMatch(Fleet::isConnected);
        for (RandomAccessFile file : files) {
            file.close();
        }
        time.advance(SECOND);
        assertThat(fleets).allMatch(Fleet::isConnected);
        assertThat(processes.mostBeyond(100)).isLessThanOrEqualTo(10 + 20);
    }

    @Test
    void aFileOfLimitsThatIsLockedLeavesTheOthersInUse() throws IOException {
        start(4, fleet -> fleet.tokenBucket(100, SECOND).burst(10));
        time.advance(Duration.ofSeconds(5));
        List<RandomAccessFile> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(parent.resolve("fleet-test"))) {
            for (Path path : all.toList()) {
                if (path.getFileName().toString().startsWith("limits")) {
                    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                    files.add(file);
                    Objects.requireNonNull(file.getChannel().tryLock());
                }
            }
        }
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(900, 1010);
        assertThat(fleets).allMatch(Fleet::isConnected);
        for (RandomAccessFile file : files) {
            file.close();
        }
        time.advance(Duration.ofSeconds(2));
        before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(950, 1010);
        assertThat(processes.mostBeyond(100)).isLessThanOrEqualTo(10 + 20);
    }

    @Test
    void nobodyGoesWithoutTheStoreIfTheUserSaysSo() {
        start(2, fleet -> fleet.tokenBucket(100, SECOND).burst(10).whenAway(WhenAway.CLOSED));
        time.advance(Duration.ofSeconds(5));
        isFull = true;
        time.advance(SECOND);
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isZero();
    }

    /** The processes remember what they saw, so none gets a second burst. */
    @Test
    void aFolderThatIsDeletedIsMadeAnew() throws IOException {
        start(4, fleet -> fleet.tokenBucket(100, SECOND).burst(50));
        time.advance(Duration.ofSeconds(5));
        try (Stream<Path> all = Files.list(parent.resolve("fleet-test"))) {
            for (Path path : all.toList()) {
                Files.delete(path);
            }
        }
        Files.delete(parent.resolve("fleet-test"));
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(800, 1010);
        assertThat(fleets).allMatch(Fleet::isConnected);
        assertThat(fleets.stream().mapToLong(Fleet::losses).sum()).isPositive();
        assertThat(processes.mostBeyond(100)).isLessThanOrEqualTo(50);
    }

    @Test
    void filesThatAreDamagedBeginAnew() throws IOException {
        start(4, fleet -> fleet.tokenBucket(100, SECOND).burst(50));
        time.advance(Duration.ofSeconds(5));
        try (Stream<Path> all = Files.list(parent.resolve("fleet-test"))) {
            for (Path path : all.toList()) {
                Files.write(path, new byte[] {1, 2, 3});
            }
        }
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isBetween(800, 1010);
        assertThat(fleets.stream().mapToLong(Fleet::losses).sum()).isPositive();
        assertThat(processes.mostBeyond(100)).isLessThanOrEqualTo(50);
    }

    @Test
    void keysAreHashed() throws IOException {
        Fleet fleet = fleet();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("secret-name")
                .strategy(Strategies.none())
                .limit(fleet.tokenBucket(100, SECOND).name("secret-limit").build())
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
        fleet.join(throttles);
        throttles.get("secret-key").acquireAsync().thenAccept(permit -> permit.complete(comeBackIn(SECOND)));
        time.advance(SECOND);
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(parent.resolve("fleet-test"))) {
            for (Path path : files.toList()) {
                all.append(Files.readString(path, StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(all.toString()).contains("throttle:{test}:b:").doesNotContain("secret");
    }

    @Test
    void processesAreCounted() {
        Fleet one = fleet();
        Fleet other = fleet();
        time.advance(Duration.ofSeconds(3));
        assertThat(one.processes()).isEqualTo(2);
        other.close();
        fleets.remove(other);
        time.advance(Duration.ofSeconds(2));
        assertThat(one.processes()).isEqualTo(1);
    }
}
