package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.Lease;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.lease.fleet.StoreClock;
import dev.throttle.lease.fleet.StoreLeases;
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
            Listeners.NONE);

    @AfterEach
    void stop() {
        store.close();
        redis.close();
    }

    private StoreLeases bucket(String client, int permits, int burst) {
        return new StoreLeases(
                store,
                keys,
                new StoreClock("Redis"),
                TimeSource.system(),
                client,
                "api",
                permits,
                Duration.ofSeconds(1),
                burst);
    }

    @BeforeEach
    void start() {
        store.connect();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            store.probe(MemoryScripts.RECALL, new String[] {keys.of("known")}, "1");
            return store.watch().isUp();
        });
        // A script that Redis does not know yet is sent twice, and so overtaken by the next question.
        String[] others = {keys.of("other"), keys.of("others")};
        store.probe(BucketScripts.GIVE, others, "0", "0", "1", "0", "1", "1", "1")
                .join();
    }

    private static Lease lease(StoreLeases leases, int wanted) {
        return leases.lease("k", 1, wanted).toCompletableFuture().join();
    }

    /** {@return when it is due by the clock of Redis, in microseconds} */
    private static long dueMicros(Lease lease) {
        return Long.parseLong(lease.receipt().split(":")[0]) + lease.first().toNanos() / 1000;
    }

    @Test
    void aBucketOfOneTokenGivesNoSecondPermitForOneThatCameBack() {
        StoreLeases leases = bucket("me", 5, 1);
        Lease first = lease(leases, 1);
        Lease second = lease(leases, 1);
        leases.giveBack("k", first);
        Lease third = lease(bucket("another", 5, 1), 1);
        assertThat(List.of(first.permits(), second.permits(), third.permits())).containsOnly(1L);
        assertThat(dueMicros(third) - dueMicros(second)).isGreaterThan(150_000);
    }

    /** A process that rests gives back what it has, and may need it right afterwards. */
    @Test
    void whatComesBackIsThereForThoseWhoHaveSeenItTaken() {
        StoreLeases leases = bucket("me", 5, 100);
        StoreLeases others = bucket("another", 5, 100);
        Lease all = lease(leases, 90);
        assertThat(lease(others, 5).permits()).isEqualTo(5);
        leases.giveBack("k", all.last(50));
        assertThat(lease(others, 30).permits()).isEqualTo(30);
        assertThat(lease(leases, 20).permits()).isEqualTo(20);
    }

    /** Nobody may use them any more, but they are not spent either. */
    @Test
    void whatHasExpiredUnspentComesBackToo() throws InterruptedException {
        StoreLeases leases = bucket("me", 5, 100);
        Lease all = lease(leases, 90);
        RealTime.pass(Duration.ofMillis(300));
        leases.giveBack("k", all);
        assertThat(lease(leases, 90).permits()).isEqualTo(90);
    }

    /** Had it never been taken, the bucket would have run over. */
    @Test
    void whatHasDrippedInMeanwhileDoesNotComeBackAsWell() throws InterruptedException {
        StoreLeases leases = bucket("me", 1000, 1000);
        Lease first = lease(leases, 1000);
        RealTime.pass(Duration.ofMillis(500));
        Lease second = lease(bucket("another", 1000, 1000), 1000);
        leases.giveBack("k", first);
        Lease third = lease(bucket("a third", 1000, 1000), 1000);
        long dripped = (dueMicros(third) - dueMicros(second)) / 1000 + 1;
        assertThat(second.permits() + third.permits()).isLessThanOrEqualTo(1000 + dripped);
    }

    /** What a process asked for in advance is not in the way of the next call. */
    @Test
    void aBucketOfOneTokenTakesBackWhatItPromisedLast() throws InterruptedException {
        StoreLeases leases = bucket("me", 2, 1);
        lease(leases, 1);
        leases.giveBack("k", lease(leases, 1)); // due in half a second
        RealTime.pass(Duration.ofMillis(600));
        Lease next = lease(leases, 1);
        assertThat(next.permits()).isEqualTo(1);
        assertThat(next.first()).isLessThan(Duration.ofMillis(100));
    }
}
