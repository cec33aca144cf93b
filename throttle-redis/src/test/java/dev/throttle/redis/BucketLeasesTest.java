package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.Lease;
import dev.throttle.time.TimeSource;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What comes back to a bucket in a real Redis can be leased again, but never sooner than the limit allows. */
class BucketLeasesTest {

    private final FleetKeys keys = new FleetKeys("test", true);
    private final RedisProcess redis = new RedisProcess();
    private final RedisStore store = new RedisStore(
            "test",
            Connector.of(RedisURI.create(redis.uri()), Duration.ofSeconds(20), null),
            Duration.ofSeconds(20), // no outage is meant here
            TimeSource.system(),
            ForkJoinPool.commonPool(),
            made -> {});

    @AfterEach
    void stop() {
        store.close();
        redis.close();
    }

    /** {@return five a second} */
    private RedisLeases bucket(String client, int burst) {
        return new RedisLeases(
                store, keys, new ServerClock(), TimeSource.system(), client, "api", 5, Duration.ofSeconds(1), burst);
    }

    @BeforeEach
    void start() {
        store.connect();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            store.probe(MemoryScripts.RECALL, new String[] {keys.of("known")}, "1");
            return store.isUp();
        });
        // A script that Redis does not know yet is sent twice, and so overtaken by the next question.
        String[] others = {keys.of("other"), keys.of("others")};
        store.run(LimitScripts.GIVE_TO_BUCKET, others, "0", "0", "1", "1", "1", "1", "1")
                .join();
    }

    private static Lease lease(RedisLeases leases, int wanted) {
        return leases.lease("k", 1, wanted).toCompletableFuture().join();
    }

    /** {@return when it is due by the clock of Redis, in microseconds} */
    private static long dueMicros(Lease lease) {
        return Long.parseLong(lease.receipt()) + lease.first().toNanos() / 1000;
    }

    @Test
    void aBucketOfOneTokenGivesNoSecondPermitForOneThatCameBack() {
        RedisLeases leases = bucket("me", 1);
        Lease first = lease(leases, 1);
        Lease second = lease(leases, 1);
        leases.giveBack("k", first);
        Lease third = lease(bucket("another", 1), 1);
        assertThat(List.of(first.permits(), second.permits(), third.permits())).containsOnly(1L);
        assertThat(dueMicros(third) - dueMicros(second)).isGreaterThan(150_000);
    }
}
