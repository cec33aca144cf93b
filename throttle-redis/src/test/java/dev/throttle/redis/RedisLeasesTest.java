package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.Lease;
import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.lease.fleet.StoreClock;
import dev.throttle.lease.fleet.StoreLeases;
import dev.throttle.redis.FakeRedis.Answer;
import dev.throttle.testing.VirtualTime;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Redis is told of what a process spent by itself, whatever goes wrong meanwhile. */
class RedisLeasesTest {

    private static final int LEAST = 4;
    private static final int WANTED = 5;
    private static final int OWN = 7;
    private static final int NAME = 9;
    private static final int AGES = 15;

    private final VirtualTime time = new VirtualTime();
    private final FakeRedis redis = new FakeRedis();
    private final RedisStore store = new RedisStore(
            "test",
            redis.connector(),
            Duration.ofDays(1), // of real time
            time,
            Runnable::run,
            Listeners.NONE);
    private final StoreLeases window = leases(0);
    private final StoreLeases bucket = leases(20);

    private StoreLeases leases(long burst) {
        FleetKeys keys = new FleetKeys("test", false);
        return new StoreLeases(
                store, keys, new StoreClock("Redis"), time, "me", "limit", 100, Duration.ofSeconds(10), burst);
    }

    @BeforeEach
    void connect() {
        redis.answers.add(() -> Answer.of("1"));
        store.connect();
        assertThat(store.probe(MemoryScripts.RECALL, new String[0])).isCompleted();
        redis.sent.clear();
    }

    private static Answer lease() {
        return Answer.of("1", "0", "0", "200000", "2", "0", "1000000", "0");
    }

    private String sent(int field) {
        return redis.sent.get(redis.sent.size() - 1).get(field);
    }

    /** {@return what was told to be spent, before a lease of one permit was given} */
    private String toldWithALease(StoreLeases leases) {
        redis.answers.add(RedisLeasesTest::lease);
        CompletionStage<Lease> lease = leases.lease("k", 1, 1);
        assertThat(lease.toCompletableFuture()).isCompleted();
        return sent(OWN);
    }

    @Test
    void whatWasSpentIsToldWithItsAge() {
        window.spent("k", 3, 2);
        time.advance(Duration.ofSeconds(4));
        assertThat(toldWithALease(window)).isEqualTo("3");
        assertThat(sent(AGES)).isEqualTo("4000000:3");
        assertThat(toldWithALease(window)).isEqualTo("0");
    }

    @Test
    void whatHasLeftTheWindowIsNotTold() {
        window.spent("k", 3, 2);
        time.advance(Duration.ofSeconds(11));
        assertThat(toldWithALease(window)).isEqualTo("0");
    }

    /** Twenty tokens drip in within two seconds. */
    @Test
    void whatABucketHasGotBackIsNotTold() {
        bucket.spent("k", 3, 2);
        time.advance(Duration.ofSeconds(2));
        assertThat(toldWithALease(bucket)).isEqualTo("3");
        bucket.spent("k", 3, 2);
        time.advance(Duration.ofMillis(2001));
        assertThat(toldWithALease(bucket)).isEqualTo("0");
    }

    @Test
    void aConnectionThatThrowsLosesNothing() {
        window.spent("k", 3, 2);
        redis.answers.add(() -> {
            throw new RedisException("Connection is closed");
        });
        assertThat(window.lease("k", 1, 1).toCompletableFuture()).isCompletedExceptionally();
        redis.answers.add(() -> Answer.of("1"));
        assertThat(store.probe(MemoryScripts.RECALL, new String[0])).isCompleted(); // it is back
        assertThat(toldWithALease(window)).isEqualTo("3");
    }

    /** Whoever rests does not ask for permits, and others are to know all the same. */
    @Test
    void whatNoLeaseTellsIsToldByItself() {
        window.spent("k", 3, 2);
        time.advance(Duration.ofSeconds(4));
        redis.answers.add(() -> Answer.failed(new RedisException("busy")));
        window.tellSpent();
        time.advance(Duration.ofSeconds(1));
        redis.answers.add(() -> Answer.of("1"));
        assertThat(store.probe(MemoryScripts.RECALL, new String[0])).isCompleted();
        redis.answers.add(() -> Answer.of("0", "0", "0", "1", "2", "0", "1000000", "0"));
        window.tellSpent();
        assertThat(List.of(sent(LEAST), sent(WANTED), sent(OWN), sent(AGES)))
                .containsExactly("0", "0", "3", "5000000:3");
        int all = redis.sent.size();
        window.tellSpent();
        assertThat(redis.sent).hasSize(all);
    }

    /** Redis may have run the script: it knows by the name whether it has. */
    @Test
    void whatIsToldAgainHasTheSameName() {
        window.spent("k", 3, 2);
        redis.answers.add(() -> Answer.failed(new RedisException("no answer")));
        assertThat(window.lease("k", 1, 1).toCompletableFuture()).isCompletedExceptionally();
        String name = sent(NAME);
        assertThat(window.lease("k", 1, 1).toCompletableFuture()).isCompletedExceptionally(); // not sent
        window.spent("k", 5, 2);
        redis.answers.add(() -> Answer.of("1"));
        assertThat(store.probe(MemoryScripts.RECALL, new String[0])).isCompleted();
        redis.sent.clear();
        redis.answers.add(() -> Answer.of("0", "0", "0", "1", "2", "0", "1000000", "0"));
        assertThat(toldWithALease(window)).isEqualTo("5");
        List<String> again = redis.sent.get(0);
        assertThat(List.of(again.get(WANTED), again.get(OWN), again.get(NAME))).containsExactly("0", "3", name);
        assertThat(sent(NAME)).isNotEqualTo(name);
    }

    @Test
    void ofManyKeysSomeAreToldAtATime() {
        for (int i = 0; i < 150; i++) {
            window.spent("key " + i, 1, 2);
        }
        window.tellSpent();
        assertThat(redis.sent).hasSize(100);
        window.tellSpent();
        assertThat(redis.sent).hasSize(150);
    }
}
