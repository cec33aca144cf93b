package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.Lease;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.lease.fleet.StoreClock;
import dev.throttle.lease.fleet.StoreLeases;
import dev.throttle.time.TimeSource;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What comes back to a window in a real Redis can be leased again. */
class WindowLeasesTest {

    private static final int LIMIT = 40;

    private final FleetKeys keys = new FleetKeys("test", true);
    private final RedisProcess redis = new RedisProcess();
    private final RedisStore store = new RedisStore(
            "test",
            Connector.of(RedisURI.create(redis.uri()), Duration.ofSeconds(20), null),
            Duration.ofSeconds(20), // no outage is meant here
            TimeSource.system(),
            ForkJoinPool.commonPool(),
            Listeners.NONE);
    private final StoreLeases leases = new StoreLeases(
            store, keys, new StoreClock("Redis"), TimeSource.system(), "me", "hourly", LIMIT, Duration.ofHours(1), 0);

    @AfterEach
    void stop() {
        store.close();
        redis.close();
    }

    private Lease lease(int wanted) {
        return leases.lease("k", 1, wanted).toCompletableFuture().join();
    }

    /** {@return how many permits became due, as far as Redis knows} */
    private long counted() throws IOException {
        String entries = redis.command("LRANGE " + keys.of("w", keys.id("hourly", "k")) + " 0 -1");
        return Pattern.compile("\\d+:(\\d+)")
                .matcher(entries)
                .results()
                .mapToLong(entry -> Long.parseLong(entry.group(1)))
                .sum();
    }

    /** Redis keeps what becomes due within some seconds together, by the last of it. */
    @Test
    void whatComesBackAfterAnotherLeaseIsNotLost() {
        store.connect();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            store.probe(MemoryScripts.RECALL, new String[] {keys.of("known")}, "1");
            return store.watch().isUp();
        });
        Lease first = lease(10);
        Lease second = lease(5);
        leases.giveBack("k", first);
        leases.giveBack("k", second.last(3));
        await().atMost(Duration.ofMinutes(1)).until(() -> counted() == 2);
        assertThat(lease(100).permits()).isEqualTo(LIMIT - 2);
        assertThat(lease(100).permits()).isZero();
    }
}
