package dev.throttle.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualTimeTest {

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 15, Long.MIN_VALUE, -15})
    void tasksRunInTheOrderTheyAreDueEachAtItsInstant(long origin) {
        VirtualTime time = new VirtualTime(origin, 0);
        List<String> ran = new ArrayList<>();
        time.schedule(30, () -> ran.add("c" + (time.nanoTime() - origin)));
        time.schedule(10, () -> ran.add("a" + (time.nanoTime() - origin)));
        time.schedule(20, () -> {
            ran.add("b" + (time.nanoTime() - origin));
            time.schedule(5, () -> ran.add("d" + (time.nanoTime() - origin)));
        });
        time.schedule(10, () -> ran.add("e" + (time.nanoTime() - origin)));
        time.advanceNanos(29);
        assertThat(ran).containsExactly("a10", "e10", "b20", "d25");
        assertThat(time.nanoTime() - origin).isEqualTo(29);
        assertThat(time.advanceToNextTask()).isTrue();
        assertThat(ran).endsWith("c30");
        assertThat(time.advanceToNextTask()).isFalse();
    }

    @Test
    void bothClocksMoveTogether() {
        VirtualTime time = new VirtualTime(5, 1_000);
        time.advance(Duration.ofMillis(1_500));
        assertThat(time.currentTimeMillis()).isEqualTo(2_500);
        assertThat(time.nanoTime()).isEqualTo(1_500_000_005L);
    }

    @Test
    void aCancelledTaskIsOffTheTimer() {
        VirtualTime time = new VirtualTime();
        TimeSource.ScheduledTask task = time.schedule(10, () -> {
            throw new AssertionError("ran");
        });
        assertThat(time.scheduledTasks()).isEqualTo(1);
        task.cancel();
        task.cancel();
        assertThat(time.scheduledTasks()).isZero();
        time.advanceNanos(100);
    }

    @Test
    void aWaitWithoutEndIsNeverDue() {
        VirtualTime time = new VirtualTime();
        time.schedule(Long.MAX_VALUE, () -> {
            throw new AssertionError("ran");
        });
        time.advance(Duration.ofDays(36_500));
        assertThat(time.advanceToNextTask()).isFalse();
        assertThat(time.scheduledTasks()).isEqualTo(1);
    }

    @Test
    void aParkedThreadWakesWhenItsTimeHasCome() throws InterruptedException {
        VirtualTime time = new VirtualTime();
        long start = time.nanoTime();
        Thread parked = new Thread(() -> {
            while (time.nanoTime() - start < 1_000) {
                time.parkUntil(this, start + 1_000);
            }
        });
        parked.start();
        while (time.scheduledTasks() == 0) {
            Thread.onSpinWait();
        }
        time.advanceNanos(1_000);
        parked.join();
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void nobodyParksUntilAnInstantThatHasCome() {
        VirtualTime time = new VirtualTime(Long.MAX_VALUE, 0);
        long start = time.nanoTime();
        time.advanceNanos(10);
        time.parkUntil(this, start);
        time.parkUntil(this, start + 10);
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void timeDoesNotRunBackwards() {
        VirtualTime time = new VirtualTime();
        assertThatThrownBy(() -> time.advanceNanos(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("duration must be from zero to PT1281023H53M38.427387903S, but was PT-0.000000001S");
    }

    @Test
    void aTestMayWaitOnItsOwnThreadWhereTimeMovesByItself() throws Exception {
        VirtualTime time = VirtualTime.autoAdvancing();
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(1)
                        .build())
                .maxWait(Duration.ofDays(2))
                .time(time)
                .build();
        long start = time.nanoTime();
        for (int i = 0; i < 25; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
        }
        assertThat(Duration.ofNanos(time.nanoTime() - start)).isEqualTo(Duration.ofHours(24));
    }

    @Test
    void tasksRunOnTheWayOfAThreadThatParks() {
        VirtualTime time = VirtualTime.autoAdvancing();
        long start = time.nanoTime();
        List<Long> ran = new ArrayList<>();
        time.schedule(10, () -> ran.add(time.nanoTime() - start));
        time.schedule(30, () -> ran.add(time.nanoTime() - start));
        while (time.nanoTime() - start < 20) {
            time.parkUntil(this, start + 20);
        }
        assertThat(ran).containsExactly(10L);
        assertThat(time.nanoTime() - start).isEqualTo(20);
    }

    @Test
    void aFutureIsAwaitedByMovingTheTime() {
        VirtualTime time = new VirtualTime();
        CompletableFuture<String> later = new CompletableFuture<>();
        time.schedule(Duration.ofDays(9).toNanos(), () -> later.complete("done"));
        assertThat(time.await(later)).isEqualTo("done");
        CompletableFuture<String> elsewhere = CompletableFuture.supplyAsync(() -> "other thread");
        assertThat(time.await(elsewhere)).isEqualTo("other thread");
    }

    private static Throttle hourly(VirtualTime time) {
        return Throttle.builder()
                .strategy(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(1)
                        .build())
                .maxWait(Duration.ofDays(2))
                .time(time)
                .build();
    }

    @Test
    void aTestMayJoinAnAsynchronousWaitWhereTimeMovesByItself() {
        VirtualTime time = VirtualTime.autoAdvancing();
        Throttle throttle = hourly(time);
        long start = time.nanoTime();
        for (int i = 0; i < 4; i++) {
            throttle.acquireAsync().join().end(Signal.SUCCESS);
        }
        assertThat(Duration.ofNanos(time.nanoTime() - start)).isEqualTo(Duration.ofHours(3));
    }

    /** Such as one that computes something before it waits, however long it takes. */
    @Test
    void timeDoesNotMoveWhileAThreadThatUsesItRuns() {
        VirtualTime time = VirtualTime.autoAdvancing();
        long start = time.nanoTime();
        CompletableFuture<Long> later = new CompletableFuture<>();
        time.schedule(5, () -> later.complete(time.nanoTime() - start));
        long end = System.nanoTime() + Duration.ofMillis(200).toNanos();
        while (System.nanoTime() - end < 0) {
            for (int i = 0; i < 1_000_000; i++) { // a call of System.nanoTime is one of a native method
                assertUnmoved(time, start);
            }
        }
        assertThat(later.join()).isEqualTo(5);
    }

    private static void assertUnmoved(VirtualTime time, long start) {
        if (time.nanoTime() != start) {
            throw new AssertionError("the time has moved");
        }
    }

    @Test
    void aTaskThatFailsDoesNotKeepTheTimeFromMoving() {
        VirtualTime time = VirtualTime.autoAdvancing();
        CompletableFuture<String> later = new CompletableFuture<>();
        time.schedule(1, () -> {
            throw new IllegalStateException("a task of a test");
        });
        time.schedule(2, () -> later.complete("done"));
        assertThat(later.join()).isEqualTo("done");
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void howLongNothingHasToHappenCanBeChosen() throws Exception {
        VirtualTime time = VirtualTime.autoAdvancing(Duration.ofMillis(400));
        CompletableFuture<Void> done = new CompletableFuture<>();
        long began = System.nanoTime();
        time.schedule(Duration.ofHours(1).toNanos(), () -> done.complete(null));
        done.get(30, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(200));
        assertThatThrownBy(() -> VirtualTime.autoAdvancing(Duration.ZERO)).hasMessageContaining("quiet must be");
    }
}
