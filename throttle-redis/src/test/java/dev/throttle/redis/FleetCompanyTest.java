package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Recorder;
import dev.throttle.internal.CallbackPool;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Processes know how many they are and how fast they go, so that who comes need not guess. */
class FleetCompanyTest {

    private static final Signal LITTLE_LEFT =
            new Signal(Outcome.SUCCESS, new RateHints(null, List.of(new Quota(null, null, 3L, null, null))));

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RedisProcess redis = new RedisProcess();
    private final JumpingTime time = new JumpingTime();
    private final List<Fleet> fleets = new ArrayList<>();

    @AfterEach
    void stop() {
        fleets.forEach(Fleet::close);
        redis.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE);
    }

    private ThrottleRegistry process() {
        return process(time);
    }

    private ThrottleRegistry process(JumpingTime its) {
        return join(fleet(its), its);
    }

    private Fleet fleet(JumpingTime its) {
        Fleet fleet = RedisFleet.builder("test", redis.uri())
                .time(its)
                .startTimeout(PATIENCE)
                .timeout(Duration.ofSeconds(20)) // no outage is meant where nothing is killed
                .build();
        fleets.add(fleet);
        return fleet;
    }

    private static ThrottleRegistry join(Fleet fleet, JumpingTime time) {
        ThrottleRegistry registry = ThrottleRegistry.builder()
                .name("api")
                .strategy(Strategies.quotaPacing().jitter(0).build())
                .time(time)
                .build();
        fleet.join(registry);
        return registry;
    }

    private static void answered(Throttle throttle, Signal signal) {
        Objects.requireNonNull(throttle.tryAcquire()).complete(signal);
    }

    private static double interval(Throttle throttle) {
        return 1 / throttle.snapshot().rateLimit();
    }

    private static String key(String kind) {
        FleetKeys keys = new FleetKeys("test", false);
        return keys.of(kind, keys.id("api", "k"));
    }

    private boolean isKnown(String field) throws IOException {
        return redis.command("HEXISTS " + key("k") + " " + field).startsWith(":1");
    }

    @Test
    void whoComesBeginsAtItsPartOfThePaceAndTheOthersMakeRoom() throws IOException {
        Throttle there = process().get("k");
        answered(there, LITTLE_LEFT);
        await().until(() -> redis.command("EXISTS " + key("h")).startsWith(":1")); // it is counted
        time.jump(Duration.ofSeconds(6)); // past its first guesses
        Objects.requireNonNull(there.tryAcquire()); // on the wire: it has something to do for as long as this takes
        double alone = interval(there);
        assertThat(alone).isFinite();
        await().until(() -> isKnown("t") && isKnown("q~,~"));
        Throttle comes =
                process(JumpingTime.standing()).get("k"); // after a slow start it would wait for all the others
        assertThat(interval(comes)).isEqualTo(2 * alone, within(1e-3)); // before its first request
        await().until(() -> Math.abs(interval(there) - 2 * alone) < 1e-3);
        await().until(() -> fleets.get(1).processes("api", "k") == 2);
    }

    @Test
    void ofAKnownWindowNobodyHasToGoAlone() throws IOException {
        Quota quota = new Quota("hourly", 1000L, 900L, Duration.ofMinutes(55), Duration.ofHours(1));
        answered(process().get("k"), new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        await().until(() -> isKnown("q=hourly,~"));
        Throttle comes = process().get("k");
        assertThat(comes.tryAcquire()).isNotNull();
        assertThat(comes.tryAcquire()).isNotNull();
    }

    @Test
    void whoHasNothingToDoDoesNotCount() {
        Throttle busy = process().get("k");
        JumpingTime idle = JumpingTime.standing();
        process(idle).get("k");
        await().until(() -> fleets.get(0).processes("api", "k") == 2);
        answered(busy, LITTLE_LEFT);
        double both = interval(busy);
        time.jump(Duration.ofSeconds(11));
        idle.jump(Duration.ofSeconds(11));
        Objects.requireNonNull(busy.tryAcquire()); // on the wire from now on
        await().until(() -> Math.abs(interval(busy) - both / 2) < 1e-3);
        assertThat(fleets.get(0).processes("api", "k")).isEqualTo(2);
    }

    @Test
    void whoLeftCountsNobody() {
        process().get("k");
        Recorder recorder = new Recorder();
        ThrottleRegistry registry =
                ThrottleRegistry.builder().name("api").strategy(recorder).build();
        Fleet fleet = fleet(time);
        fleet.join(registry);
        registry.get("k");
        await().until(() -> recorder.processes == 2);
        fleet.close();
        assertThat(recorder.processes).isZero();
        assertThat(fleet.processes("api", "k")).isOne();
        assertThat(fleet.processes()).isOne();
        await().until(() -> !fleet.isConnected());
        assertThat(recorder.processes).isZero(); // whatever was on its way
    }

    @Test
    void anExecutorThatRefusesForAWhileHoldsUpNothing() {
        AtomicInteger refusals = new AtomicInteger(4);
        try (Fleet fleet = RedisFleet.builder("test", redis.uri())
                .executor(task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new RejectedExecutionException("no thread");
                    }
                    CallbackPool.shared().execute(task);
                })
                .timeout(Duration.ofSeconds(20))
                .startTimeout(Duration.ZERO)
                .build()) {
            await().until(fleet::isConnected);
            assertThat(refusals).hasNegativeValue();
        }
    }

    @Test
    void withoutTheStoreNobodyIsCountedAfterAWhile() {
        JumpingTime its = JumpingTime.standing(); // however long it takes to see that the store is away
        Throttle throttle = process(its).get("k");
        process().get("k");
        await().until(() -> fleets.get(0).processes("api", "k") == 2);
        redis.kill();
        await().until(() -> !fleets.get(0).isConnected());
        assertThat(fleets.get(0).processes("api", "k")).isEqualTo(2);
        its.jump(Duration.ofSeconds(11));
        await().until(() -> fleets.get(0).processes("api", "k") == 1);
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void twoThrottlesOfAProcessWithOneNameBothHear() {
        Throttle first = process().get("k");
        Throttle second = join(fleets.get(0), time).get("k");
        Throttle other = process().get("k");
        answered(other, new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of())));
        await().until(() -> !first.snapshot().blocked().isZero()
                && !second.snapshot().blocked().isZero());
    }
}
