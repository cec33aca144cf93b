package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Recorder;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How soon a fleet is back after its store, where nobody goes without: {@code mvn -Pfleet -pl throttle-redis -am test}.
 * What it measures it prints.
 */
@Tag("fleet")
class FleetBackBarTest {

    private static final int PROCESSES = 4;
    private static final int CALLERS = 3;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisProcess redis = new RedisProcess();
    private final Recorder all = new Recorder();
    private final List<Recorder> recorders = new ArrayList<>();
    private final List<Fleet> fleets = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean stopped;

    @AfterEach
    void stop() {
        fleets.forEach(Fleet::close);
        redis.close();
    }

    private void start() {
        for (int i = 0; i < PROCESSES; i++) {
            Fleet fleet = RedisFleet.builder("back", redis.uri())
                    .startTimeout(Duration.ofSeconds(20))
                    .build();
            Recorder recorder = new Recorder();
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(fleet.tokenBucket(200, SECOND)
                            .burst(60)
                            .whenAway(WhenAway.CLOSED)
                            .build())
                    .limit(recorder)
                    .limit(all)
                    .maxWait(Duration.ofHours(1))
                    .build();
            fleets.add(fleet);
            recorders.add(recorder);
            for (int caller = 0; caller < CALLERS; caller++) {
                threads.add(new Thread(() -> send(throttle)));
            }
        }
        threads.forEach(Thread::start);
    }

    private void send(Throttle throttle) {
        try {
            while (!stopped) {
                throttle.acquire().complete(Signal.SUCCESS);
            }
        } catch (Exception e) {
            failures.incrementAndGet();
        }
    }

    /** {@return when the last process was served again} */
    private long lastToBeServed(long since) {
        return recorders.stream()
                .mapToLong(recorder -> await().atMost(Duration.ofSeconds(30))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> firstAfter(since, recorder), OptionalLong::isPresent)
                        .getAsLong())
                .max()
                .orElseThrow();
    }

    private static OptionalLong firstAfter(long since, Recorder recorder) {
        return recorder.departures.stream()
                .mapToLong(Long::longValue)
                .filter(at -> at > since)
                .min();
    }

    private void measure(String what, long since) throws InterruptedException {
        double seconds = (lastToBeServed(since) - since) / 1e9;
        System.out.printf("%s: all are served again after %.2f s%n", what, seconds);
        assertThat(seconds).as(what).isLessThanOrEqualTo(2);
        RealTime.pass(Duration.ofSeconds(3));
    }

    /** Who uses one of a hundred permits goes by its share while Redis is stopped, and hardly waits before it does. */
    @Test
    void nobodyWaitsLongForASilentRedis() throws Exception {
        try (Fleet fleet = RedisFleet.builder("silent", redis.uri())
                .startTimeout(Duration.ofSeconds(20))
                .build()) {
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(fleet.tokenBucket(1000, SECOND).build())
                    .build();
            for (String signal : List.of("CONT", "STOP", "CONT", "STOP", "CONT")) {
                redis.signal(signal);
                List<Long> waits = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    long from = System.nanoTime();
                    throttle.acquire().complete(Signal.SUCCESS);
                    waits.add((System.nanoTime() - from) / 1000);
                    RealTime.pass(Duration.ofMillis(100));
                }
                waits.sort(null);
                double longest = waits.get(49) / 1e3;
                System.out.printf(
                        "Redis %s, 10 of 1000 a second: median %.2f ms, longest wait %.1f ms%n",
                        signal, waits.get(25) / 1e3, longest);
                assertThat(longest).isLessThan(500);
            }
        }
    }

    @Test
    void withinTwoSecondsOfTheStore() throws Exception {
        start();
        Duration stop = Duration.ofSeconds(Integer.getInteger("fleet.stop", 30));
        RealTime.pass(Duration.ofSeconds(3));
        redis.command("SCRIPT FLUSH");
        measure("script flush", System.nanoTime());
        redis.kill();
        RealTime.pass(stop);
        redis.start();
        measure("kill -9, and a restart with an empty store", System.nanoTime());
        redis.signal("STOP");
        RealTime.pass(stop);
        redis.signal("CONT");
        measure("kill -STOP", System.nanoTime());
        stopped = true;
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).as("a request hangs").isFalse();
        }
        assertThat(failures.get()).isZero();
        long most = all.mostIn(SECOND);
        System.out.printf("200/s, burst 60, with all that: most in a second %d%n", most);
        assertThat(most).isLessThanOrEqualTo(200 + 60 + 40); // the leases of one period
    }
}
