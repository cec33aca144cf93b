package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.redis.RedisFleet;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Limits of a fleet whose Redis is in another zone or region, with the scripts that Redis runs. Each way takes up to a
 * fifth more or less than usual.
 */
@Tag("slow")
class DistantStoreTest {

    private static final int PROCESSES = 4;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final double JITTER = 0.2;

    private final VirtualTime time = new VirtualTime();
    private final List<List<Long>> sent = new ArrayList<>();

    /** A limit, how long it is watched, and what it may grant in any time. */
    private enum Kind {
        ONE_A_SECOND(1, SECOND, 1, 40),
        FOUR_A_SECOND(4, SECOND, 1, 20),
        TEN_A_SECOND(10, SECOND, 10, 20),
        TWO_HUNDRED_A_SECOND(200, SECOND, 50, 5),
        TWO_HUNDRED_IN_A_SECOND(200, SECOND, 0, 20),
        A_HUNDRED_IN_A_MINUTE(100, Duration.ofMinutes(1), 0, 300);

        final long permits;
        final Duration period;
        final long burst;
        final int seconds;

        Kind(long permits, Duration period, long burst, int seconds) {
            this.permits = permits;
            this.period = period;
            this.burst = burst;
            this.seconds = seconds;
        }

        LeasedLimit of(Fleet fleet) {
            return burst == 0
                    ? fleet.slidingWindow(permits, period).build()
                    : fleet.tokenBucket(permits, period).burst(burst).build();
        }

        double perNano() {
            return permits / (double) period.toNanos();
        }

        /** {@return which part of the limit is used, in whole windows, which may begin with all of it} */
        double used(List<Long> sorted) {
            int whole = (int) ((sorted.size() - 1) / permits * permits);
            return whole / perNano() / (sorted.get(whole) - sorted.get(0));
        }

        /** {@return what a lease grants} */
        double lease(Duration roundTrip) {
            return Math.max(1, perNano() * Math.max(200e6, 3 * roundTrip.toNanos()));
        }
    }

    private Throttle process(SimulatedRedisClient redis, Kind kind) {
        Fleet fleet = RedisFleet.builder("lab", redis)
                .time(time)
                .executor(task -> time.schedule(1, task))
                .startTimeout(Duration.ZERO)
                .build();
        return Throttle.builder()
                .name("far")
                .strategy(Strategies.none())
                .limit(kind.of(fleet))
                .time(time)
                .executor(task -> time.schedule(0, task))
                .maxWait(Duration.ofDays(1))
                .seed(sent.size())
                .build();
    }

    private SimulatedStore store(Duration roundTrip) {
        SimulatedStore store = new SimulatedStore(new StoreSpec(roundTrip, 0, List.of()), time, 1);
        store.jitter(JITTER);
        return store;
    }

    /** A process that always has three requests to send. */
    private void start(SimulatedRedisClient redis, Kind kind) {
        List<Long> departures = new ArrayList<>();
        Throttle throttle = process(redis, kind);
        sent.add(departures);
        for (int caller = 0; caller < 3; caller++) {
            send(throttle, departures);
        }
    }

    private void send(Throttle throttle, List<Long> departures) {
        throttle.acquireAsync().thenAccept(permit -> {
            departures.add(time.nanoTime());
            permit.complete(Signal.SUCCESS);
            time.schedule(0, () -> send(throttle, departures));
        });
    }

    private List<Long> sentBetween(long from, long to) {
        return sent.stream()
                .flatMap(List::stream)
                .filter(at -> at >= from && at < to)
                .sorted()
                .toList();
    }

    /** {@return the most that was granted beyond the rate in any time} */
    private static double most(List<Long> sorted, double perNano) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < sorted.size(); i++) {
            double level = i - perNano * (sorted.get(i) - sorted.get(0));
            least = Math.min(least, level);
            most = Math.max(most, level - least + 1);
        }
        return most;
    }

    private static long mostIn(Duration window, List<Long> sorted) {
        int most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private static double jain(List<Double> counts) {
        double sum = counts.stream().mapToDouble(each -> each).sum();
        double squares = counts.stream().mapToDouble(each -> each * each).sum();
        return sum * sum / (counts.size() * squares);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "5", "12", "25", "80", "160"})
    void isUsedByAll(int roundTripMillis) {
        Duration roundTrip = Duration.ofMillis(roundTripMillis);
        List<String> failures = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            sent.clear();
            SimulatedStore store = store(roundTrip);
            for (int i = 0; i < PROCESSES; i++) {
                start(new SimulatedRedisClient(store), kind);
            }
            long start = time.nanoTime();
            time.advance(Duration.ofSeconds(5).plus(kind.burst == 0 ? kind.period.multipliedBy(2) : SECOND));
            long from = time.nanoTime();
            time.advance(Duration.ofSeconds(kind.seconds));
            long to = time.nanoTime();
            List<Long> all = sentBetween(start, to);
            double used = kind.used(sentBetween(from, to));
            boolean isExact = roundTripMillis == 0 && kind.burst == 1;
            double bound = isExact ? 1 + 1e-6 : kind.lease(roundTrip) + (kind.burst == 0 ? kind.permits : kind.burst);
            double most = kind.burst == 0 ? mostIn(kind.period, all) : most(all, kind.perNano());
            double jain = jain(sent.stream()
                    .map(each -> (double) each.stream().filter(at -> at >= from).count())
                    .toList());
            String text = String.format(
                    "%d ms, %s: used %.3f, most %.1f of %.1f, Jain %.3f",
                    roundTripMillis, kind, used, most, bound, jain);
            System.out.println(text);
            if (used < 0.97 || most > bound || jain < 0.95) {
                failures.add(text);
            }
        }
        assertThat(failures).isEmpty();
    }

    /** As on a busy machine. Such processes may use permits late, after which others must not use theirs early. */
    @Test
    void aWindowIsKeptWhereTheFirstAnswersAreSlow() {
        SimulatedStore store = store(Duration.ofMillis(1));
        for (int i = 0; i < PROCESSES; i++) {
            SimulatedRedisClient redis = new SimulatedRedisClient(store);
            redis.firstAnswersTake(i % 2 * 8, Duration.ofMillis(70));
            start(redis, Kind.TWO_HUNDRED_IN_A_SECOND);
        }
        time.advance(Duration.ofSeconds(20));
        assertThat(mostIn(SECOND, sentBetween(Long.MIN_VALUE, Long.MAX_VALUE))).isLessThanOrEqualTo(200);
    }

    /** Nobody but the process that calls now and then uses the limit. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 12, 25, 80})
    void whoUsesATenthWaitsNoLongerThanARoundTrip(int roundTripMillis) {
        Duration roundTrip = Duration.ofMillis(roundTripMillis);
        List<String> failures = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            sent.clear();
            SplittableRandom random = new SplittableRandom(kind.ordinal());
            Throttle throttle = process(new SimulatedRedisClient(store(roundTrip)), kind);
            time.advance(Duration.ofSeconds(3));
            List<Long> waits = new ArrayList<>();
            for (int i = 0; i < 320; i++) {
                boolean counts = i >= 20; // then it is known how much is used
                long askedAt = time.nanoTime();
                throttle.acquireAsync().thenAccept(permit -> {
                    if (counts) {
                        waits.add(time.nanoTime() - askedAt);
                    }
                    permit.complete(Signal.SUCCESS);
                });
                time.advance(Duration.ofNanos((long) (10 / kind.perNano() * (0.5 + random.nextDouble()))));
            }
            time.advance(Duration.ofSeconds(30));
            waits.sort(null);
            double most = waits.get(296) / 1e6;
            String text = String.format(
                    "%d ms, %s: median %.1f ms, p99 %.1f ms, most %.1f ms",
                    roundTripMillis, kind, waits.get(150) / 1e6, most, waits.get(waits.size() - 1) / 1e6);
            System.out.println(text);
            if (waits.size() < 300 || most > roundTripMillis * (1 + JITTER) + 1) {
                failures.add(text);
            }
        }
        assertThat(failures).isEmpty();
    }
}
