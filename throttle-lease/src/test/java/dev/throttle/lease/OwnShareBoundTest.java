package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares that processes help themselves to never come on top of what the store gives out. */
class OwnShareBoundTest {

    private static final int PROCESSES = 8;
    private static final long RATE = 1000;
    private static final long BURST = 300;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(time, RATE, BURST, Duration.ofMillis(1));
    private final BusyProcesses processes = new BusyProcesses(time);

    private void start() {
        for (int i = 0; i < PROCESSES; i++) {
            LeasedLimit limit = LeasedLimit.builder(store.of(i), RATE, SECOND)
                    .burst(BURST)
                    .time(time)
                    .executor(task -> time.schedule(0, task))
                    .build();
            processes.start(limit, 40);
        }
    }

    /** All lose it at once and come back one after the other, with the state that it had or without. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAnOutageOfAll(boolean isEmpty) {
        start();
        time.advance(Duration.ofSeconds(5));
        for (int i = 0; i < PROCESSES; i++) {
            store.cutOff(i, true);
        }
        time.advance(Duration.ofSeconds(10));
        if (isEmpty) {
            store.forget();
        }
        for (int i = 0; i < PROCESSES; i++) {
            store.cutOff(i, false);
            time.advance(Duration.ofMillis(100));
        }
        int before = processes.sent();
        time.advance(Duration.ofSeconds(10));
        assertThat(processes.mostIn(SECOND)).isLessThanOrEqualTo(RATE + BURST);
        assertThat(processes.sent() - before).isGreaterThan((int) (9.5 * RATE));
    }

    /** Each loses it now and then, for longer than a process waits, and says so when it is back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whereProcessesLoseItNowAndThen(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        start();
        time.advance(Duration.ofSeconds(5));
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < PROCESSES / 2; i++) {
                store.cutOff(i, random.nextInt(10) > 0);
            }
            time.advance(Duration.ofMillis(300));
        }
        // Nobody knows of a process that is cut off for good; but never more than the shares of those who were.
        assertThat(processes.mostIn(SECOND)).isLessThanOrEqualTo(RATE + BURST + RATE / 2);
    }

    /** Its own way to the store is broken again and again: the share that it takes meanwhile counts. */
    @Test
    void whoLosesTheStoreForMomentsStaysWithinTheBound() {
        start();
        time.advance(Duration.ofSeconds(5));
        for (int round = 0; round < 20; round++) {
            store.cutOff(0, true);
            time.advance(Duration.ofMillis(1900));
            store.cutOff(0, false);
            time.advance(Duration.ofMillis(200));
        }
        assertThat(processes.mostIn(SECOND)).isLessThanOrEqualTo(RATE + BURST);
    }

    /** What is left of a share when the store is back is not spent beside what the store gives. */
    @Test
    void aLeaseTakesThePlaceOfTheShare() {
        PermitStock stock = new PermitStock();
        stock.add(PermitRun.own(5, time.nanoTime(), 0, SECOND.toNanos()));
        stock.take(2, time.nanoTime());
        assertThat(stock.takeUntold()).isEqualTo(2);
        stock.dropOwn();
        assertThat(stock.size(time.nanoTime())).isZero();
        assertThat(stock.takeUntold()).isZero();
    }
}
