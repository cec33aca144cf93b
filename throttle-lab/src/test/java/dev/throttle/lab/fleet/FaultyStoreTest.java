package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.BusyProcesses;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.redis.RedisFleet;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Redis whose clock is set, that starts empty, and that evicts what limits rest on; with the scripts that it runs.
 */
class FaultyStoreTest {

    private static final int PROCESSES = 4;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(new StoreSpec(Duration.ofMillis(1), 0, List.of()), time, 1);
    private final BusyProcesses processes = new BusyProcesses(time);
    private final List<Fleet> fleets = new ArrayList<>();

    private void start(Function<Fleet, LeasedLimit> limit) {
        for (int i = 0; i < PROCESSES; i++) {
            Fleet fleet = RedisFleet.builder("lab", new SimulatedRedisClient(store))
                    .time(time)
                    .executor(task -> time.schedule(1, task))
                    .startTimeout(Duration.ZERO)
                    .build();
            fleets.add(fleet);
            processes.start(limit.apply(fleet), 3);
        }
        time.advance(Duration.ofSeconds(8));
    }

    private int sentIn(Duration length) {
        int before = processes.sent();
        time.advance(length);
        return processes.sent() - before;
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, -30, -45, -90, -3600})
    void aBucketGoesOnWhenTheClockIsPutBack(int seconds) {
        start(fleet -> fleet.tokenBucket(10, SECOND).burst(10).build());
        store.putForward(Duration.ofSeconds(seconds));
        assertThat(sentIn(Duration.ofSeconds(3))).isGreaterThanOrEqualTo(27);
        assertThat(sentIn(Duration.ofSeconds(10))).isGreaterThanOrEqualTo(97);
        assertThat(processes.mostBeyond(10)).isLessThanOrEqualTo(10 + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, -30, -45, -90, -3600})
    void aSlowBucketGoesOnWhenTheClockIsPutBack(int seconds) {
        start(fleet -> fleet.tokenBucket(1, SECOND).burst(1).build());
        store.putForward(Duration.ofSeconds(seconds));
        assertThat(sentIn(Duration.ofSeconds(10))).isGreaterThanOrEqualTo(9);
        assertThat(processes.mostBeyond(1)).isLessThanOrEqualTo(1.1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, -30, -45, -90, -3600})
    void aWindowGoesOnWhenTheClockIsPutBack(int seconds) {
        start(fleet -> fleet.slidingWindow(30, Duration.ofSeconds(3)).build());
        store.putForward(Duration.ofSeconds(seconds));
        assertThat(sentIn(Duration.ofSeconds(6))).isGreaterThanOrEqualTo(50);
        assertThat(processes.mostIn(Duration.ofSeconds(3))).isLessThanOrEqualTo(30);
    }

    /** Again and again, and at once: processes hold permits that the new store knows nothing of. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "10, 10", "200, 50"})
    void aStoreThatStartsEmptyGrantsNothingTwice(int permits, int burst) {
        start(fleet -> fleet.tokenBucket(permits, SECOND).burst(burst).build());
        SplittableRandom random = new SplittableRandom(permits);
        int sent = 0;
        for (int round = 0; round < 5; round++) {
            store.lose(key -> true);
            sent += sentIn(Duration.ofMillis(8000 + random.nextInt(1000)));
        }
        assertThat(processes.mostBeyond(permits)).isLessThanOrEqualTo(burst + 1.0);
        assertThat(sent).isGreaterThan((int) (0.8 * 5 * 8 * permits));
        assertThat(fleets.stream().mapToLong(Fleet::losses).sum()).isGreaterThan(0);
    }

    /**
     * Each key by itself, as a cache does that is full. Each time, each process may hold a lease that nobody knows of.
     */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "10, 10, 2", "10, 10, 3", "200, 50, 4"})
    void evictionDoesNotLiftALimit(int permits, int burst, long seed) {
        start(fleet -> fleet.tokenBucket(permits, SECOND).burst(burst).build());
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 75; i++) {
            store.lose(key -> random.nextInt(3) == 0);
            time.advance(Duration.ofMillis(200));
        }
        assertThat(processes.mostBeyond(permits))
                .isLessThanOrEqualTo(burst + PROCESSES * Math.max(1, 0.1 * permits / PROCESSES));
        time.advance(Duration.ofSeconds(PROCESSES * 2));
        assertThat(sentIn(Duration.ofSeconds(10))).isGreaterThan((int) (0.9 * 10 * permits));
    }
}
