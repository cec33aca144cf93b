package dev.throttle.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The measurements that are programs of their own run on a small scale, and count right. */
class MeasurementsTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Test
    void everyWaiterIsReleasedUnlessItLeft() {
        Waiters.Result result = Waiters.measure(1000);

        assertThat(result.released()).isEqualTo(900);
        assertThat(Waiters.releaseOneByOne(50)).isPositive();
    }

    @Test
    void everyThreadGetsThrough() throws Exception {
        ExecutorService virtual = VirtualThreads.newExecutor();
        ExecutorService executor = virtual == null ? Executors.newCachedThreadPool() : virtual;
        try {
            VirtualThreads.Result result = VirtualThreads.measure(executor, 20, Duration.ofSeconds(2));

            assertThat(result.admitted()).isEqualTo(20);
            assertThat(result.lastAfterNanos()).isNotNegative();
        } finally {
            executor.shutdown();
        }
    }

    @Tag("slow")
    @Test
    void keysAreBoundedAndBlockedOnesStay() throws Exception {
        Keys.Result result = Keys.measure(20_000, out);

        assertThat(result.blocked()).isEqualTo(20);
        assertThat(result.stillBlocked()).isEqualTo(20);
        assertThat(result.held()).isBetween(10_000, 11_000);
    }

    @Test
    void bothClientsAreMeasuredBareAndThrottled() throws Exception {
        TinyServer server = new TinyServer();
        server.start();

        EndToEnd.measure(server.port(), Duration.ofMillis(1), 8, out);

        assertThat(rows())
                .hasSize(10)
                .allSatisfy(row -> assertThat(row.split("\\|")).hasSize(12));
    }

    @Test
    void everyKindOfClientIsComparedWithABareOne() throws Exception {
        TinyServer server = new TinyServer();
        server.start();

        WhereItGoes.measure(server.port(), Duration.ZERO, 3, out);

        assertThat(rows())
                .hasSize(5)
                .allSatisfy(row -> assertThat(row.split("\\|")).hasSize(10));
    }

    @Test
    void clientsThatTakeTurnsSendTheSame() throws Exception {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        RandomTurns turns = new RandomTurns(List.of(first::incrementAndGet, second::incrementAndGet), 2, 3);

        turns.run(Duration.ZERO);

        int oneRoundOfTwoCallers = 2 * (5 + 3);
        assertThat(first).hasValue(oneRoundOfTwoCallers);
        assertThat(second).hasValue(oneRoundOfTwoCallers);
        assertThat(turns.cells(0)).containsOnly("0.0 (0.0 to 0.0)");
    }

    @Test
    void limitsAreMeasuredBesideThePeers() throws Exception {
        List<Accuracy.Subject> even =
                Accuracy.subjects().stream().filter(Accuracy.Subject::even).toList();

        Accuracy.measure(even, 100, Duration.ofMillis(200), out);

        assertThat(rows()).hasSameSizeAs(even).hasSize(7);
    }

    @Test
    void everyLimiterLetsTheFirstOneGo() throws Exception {
        for (Accuracy.Subject subject : Accuracy.subjects()) {
            subject.maker().apply(100).await();
        }
    }

    @Test
    void evenTimesAreAllUsedAndNeverLate() {
        long[] times = new long[50];
        Arrays.setAll(times, i -> i * 100_000_000L);

        Punctuality even = Punctuality.of(times, 10);

        assertThat(even).isEqualTo(new Punctuality(1, 10, 0, 0));
    }

    @Test
    void whatComesLateIsCountedAsLateAndAsUnused() {
        long[] times = new long[50];
        Arrays.setAll(times, i -> i * 125_000_000L);

        Punctuality slow = Punctuality.of(times, 10);

        assertThat(slow.used()).isCloseTo(0.8, within(0.01));
        assertThat(slow.mostInASecond()).isEqualTo(8);
        assertThat(slow.lateP50Micros()).isCloseTo(112_500, within(1.0));
        assertThat(slow.lateP99Micros()).isCloseTo(225_000, within(1.0));
    }

    @Test
    void anIntervalHoldsTheMedian() {
        Stats stats = new Stats(new double[] {5, 1, 4, 2, 3, 9, 8, 7, 6});

        assertThat(stats.median()).isEqualTo(5);
        assertThat(stats.quantile(0.99)).isEqualTo(9);
        assertThat(stats.medianInterval()).containsExactly(1, 9);
    }

    private String[] rows() {
        return printed.toString(StandardCharsets.UTF_8).lines().skip(2).toArray(String[]::new);
    }
}
