package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.WhenAway;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Four JVMs and a real Redis at a distance that varies by a fifth: {@code mvn -Pfleet -pl throttle-redis -am test}.
 * What it measures it prints.
 */
@Tag("fleet")
class FleetDistanceBarTest {

    private static final int PROCESSES = 4;

    private final RedisProcess redis = new RedisProcess();
    private final List<FleetProcess> processes = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        processes.forEach(FleetProcess::close);
        redis.close();
    }

    private long[] between(long from, long to) {
        return processes.stream()
                .flatMap(process -> process.departures().stream())
                .mapToLong(Long::longValue)
                .filter(at -> at >= from && at < to)
                .sorted()
                .toArray();
    }

    private static double most(long[] sorted, double perSecond) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < sorted.length; i++) {
            double level = i - (sorted[i] - sorted[0]) * perSecond / 1e9;
            least = Math.min(least, level);
            most = Math.max(most, level - least + 1);
        }
        return most;
    }

    private double jain(long from, long to) {
        double sum = 0;
        double squares = 0;
        for (FleetProcess process : processes) {
            double count = process.departures().stream()
                    .filter(at -> at >= from && at < to)
                    .count();
            sum += count;
            squares += count * count;
        }
        return sum * sum / (PROCESSES * squares);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1",
        "25, 1, 1",
        "80, 1, 1",
        "0, 4, 1",
        "5, 4, 1",
        "12, 4, 1",
        "25, 4, 1",
        "80, 4, 1",
        "25, 10, 10",
        "80, 10, 10",
        "0, 200, 50",
        "25, 200, 50",
        "80, 200, 50"
    })
    void isUsedByAll(int roundTripMillis, long permits, long burst) throws Exception {
        try (DelayingProxy proxy = new DelayingProxy(redis.port(), Duration.ofMillis(roundTripMillis), 0.2)) {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(
                        new FleetProcess(folder, i, proxy.uri(), permits, burst, 3, Duration.ZERO, WhenAway.CLOSED));
            }
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> processes.stream()
                            .noneMatch(process -> process.departures().isEmpty()));
            RealTime.pass(Duration.ofSeconds(5));
            long from = System.nanoTime();
            RealTime.pass(Duration.ofSeconds(Integer.getInteger("fleet.seconds", 30)));
            long to = System.nanoTime();
            long[] sent = between(from, to);
            double used = (sent.length - 1) / ((sent[sent.length - 1] - sent[0]) / 1e9) / permits;
            double most = most(between(Long.MIN_VALUE, to), permits);
            double jain = jain(from, to);
            System.out.printf(
                    "%d ms, %d/s, burst %d: used %.3f, most beyond the rate %.2f, Jain %.3f%n",
                    roundTripMillis, permits, burst, used, most, jain);
            assertThat(used).isGreaterThanOrEqualTo(0.97);
            assertThat(most).isLessThanOrEqualTo(burst + Math.max(1, 0.2 * permits));
            assertThat(jain).isGreaterThanOrEqualTo(0.95);
        }
    }
}
