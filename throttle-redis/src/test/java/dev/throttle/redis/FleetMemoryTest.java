package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one process learns the others know, over a real Redis. */
class FleetMemoryTest {

    private static final Signal STAY_AWAY =
            new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of()));

    private final RedisProcess redis = new RedisProcess();
    private final List<Fleet> fleets = new ArrayList<>();

    @AfterEach
    void stop() {
        fleets.forEach(Fleet::close);
        redis.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }

    private ThrottleRegistry process() {
        Fleet fleet = RedisFleet.builder("test", redis.uri())
                .startTimeout(Duration.ofSeconds(20))
                .timeout(Duration.ofSeconds(20)) // no outage is meant where nothing is killed
                .build();
        fleets.add(fleet);
        ThrottleRegistry registry = ThrottleRegistry.builder()
                .name("api")
                .strategy(Strategies.none())
                .retryAfterJitter(0, Duration.ZERO)
                .build();
        fleet.join(registry);
        return registry;
    }

    private static void learn(Throttle throttle, Signal signal) {
        Permit permit = Objects.requireNonNull(throttle.tryAcquire());
        permit.complete(signal);
    }

    private static Duration blocked(Throttle throttle) {
        return throttle.snapshot().blocked();
    }

    @Test
    void aRefusalOfOneStopsAll() {
        Throttle a = process().get("k");
        Throttle b = process().get("k");
        Throttle other = fleetRegistryOfLast().get("other");
        learn(a, STAY_AWAY);
        await().until(() -> !blocked(b).isZero());
        assertThat(blocked(b)).isBetween(Duration.ofMinutes(3), Duration.ofSeconds(302));
        assertThat(b.count(Outcome.RATE_LIMITED)).isZero();
        assertThat(blocked(other)).isZero();
    }

    private ThrottleRegistry fleetRegistryOfLast() {
        return process();
    }

    @Test
    void whoComesLaterBeginsInformed() {
        Throttle a = process().get("k");
        Quota quota = new Quota("hourly", 100L, 42L, Duration.ofMinutes(30), Duration.ofHours(1));
        learn(a, new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        learn(a, STAY_AWAY);
        await().until(() -> redis.command("EXISTS throttle:{test}:known").startsWith(":1"));
        await().until(() -> redis.command("HLEN " + keyOf("k")).startsWith(":3"));
        Throttle late = process().get("k"); // and nothing else
        assertThat(blocked(late)).isBetween(Duration.ofMinutes(3), Duration.ofSeconds(302));
        assertThat(late.snapshot().quotas()).singleElement().satisfies(known -> {
            assertThat(known.policy()).isEqualTo("hourly");
            assertThat(known.remaining()).isEqualTo(42);
            assertThat(known.limit()).isEqualTo(100);
            assertThat(known.reset()).isBetween(Duration.ofMinutes(28), Duration.ofMinutes(30));
            assertThat(known.window()).isEqualTo(Duration.ofHours(1));
        });
    }

    private static String keyOf(String key) {
        FleetKeys keys = new FleetKeys("test", false);
        return keys.of("k", keys.id("api", key));
    }

    @Test
    void whatWasMissedIsReadLater() throws IOException {
        Throttle a = process().get("k");
        Throttle b = process().get("k");
        redis.command("CLIENT KILL TYPE pubsub");
        learn(a, STAY_AWAY);
        await().until(() -> !blocked(b).isZero());
    }

    @Test
    void anEmptyStoreIsFilledAgain() throws Exception {
        Throttle a = process().get("k");
        Throttle b = process().get("k");
        redis.kill();
        redis.start();
        await().until(() -> fleets.stream().allMatch(Fleet::isConnected));
        learn(a, STAY_AWAY);
        await().until(() -> !blocked(b).isZero());
    }

    @Test
    void howManyUseAKeyIsKnown() {
        process().get("k");
        process().get("k");
        process().get("other");
        await().until(() -> fleets.get(0).processes("api", "k") == 2);
        fleets.get(1).close();
        await().until(() -> fleets.get(0).processes("api", "k") == 1);
    }

    @Test
    void whatIsReadIsNotTrusted() {
        Throttle a = process().get("k");
        FleetKeys keys = new FleetKeys("test", false);
        String id = keys.id("api", "k");
        RedisClient client = RedisClient.create(redis.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            String head = "1\nx\n" + id + "\n";
            String channel = keys.of("news");
            for (String junk : List.of(
                    "",
                    "1",
                    "2\nx\n" + id + "\n1\nlimited",
                    head + "abc\nlimited",
                    head + "-5\nlimited",
                    head + "0\nlimited\nx y z",
                    head + "0\nlimited\n1 2 3 =%zz 1 1 =requests ~",
                    head + "0\nlimited\n" + "9".repeat(5000),
                    head + "0\nlimited\n" + "1 2 3 ~ 1 1 =requests ~\n".repeat(100))) {
                connection.sync().publish(channel, junk);
            }
            assertThat(blocked(a)).isZero();
            connection.sync().publish(channel, head + Long.MAX_VALUE + "\nbusy"); // for ages
            await().until(() -> !blocked(a).isZero());
            assertThat(blocked(a)).isLessThanOrEqualTo(Duration.ofHours(24));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void keysAreHashed() throws IOException {
        learn(process().get("secret-token"), STAY_AWAY);
        await().until(() -> redis.command("EXISTS throttle:{test}:known").startsWith(":1"));
        assertThat(redis.command("KEYS *")).doesNotContain("secret");
    }

    @Test
    void allComeBackInSlots() {
        List<Throttle> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(process().get("k"));
        }
        await().until(() -> fleets.stream().allMatch(fleet -> fleet.processes("api", "k") == 4));
        learn(all.get(0), STAY_AWAY);
        await().until(() -> all.stream().noneMatch(throttle -> blocked(throttle).isZero()));
        await().until(() -> {
            List<Long> waits = all.stream()
                    .map(throttle -> blocked(throttle).toMillis())
                    .sorted()
                    .toList();
            return waits.get(3) - waits.get(0) > 1200; // of 2 s, in four slots
        });
    }
}
