package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.BusyProcesses;
import dev.throttle.lease.BusyProcesses.Busy;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.redis.RedisFleet;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Limits of a fleet with the scripts that Redis runs, to the nanosecond: whoever loses the store, and however they come
 * back, shares that processes help themselves to never come on top of what the store gives out.
 */
class SimulatedLimitTest {

    private static final int PROCESSES = 8;
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Which argument says how many permits are wanted. */
    private static final int WANTED = 5;

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(new StoreSpec(Duration.ofMillis(1), 0, List.of()), time, 1);
    private final List<SimulatedRedisClient> clients = new ArrayList<>();
    private final BusyProcesses processes = new BusyProcesses(time);
    private final List<Busy> all = new ArrayList<>();

    private void start(Function<Fleet, LeasedLimit> limit) {
        for (int i = 0; i < PROCESSES; i++) {
            SimulatedRedisClient client = new SimulatedRedisClient(store);
            clients.add(client);
            Fleet fleet = RedisFleet.builder("lab", client)
                    .time(time)
                    .executor(task -> time.schedule(1, task))
                    .startTimeout(Duration.ZERO)
                    .build();
            all.add(processes.start(limit.apply(fleet), 20));
        }
    }

    private long mostIn(Duration window) {
        return processes.mostIn(window);
    }

    private void outage(Duration length) {
        clients.forEach(client -> client.cutOff(true));
        time.advance(length);
        for (SimulatedRedisClient client : clients) {
            client.cutOff(false);
            time.advance(Duration.ofMillis(70));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 30})
    void aBucketAfterAnOutage(int seconds) {
        start(fleet -> fleet.tokenBucket(400, SECOND).burst(100).build());
        time.advance(Duration.ofSeconds(5));
        int before = processes.sent();
        assertThat(before).isGreaterThan(5 * 390);
        outage(Duration.ofSeconds(seconds));
        time.advance(Duration.ofSeconds(10));
        assertThat(mostIn(SECOND)).isLessThanOrEqualTo(400 + 100);
        assertThat(processes.sent() - before).isGreaterThan((int) ((seconds - 2 + 9) * 400 * 0.97));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 30})
    void aWindowAfterAnOutage(int seconds) {
        start(fleet -> fleet.slidingWindow(2000, Duration.ofSeconds(10)).build());
        time.advance(Duration.ofSeconds(25));
        outage(Duration.ofSeconds(seconds));
        time.advance(Duration.ofSeconds(25));
        assertThat(mostIn(Duration.ofSeconds(10))).isLessThanOrEqualTo(2000);
    }

    @Test
    void aSmallLimitAfterAnOutage() {
        start(fleet -> fleet.tokenBucket(2, SECOND).burst(1).build());
        time.advance(Duration.ofSeconds(20));
        outage(Duration.ofSeconds(30));
        time.advance(Duration.ofSeconds(20));
        assertThat(processes.sent()).isGreaterThan((int) (0.9 * 2 * 66));
        assertThat(mostIn(SECOND)).isLessThanOrEqualTo(3);
    }

    /** Half of them lose it again and again, for longer than a process waits, and say so when they are back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whereProcessesLoseTheStoreNowAndThen(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        start(fleet -> fleet.tokenBucket(400, SECOND).burst(100).build());
        time.advance(Duration.ofSeconds(5));
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < PROCESSES / 2; i++) {
                clients.get(i).cutOff(random.nextInt(10) > 0);
            }
            time.advance(Duration.ofMillis(300));
        }
        // Until one of them is back nobody knows: then it is their shares, and never more.
        assertThat(mostIn(SECOND)).isLessThanOrEqualTo(400 + 100 + 400 / 2);
    }

    private void rest() {
        all.forEach(Busy::stop);
        time.advance(Duration.ofSeconds(2));
    }

    /** What was spent meanwhile is long over when somebody has something to do again. */
    @Test
    void whoRestsAfterAnOutageIsNotChargedForItLater() {
        start(fleet -> fleet.tokenBucket(400, SECOND).burst(100).build());
        time.advance(Duration.ofSeconds(5));
        clients.forEach(client -> client.cutOff(true));
        time.advance(Duration.ofSeconds(10));
        rest();
        clients.forEach(client -> client.cutOff(false));
        time.advance(Duration.ofMinutes(1));
        int before = processes.sent();
        all.get(0).go(20);
        time.advance(SECOND);
        assertThat(processes.sent() - before).isGreaterThan((int) (0.9 * 400));
        assertThat(mostIn(SECOND)).isLessThanOrEqualTo(400 + 100);
    }

    /** Half of them have nothing to do any more when the store is back; what they spent counts all the same. */
    @Test
    void theOthersDoNotSpendWhatOneSpentWhoRests() {
        start(fleet -> fleet.slidingWindow(2000, Duration.ofSeconds(10)).build());
        time.advance(Duration.ofSeconds(25));
        clients.forEach(client -> client.cutOff(true));
        time.advance(Duration.ofSeconds(9));
        all.subList(0, PROCESSES / 2).forEach(Busy::stop);
        time.advance(SECOND);
        clients.forEach(client -> client.cutOff(false));
        time.advance(Duration.ofSeconds(25));
        assertThat(mostIn(Duration.ofSeconds(10))).isLessThanOrEqualTo(2000);
    }

    /** Redis has counted what it was told, and the answer did not arrive: it is told again. */
    @Test
    void whatIsToldTwiceCountsOnce() {
        start(fleet -> fleet.slidingWindow(2000, Duration.ofSeconds(10)).build());
        time.advance(Duration.ofSeconds(25));
        clients.forEach(client -> client.cutOff(true));
        time.advance(Duration.ofSeconds(9));
        for (SimulatedRedisClient client : clients) {
            client.cutOff(false);
            int[] lost = new int[1];
            client.loses(args -> args.length > WANTED && args[WANTED].equals("0") && lost[0]++ < 5);
        }
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isGreaterThan((int) (0.92 * 2000));
        assertThat(mostIn(Duration.ofSeconds(10))).isLessThanOrEqualTo(2000);
    }

    /** By an hour, which is more than anything is promised ahead of its time. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStoreWhoseClockIsPutBackGoesOn(boolean isWindow) {
        start(fleet -> isWindow
                ? fleet.slidingWindow(400, SECOND).build()
                : fleet.tokenBucket(400, SECOND).burst(100).build());
        time.advance(Duration.ofSeconds(5));
        store.putForward(Duration.ofHours(-1));
        time.advance(Duration.ofSeconds(5));
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.sent() - before).isGreaterThan((int) (0.9 * 4000));
        assertThat(mostIn(SECOND)).isLessThanOrEqualTo(isWindow ? 800 : 2 * 400);
    }
}
