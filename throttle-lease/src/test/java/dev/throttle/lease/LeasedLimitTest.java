package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** A limit that several processes share, on virtual time, with a store whose answers take a millisecond each way. */
class LeasedLimitTest {

    private static final Duration LATENCY = Duration.ofMillis(1);

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final List<Long> departures = new ArrayList<>();

    /** One process that always has something to do. */
    private final class Process {

        final LeasedLimit limit;
        final Throttle throttle;
        final List<Long> sent = new ArrayList<>();
        boolean stopped;

        Process(LeaseSource source, long permits, Duration period, long burst, WhenAway whenAway) {
            this.limit = LeasedLimit.builder(source, permits, period)
                    .burst(burst)
                    .whenAway(whenAway)
                    .time(time)
                    .executor(task -> time.schedule(0, task))
                    .build();
            this.throttle = Throttle.builder()
                    .strategy(Strategies.none())
                    .limit(limit)
                    .time(time)
                    .executor(task -> time.schedule(0, task))
                    .maxWait(Duration.ofDays(1))
                    .seed(1)
                    .build();
        }

        void keepBusy(int callers) {
            for (int i = 0; i < callers; i++) {
                next();
            }
        }

        private void next() {
            throttle.acquireAsync().thenAccept(this::send);
        }

        private void send(Permit permit) {
            sent.add(millis());
            departures.add(millis());
            permit.complete(Signal.SUCCESS);
            if (!stopped) {
                time.schedule(0, this::next);
            }
        }
    }

    private long millis() {
        return (time.nanoTime() - start) / 1_000_000;
    }

    private List<Process> fleet(SimulatedStore store, int count, long permits, Duration period, long burst) {
        List<Process> fleet = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fleet.add(new Process(store.of(i), permits, period, burst, WhenAway.SHARE));
        }
        return fleet;
    }

    private long mostIn(Duration window) {
        List<Long> sorted = departures.stream().sorted().toList();
        int most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toMillis()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private static double jain(List<Process> fleet) {
        double sum = fleet.stream().mapToDouble(p -> p.sent.size()).sum();
        double squares = fleet.stream()
                .mapToDouble(p -> (double) p.sent.size() * p.sent.size())
                .sum();
        return sum * sum / (fleet.size() * squares);
    }

    @Test
    void eightProcessesUseAllOfALimitAndNoMore() {
        SimulatedStore store = new SimulatedStore(time, 1000, 1000, LATENCY);
        List<Process> fleet = fleet(store, 8, 1000, Duration.ofSeconds(1), 1000);
        fleet.forEach(process -> process.keepBusy(50));
        time.advance(Duration.ofSeconds(20));
        assertThat(departures.size()).isBetween(20_000, 21_000);
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(2000);
        assertThat(jain(fleet)).isGreaterThan(0.98);
        assertThat(store.questions).isLessThan(8 * 20 * 15);
    }

    @Test
    void eightProcessesTakeTurnsAtASmallLimit() {
        SimulatedStore store = new SimulatedStore(time, 2, 1, LATENCY);
        List<Process> fleet = fleet(store, 8, 2, Duration.ofSeconds(1), 1);
        fleet.forEach(process -> process.keepBusy(5));
        time.advance(Duration.ofSeconds(60));
        assertThat(departures.size()).isBetween(117, 121);
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(3);
        assertThat(fleet).allSatisfy(process -> assertThat(process.sent.get(0)).isLessThan(10_000));
        assertThat(jain(fleet)).isGreaterThan(0.98);
    }

    @Test
    void aloneAProcessUsesAllOfIt() {
        SimulatedStore store = new SimulatedStore(time, 100, 10, LATENCY);
        Process alone = fleet(store, 1, 100, Duration.ofSeconds(1), 10).get(0);
        alone.keepBusy(20);
        time.advance(Duration.ofSeconds(20));
        assertThat(departures.size()).isBetween(1980, 2010);
    }

    @Test
    void withPermitsAtHandNobodyWaits() {
        SimulatedStore store = new SimulatedStore(time, 1000, 1000, LATENCY);
        Process process = fleet(store, 1, 1000, Duration.ofSeconds(1), 1000).get(0);
        int waited = 0;
        for (int i = 0; i < 1000; i++) { // 200 a second
            CompletableFuture<Permit> permit = process.throttle.acquireAsync();
            waited += permit.isDone() ? 0 : 1;
            permit.thenAccept(p -> p.complete(Signal.SUCCESS));
            time.advance(Duration.ofMillis(5));
        }
        assertThat(waited).isLessThanOrEqualTo(10);
        assertThat(store.questions).isLessThan(75);
    }

    @Test
    void whatIsNotUsedGoesBack() {
        SimulatedStore store = new SimulatedStore(time, 10, 1, LATENCY);
        Process process = fleet(store, 1, 10, Duration.ofSeconds(1), 1).get(0);
        process.keepBusy(3);
        time.advance(Duration.ofSeconds(2));
        process.stopped = true;
        time.advance(Duration.ofSeconds(2));
        long sent = departures.size();
        int asked = store.questions;
        time.advance(Duration.ofSeconds(5));
        assertThat(departures).hasSize((int) sent);
        assertThat(store.questions).isEqualTo(asked);
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void withoutTheStoreEachKeepsToItsShare() {
        SimulatedStore store = new SimulatedStore(time, 1000, 1000, LATENCY);
        List<Process> fleet = fleet(store, 8, 1000, Duration.ofSeconds(1), 1000);
        fleet.forEach(process -> process.keepBusy(50));
        time.advance(Duration.ofSeconds(5));
        store.away = true;
        departures.clear();
        time.advance(Duration.ofSeconds(10));
        assertThat(departures.size()).isBetween(7_700, 10_200);
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(1200);
        store.away = false;
        departures.clear();
        time.advance(Duration.ofSeconds(10));
        // The shares have used up the burst; while they come back one after the other, a little is lost.
        assertThat(departures.size()).isBetween(9_800, 10_020);
        assertThat(mostIn(Duration.ofSeconds(1))).isLessThanOrEqualTo(1200);
    }

    @Test
    void aClosedLimitLetsNobodyGoWithoutTheStore() {
        SimulatedStore store = new SimulatedStore(time, 10, 5, LATENCY);
        Process process = new Process(store.of(0), 10, Duration.ofSeconds(1), 5, WhenAway.CLOSED);
        store.away = true;
        process.keepBusy(3);
        time.advance(Duration.ofSeconds(10));
        System.gc(); // nothing but the throttle keeps it
        assertThat(departures).isEmpty();
        store.away = false;
        time.advance(Duration.ofSeconds(1));
        assertThat(departures).isNotEmpty();
    }

    @Test
    void aLocalLimitIsTheWholeLimitWithoutTheStore() {
        SimulatedStore store = new SimulatedStore(time, 100, 1, LATENCY);
        store.away = true;
        Process process = new Process(store.of(0), 100, Duration.ofSeconds(1), 1, WhenAway.LOCAL);
        process.keepBusy(3);
        time.advance(Duration.ofSeconds(10));
        assertThat(departures.size()).isBetween(960, 980);
    }

    @Test
    void whoNeverReachedTheStoreKeepsToTheShareOfOneOfTen() {
        SimulatedStore store = new SimulatedStore(time, 100, 1, LATENCY);
        store.away = true;
        fleet(store, 1, 100, Duration.ofSeconds(1), 1).get(0).keepBusy(3);
        time.advance(Duration.ofSeconds(12));
        assertThat(departures.size()).isBetween(115, 118);
    }

    @Test
    void whereNobodyCanBeNudgedWhoWaitsAsksAgain() {
        SimulatedStore store = new SimulatedStore(time, 100, 10, LATENCY);
        RateController alone = (RateController) fleet(store, 1, 100, Duration.ofSeconds(1), 10)
                .get(0)
                .limit
                .newController(ControllerHost.detached(new SplittableRandom(1)));
        long asked = time.nanoTime();
        alone.prefetch(Cost.NONE, Cost.ONE, asked);
        assertThat(alone.dueNanos(Cost.NONE, Cost.ONE, asked)).isEqualTo(asked + 10_000_000);
        time.advance(Duration.ofMillis(20));
        assertThat(alone.dueNanos(Cost.NONE, Cost.ONE, time.nanoTime())).isEqualTo(time.nanoTime());
    }

    @Test
    void permitsOfALimitThatWasThereBeforeDoNotComeBackToIt() {
        SimulatedStore store = new SimulatedStore(time, 10, 5, LATENCY);
        store.away = true;
        LeasedLimit leased = new Process(store.of(0), 10, Duration.ofSeconds(1), 5, WhenAway.CLOSED).limit;
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.none())
                .limit(Strategies.tokenBucket().rate(10, Duration.ofSeconds(1)).build())
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            permits.add(throttle.acquireAsync().join());
        }
        throttle.reconfigure(key -> key.clearLimits().limit(leased));
        permits.forEach(permit -> permit.complete(Signal.IGNORED));
        CompletableFuture<Permit> next = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(1));
        assertThat(next).isNotDone();
    }

    /** A machine with too much to do: who waits is looked at again long after what it waits for was seen. */
    @Test
    void whereTimersAreLateNobodyIsForgotten() {
        SimulatedStore store = new SimulatedStore(time, 100, 10, LATENCY);
        store.away = true;
        TimeSource late = new OtherTime(time) {
            @Override
            public ScheduledTask schedule(long delayNanos, Runnable task) {
                return super.schedule(delayNanos + 1_500_000_000L, task);
            }
        };
        LeasedLimit limit = LeasedLimit.builder(store.of(0), 100, Duration.ofSeconds(1))
                .whenAway(WhenAway.CLOSED)
                .time(late)
                .executor(task -> time.schedule(0, task))
                .build();
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit)
                .time(time)
                .executor(task -> time.schedule(0, task))
                .maxWait(Duration.ofDays(1))
                .build();
        CompletableFuture<Permit> permit = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(20));
        store.away = false;
        time.advance(Duration.ofSeconds(20));
        assertThat(permit).isCompleted();
    }

    @Test
    void whoseAnswersAreLostAsksAgain() {
        SimulatedStore store = new SimulatedStore(time, 100, 10, LATENCY);
        int[] tasks = new int[1];
        LeasedLimit limit = LeasedLimit.builder(store.of(0), 100, Duration.ofSeconds(1))
                .time(time)
                .executor(task -> {
                    if (tasks[0]++ < 20 && tasks[0] % 3 != 1) { // of questions and answers alike
                        throw new RejectedExecutionException("full");
                    }
                    time.schedule(0, task);
                })
                .build();
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit)
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
        CompletableFuture<Permit> permit = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(10));
        assertThat(permit).isCompleted();
    }

    @Test
    void aSourceThatAnswersNothingIsAway() {
        LeaseSource broken = new LeaseSource() {
            @Override
            @SuppressWarnings("NullAway")
            public CompletionStage<Lease> lease(String key, long least, long wanted) {
                return null;
            }

            @Override
            public void giveBack(String key, Lease lease) {}
        };
        Process process = new Process(broken, 100, Duration.ofSeconds(1), 1, WhenAway.LOCAL);
        process.keepBusy(3);
        time.advance(Duration.ofSeconds(10));
        assertThat(departures.size()).isBetween(960, 980);
    }

    @Test
    void oneCallMayTakeManyUnits() {
        SimulatedStore store = new SimulatedStore(time, 100, 50, LATENCY);
        Process process = fleet(store, 1, 100, Duration.ofSeconds(1), 50).get(0);
        for (int i = 0; i < 10; i++) {
            Calls.of(process.throttle)
                    .newCall(CallOptions.DEFAULT.permits(50))
                    .acquireAsync()
                    .thenAccept(process::send);
        }
        process.stopped = true;
        time.advance(Duration.ofSeconds(10));
        assertThat(departures).hasSize(10);
        assertThat(departures.get(9)).isBetween(4400L, 5200L);
    }
}
