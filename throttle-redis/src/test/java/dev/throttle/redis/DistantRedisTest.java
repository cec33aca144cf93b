package dev.throttle.redis;

import static org.awaitility.Awaitility.await;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real Redis in another zone or region: limits that are slow, or whose window is short, are used all the same. */
class DistantRedisTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisProcess redis = new RedisProcess();
    private DelayingProxy proxy = new DelayingProxy(redis.port(), Duration.ZERO, 0);

    @AfterEach
    void stop() {
        proxy.close();
        redis.close();
    }

    private void atADistance(int roundTripMillis, int permits, Function<Fleet, LeasedLimit> limit) throws Exception {
        proxy.setRoundTrip(Duration.ofMillis(roundTripMillis), 0.2);
        try (Fleet fleet = RedisFleet.builder("far", proxy.uri()).build()) {
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(limit.apply(fleet))
                    .maxWait(Duration.ofHours(1))
                    .build();
            AtomicInteger sent = new AtomicInteger();
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        throttle.acquire().complete(Signal.SUCCESS);
                        sent.incrementAndGet();
                    }
                } catch (Exception e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            try {
                await().atMost(Duration.ofSeconds(30)).until(() -> sent.get() >= permits);
            } finally {
                thread.interrupt();
            }
        }
    }

    @Test
    void fourASecond() throws Exception {
        atADistance(
                25,
                4,
                fleet -> fleet.tokenBucket(4, SECOND)
                        .burst(1)
                        .whenAway(WhenAway.CLOSED)
                        .build());
    }

    @Test
    void aWindowOfASecond() throws Exception {
        atADistance(
                40,
                220,
                fleet -> fleet.slidingWindow(200, SECOND)
                        .whenAway(WhenAway.CLOSED)
                        .build());
    }

    /** Longer than the default timeout, so that each answer would be late. */
    @Test
    void anotherContinent() throws Exception {
        atADistance(
                160,
                4,
                fleet -> fleet.tokenBucket(4, SECOND)
                        .burst(1)
                        .whenAway(WhenAway.CLOSED)
                        .build());
    }
}
