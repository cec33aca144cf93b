package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Recorder;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight JVMs and a real Redis, for a minute each: {@code mvn -Pfleet -pl throttle-redis -am test}. Their clocks are
 * wrong by up to five seconds. What it measures it prints.
 */
@Tag("fleet")
class FleetBarTest {

    private static final int PROCESSES = 8;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisProcess redis = new RedisProcess();
    private final List<FleetProcess> processes = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        processes.forEach(FleetProcess::close);
        redis.close();
    }

    private void start(long permits, long burst, int callers, WhenAway whenAway) {
        for (int i = 0; i < PROCESSES; i++) {
            Duration skew = Duration.ofMillis(i * 10_000 / (PROCESSES - 1) - 5000);
            processes.add(new FleetProcess(folder, i, redis.uri(), permits, burst, callers, skew, whenAway));
        }
    }

    private void awaitAll() {
        await().atMost(Duration.ofMinutes(2))
                .until(() -> processes.stream()
                        .noneMatch(process -> process.departures().isEmpty()));
    }

    private long[] between(long from, long to) {
        return processes.stream()
                .flatMap(process -> process.departures().stream())
                .mapToLong(Long::longValue)
                .filter(at -> at >= from && at < to)
                .sorted()
                .toArray();
    }

    private static long mostIn(Duration window, long[] sorted) {
        long most = 0;
        for (int from = 0, to = 0; to < sorted.length; to++) {
            while (sorted[to] - sorted[from] >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private double jain(long from, long to) {
        double[] counts = processes.stream()
                .mapToDouble(process -> process.departures().stream()
                        .filter(at -> at >= from && at < to)
                        .count())
                .toArray();
        double sum =
                IntStream.range(0, counts.length).mapToDouble(i -> counts[i]).sum();
        double squares = IntStream.range(0, counts.length)
                .mapToDouble(i -> counts[i] * counts[i])
                .sum();
        return sum * sum / (counts.length * squares);
    }

    private static int seconds() {
        return Integer.getInteger("fleet.seconds", 60);
    }

    @Test
    void aThousandASecond() throws Exception {
        start(1000, 200, 40, WhenAway.SHARE);
        awaitAll();
        RealTime.pass(Duration.ofSeconds(2));
        long commands = redis.commands();
        long from = System.nanoTime();
        RealTime.pass(Duration.ofSeconds(seconds()));
        long to = System.nanoTime();
        double perProcess = (redis.commands() - commands) / (double) (seconds() * PROCESSES);
        long[] sent = between(from, to);
        double used = sent.length / ((to - from) / 1e9) / 1000;
        System.out.printf(
                "1000/s, burst 200: used %.3f, most in a second %d, Jain %.4f, commands a second and process %.1f%n",
                used, mostIn(SECOND, between(Long.MIN_VALUE, to)), jain(from, to), perProcess);
        assertThat(mostIn(SECOND, between(Long.MIN_VALUE, to))).isLessThanOrEqualTo(1200);
        assertThat(used).isGreaterThanOrEqualTo(0.98);
        assertThat(jain(from, to)).isGreaterThanOrEqualTo(0.98);
        assertThat(perProcess).isLessThanOrEqualTo(15);
    }

    @Test
    void twoASecond() throws Exception {
        start(2, 1, 4, WhenAway.CLOSED); // where the machine is too slow for the store, nobody helps himself
        awaitAll();
        long from = System.nanoTime();
        RealTime.pass(Duration.ofSeconds(seconds()));
        long to = System.nanoTime();
        long[] sent = between(from, to);
        double used = sent.length / ((to - from) / 1e9) / 2;
        long longest = processes.stream()
                .mapToLong(process -> longestGap(process.departures()))
                .max()
                .orElse(0);
        List<Long> all = Arrays.stream(between(Long.MIN_VALUE, to)).boxed().toList();
        long nearer = Recorder.nearer(Duration.ofMillis(500), all);
        System.out.printf(
                "2/s, burst 1: used %.3f, most in a second %d, nearest %.3f ms, Jain %.4f,"
                        + " longest time without one %.2f s%n",
                used, mostIn(SECOND, between(Long.MIN_VALUE, to)), 500 - nearer / 1e6, jain(from, to), longest / 1e9);
        assertThat(nearer).isLessThanOrEqualTo(0);
        assertThat(mostIn(SECOND, between(Long.MIN_VALUE, to))).isLessThanOrEqualTo(2);
        assertThat(used).isGreaterThanOrEqualTo(0.97);
        assertThat(longest).isLessThan(Duration.ofSeconds(10).toNanos());
    }

    private static long longestGap(List<Long> times) {
        long longest = 0;
        for (int i = 1; i < times.size(); i++) {
            longest = Math.max(longest, times.get(i) - times.get(i - 1));
        }
        return longest;
    }

    @Test
    void killsAndStops() throws Exception {
        start(1000, 200, 40, WhenAway.SHARE);
        awaitAll();
        RealTime.pass(Duration.ofSeconds(2));
        processes.get(0).process.destroyForcibly();
        report("a process killed", 3000);
        processes.get(1).signal("STOP");
        report("a process stopped", stopMillis());
        processes.get(1).signal("CONT");
        report("a process continued", 3000);
        redis.command("SCRIPT FLUSH");
        report("script flush", 3000);
        redis.signal("STOP");
        report("redis stopped", stopMillis());
        redis.signal("CONT");
        report("redis continued", 3000);
        redis.kill();
        report("redis killed", stopMillis());
        redis.start();
        report("redis back, empty", 5000);
    }

    /** How long something stands still. */
    private static long stopMillis() {
        return 1000L * Integer.getInteger("fleet.stop", 30);
    }

    private void report(String what, long millis) throws InterruptedException, IOException {
        long from = System.nanoTime();
        RealTime.pass(Duration.ofMillis(millis));
        long to = System.nanoTime();
        long[] sent = between(from, to);
        double used = sent.length / ((to - from) / 1e9) / 1000;
        long most = mostIn(SECOND, between(from - SECOND.toNanos(), to));
        System.out.printf("%s: used %.3f, most in a second %d%n", what, used, most);
        assertThat(most).as(what).isLessThanOrEqualTo(1000 + 200 + 100);
        assertThat(used).as(what).isGreaterThan(0.7);
    }

    /** Eight fleets in this JVM, which all send a hundred a second. */
    @Test
    void aRefusalStopsAllOfThem() throws Exception {
        List<Recorder> recorders = new ArrayList<>();
        List<Fleet> fleets = new ArrayList<>();
        List<Throttle> throttles = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            Fleet fleet = RedisFleet.builder("bar", redis.uri())
                    .startTimeout(Duration.ofSeconds(20))
                    .build();
            Recorder recorder = new Recorder();
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(Strategies.tokenBucket().rate(100, SECOND).burst(1).build())
                    .limit(recorder)
                    .build();
            fleet.join(throttle);
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        throttle.acquire().complete(Signal.SUCCESS);
                    }
                } catch (Exception e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.setDaemon(true);
            threads.add(thread);
            fleets.add(fleet);
            recorders.add(recorder);
            throttles.add(throttle);
        }
        threads.forEach(Thread::start);
        RealTime.pass(Duration.ofSeconds(3));
        List<Double> lags = new ArrayList<>();
        double peak = 0;
        Duration wait = Duration.ofSeconds(3);
        Signal refusal = new Signal(Outcome.RATE_LIMITED, new RateHints(wait, List.of()));
        int late = 0;
        for (int round = 0; round < 20; round++) {
            int refused = round % PROCESSES;
            throttles.get(refused).acquire().complete(refusal);
            long at = System.nanoTime();
            RealTime.pass(wait.plusMillis(1500));
            long opens = at + wait.toNanos();
            long first = 0;
            for (int i = 0; i < PROCESSES; i++) {
                long lag = 0;
                for (long departure : recorders.get(i).departures) {
                    if (i != refused && departure > at && departure < at + wait.toNanos() * 9 / 10) {
                        lag = Math.max(lag, departure - at);
                        late += departure > at + 20_000_000 ? 1 : 0;
                    }
                    first += departure >= opens && departure < opens + SECOND.toNanos() ? 1 : 0;
                }
                if (i != refused) {
                    lags.add(lag / 1e6);
                }
            }
            peak = Math.max(peak, first / 800.0);
        }
        threads.forEach(Thread::interrupt);
        fleets.forEach(Fleet::close);
        lags.sort(null);
        System.out.printf(
                "refusal: last request of another after it, ms: p50 %.1f, p99 %.1f, most %.1f; later than 20 ms: %d;"
                        + " first second after it against the usual: %.2f%n",
                lags.get(lags.size() / 2), lags.get(lags.size() * 99 / 100), lags.get(lags.size() - 1), late, peak);
        assertThat(lags.get(lags.size() * 99 / 100)).isLessThanOrEqualTo(20);
        assertThat(peak).isLessThanOrEqualTo(2);
    }
}
