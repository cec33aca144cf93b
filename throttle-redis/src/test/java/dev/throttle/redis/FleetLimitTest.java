package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Recorder;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits that several fleets of one JVM keep together by a real Redis. */
class FleetLimitTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final RedisProcess redis = new RedisProcess();
    /** How long an answer of Redis may take: where no outage is meant, as long as it likes. */
    private Duration patience = Duration.ofSeconds(20);

    private final Recorder recorder = new Recorder();
    private final List<Busy> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(Busy::stop);
        redis.close();
    }

    /** A process, as far as Redis can tell, that always has something to do. */
    private final class Busy {

        final Fleet fleet = RedisFleet.builder("test", redis.uri())
                .startTimeout(SECOND)
                .timeout(patience)
                .build();
        final AtomicInteger sent = new AtomicInteger();
        final Throttle throttle;
        final List<Thread> threads = new ArrayList<>();
        volatile boolean stopped;

        Busy(Function<Fleet, LeasedLimit> limit) {
            throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(limit.apply(fleet))
                    .limit(recorder)
                    .maxWait(Duration.ofHours(1))
                    .build();
        }

        void start(int callers) {
            for (int i = 0; i < callers; i++) {
                Thread thread = new Thread(this::run);
                thread.start();
                threads.add(thread);
            }
        }

        private void run() {
            try {
                while (!stopped) {
                    Permit permit = throttle.acquire();
                    sent.incrementAndGet();
                    permit.complete(Signal.SUCCESS);
                }
            } catch (Exception e) {
                Thread.currentThread().interrupt();
            }
        }

        void stop() {
            stopped = true;
            threads.forEach(Thread::interrupt);
            fleet.close();
        }
    }

    private void start(int count, int callers, Function<Fleet, LeasedLimit> limit) {
        for (int i = 0; i < count; i++) {
            processes.add(new Busy(limit));
        }
        processes.forEach(busy -> busy.start(callers));
    }

    private void awaitFromEach(int sent) {
        await().atMost(PATIENCE).until(() -> processes.stream().allMatch(busy -> busy.sent.get() >= sent));
    }

    private void awaitMore() {
        processes.forEach(busy -> busy.sent.set(0));
        awaitFromEach(20);
    }

    private void awaitConnected(boolean connected) {
        await().atMost(PATIENCE)
                .until(() -> processes.stream().allMatch(busy -> busy.fleet.isConnected() == connected));
    }

    @Test
    void aBucketIsNeverExceeded() {
        start(
                4,
                4,
                fleet -> fleet.tokenBucket(200, SECOND)
                        .burst(60)
                        .whenAway(WhenAway.CLOSED)
                        .build());
        awaitFromEach(100);
        assertThat(recorder.mostIn(SECOND)).isLessThanOrEqualTo(260);
    }

    @Test
    void aWindowIsNeverExceeded() {
        start(
                4,
                4,
                fleet -> fleet.slidingWindow(200, SECOND)
                        .whenAway(WhenAway.CLOSED)
                        .build());
        awaitFromEach(100);
        assertThat(recorder.mostIn(SECOND)).isLessThanOrEqualTo(200);
    }

    @Test
    void aSmallLimitIsSharedByTurns() {
        start(
                8,
                2,
                fleet -> fleet.tokenBucket(8, SECOND)
                        .burst(1)
                        .whenAway(WhenAway.CLOSED)
                        .build());
        awaitFromEach(2);
        assertThat(recorder.mostIn(SECOND)).isLessThanOrEqualTo(8 + 1 + 2); // two are good for 200 ms longer
    }

    /** On a busy machine Redis is not near: then permits are valid for longer, up to one more in a second. */
    @Test
    void aLimitOfFewIsKeptUpToOneLease() {
        start(
                3,
                2,
                fleet -> fleet.tokenBucket(4, SECOND)
                        .burst(1)
                        .whenAway(WhenAway.CLOSED)
                        .build());
        awaitFromEach(3);
        assertThat(recorder.mostIn(SECOND)).isLessThanOrEqualTo(4 + 1);
    }

    @Test
    void withoutRedisItGoesOnAndComesBack() throws IOException {
        patience = Duration.ofMillis(150);
        start(2, 4, fleet -> fleet.tokenBucket(200, SECOND).burst(100).build());
        awaitFromEach(20);
        redis.kill();
        awaitConnected(false);
        awaitMore();
        redis.start();
        awaitConnected(true);
        awaitMore();
        redis.command("SCRIPT FLUSH");
        awaitMore();
        redis.signal("STOP");
        awaitConnected(false);
        awaitMore();
        redis.signal("CONT");
        awaitConnected(true);
        awaitMore();
        // No more than if one of them went by its share while the other had the whole limit.
        assertThat(recorder.mostIn(SECOND)).isLessThanOrEqualTo(200 + 100 + 100 + 20);
    }

    @Test
    void closedMeansClosed() {
        redis.kill();
        start(
                1,
                1,
                fleet ->
                        fleet.tokenBucket(200, SECOND).whenAway(WhenAway.CLOSED).build());
        assertThat(processes.get(0).fleet.isConnected()).isFalse();
        assertThat(processes.get(0).sent.get()).isZero();
        redis.start();
        awaitFromEach(1);
    }

    @Test
    void whatWasGivenBackIsGivenOut() {
        try (Fleet fleet = RedisFleet.builder("test", redis.uri())
                .startTimeout(Duration.ofSeconds(20))
                .build()) {
            assertThat(fleet.isConnected()).isTrue();
            start(
                    1,
                    1,
                    other -> other.tokenBucket(10, Duration.ofHours(1))
                            .whenAway(WhenAway.CLOSED)
                            .build());
            awaitFromEach(9); // of ten, less what drips in while a lease is good
        }
    }
}
