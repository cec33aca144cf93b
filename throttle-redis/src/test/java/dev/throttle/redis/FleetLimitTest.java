package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits that several fleets of one JVM keep together by a real Redis. */
class FleetLimitTest {

    private final RedisProcess redis = new RedisProcess();
    private final List<Busy> fleet = new ArrayList<>();
    private final Queue<Long> departures = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        fleet.forEach(Busy::stop);
        redis.close();
    }

    /** A process, as far as Redis can tell, that always has something to do. */
    private final class Busy {

        final Fleet fleet = Fleet.builder("test", redis.uri())
                .startTimeout(Duration.ofSeconds(2))
                .build();
        final AtomicInteger sent = new AtomicInteger();
        final Throttle throttle;
        final List<Thread> threads = new ArrayList<>();
        volatile boolean stopped;
        volatile long firstAt;

        Busy(Function<Fleet, LeasedLimit> limit) {
            throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(limit.apply(fleet))
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
                    long now = System.nanoTime();
                    departures.add(now);
                    if (sent.getAndIncrement() == 0) {
                        firstAt = now;
                    }
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

    private void run(int processes, int callers, Function<Fleet, LeasedLimit> limit) {
        for (int i = 0; i < processes; i++) {
            fleet.add(new Busy(limit));
        }
        fleet.forEach(busy -> busy.start(callers));
    }

    private long mostIn(Duration window) {
        List<Long> sorted = departures.stream().sorted().toList();
        int most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private double jain() {
        double sum = fleet.stream().mapToDouble(p -> p.sent.get()).sum();
        double squares = fleet.stream()
                .mapToDouble(p -> (double) p.sent.get() * p.sent.get())
                .sum();
        return sum * sum / (fleet.size() * squares);
    }

    @Test
    void aBucketIsNeverExceeded() throws Exception {
        long before = redis.commands();
        run(4, 4, f -> f.tokenBucket(200, Duration.ofSeconds(1)).burst(60).build());
        Thread.sleep(4000);
        System.out.println("bucket 200/s: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)) + " jain "
                + jain() + " commands/s/process " + (redis.commands() - before) / 16.0);
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(260);
        assertThat(fleet).allSatisfy(busy -> assertThat(busy.sent.get()).isPositive());
    }

    @Test
    void aWindowIsNeverExceeded() throws Exception {
        run(4, 4, f -> f.slidingWindow(200, Duration.ofSeconds(1)).build());
        Thread.sleep(5000);
        System.out.println(
                "window 200/s: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)) + " jain " + jain());
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(200);
        assertThat(fleet).allSatisfy(busy -> assertThat(busy.sent.get()).isPositive());
    }

    @Test
    void aSmallLimitIsSharedByTurns() throws Exception {
        run(8, 2, f -> f.tokenBucket(4, Duration.ofSeconds(1)).burst(1).build());
        Thread.sleep(6000);
        System.out.println(
                "4/s: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)) + " jain " + jain());
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(5);
        assertThat(fleet).allSatisfy(busy -> assertThat(busy.sent.get()).isPositive());
    }

    @Test
    void withoutRedisItGoesOnAndComesBack() throws Exception {
        run(2, 4, f -> f.tokenBucket(200, Duration.ofSeconds(1)).burst(100).build());
        Thread.sleep(2000);
        redis.kill();
        departures.clear();
        Thread.sleep(2000);
        System.out.println("away: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)));
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(300);
        assertThat(departures).hasSizeGreaterThan(100);
        redis.start();
        long startedAt = System.nanoTime();
        while (!fleet.stream().allMatch(busy -> busy.fleet.isConnected())) {
            Thread.sleep(10);
        }
        System.out.println("back after " + (System.nanoTime() - startedAt) / 1_000_000 + " ms");
        departures.clear();
        Thread.sleep(1500);
        System.out.println("back: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)));
        redis.command("SCRIPT FLUSH");
        departures.clear();
        Thread.sleep(1500);
        System.out.println("flushed: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)));
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(300);
        assertThat(departures).hasSizeGreaterThan(100);
        redis.signal("STOP");
        departures.clear();
        Thread.sleep(2000);
        System.out.println("stopped: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)));
        assertThat(departures).hasSizeGreaterThan(100);
        redis.signal("CONT");
        startedAt = System.nanoTime();
        while (!fleet.stream().allMatch(busy -> busy.fleet.isConnected())) {
            Thread.sleep(10);
        }
        System.out.println("back after " + (System.nanoTime() - startedAt) / 1_000_000 + " ms");
        departures.clear();
        Thread.sleep(1500);
        System.out.println("continued: " + departures.size() + " most/s " + mostIn(Duration.ofSeconds(1)));
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(300);
    }

    @Test
    void closedMeansClosed() throws Exception {
        redis.kill();
        Busy busy = new Busy(f -> f.tokenBucket(200, Duration.ofSeconds(1))
                .whenAway(WhenAway.CLOSED)
                .build());
        fleet.add(busy);
        busy.start(1);
        Thread.sleep(300);
        assertThat(departures).isEmpty();
        redis.start();
        while (departures.isEmpty()) {
            Thread.sleep(10);
        }
    }
}
