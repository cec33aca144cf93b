package dev.throttle.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Virtual time that is moved, or read, by some threads while another schedules or parks. */
class MovingTimeTest {

    private final VirtualTime time = new VirtualTime();

    private static Thread started(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Test
    void noTaskIsPassedOverByTheTimeThatMovesMeanwhile() throws InterruptedException {
        int tasks = 300_000;
        long[] due = new long[tasks];
        long[] ran = new long[tasks];
        Thread scheduling = started(() -> {
            for (int i = 0; i < tasks; i++) {
                int task = i;
                long before = time.nanoTime();
                time.schedule(1, () -> ran[task] = time.nanoTime());
                due[i] = time.nanoTime() == before ? before + 1 : 0; // not known if the time has moved
            }
        });
        while (scheduling.isAlive()) {
            time.advanceNanos(2);
        }
        scheduling.join();
        time.advanceNanos(2);
        int known = 0;
        for (int i = 0; i < tasks; i++) {
            if (due[i] != 0) {
                known++;
                assertThat(ran[i]).isEqualTo(due[i]);
            }
        }
        assertThat(known).isPositive();
    }

    @Test
    void aThreadParksNoLongerThanUntilItsInstant() {
        int rounds = 3_000;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        long start = time.nanoTime();
        started(() -> {
            for (int round = 1; round <= rounds; round++) {
                while (asked.get() < round) {
                    Thread.yield();
                }
                while (time.nanoTime() - start < round) {
                    time.parkUntil(this, start + round);
                }
                done.set(round);
            }
        });
        for (int round = 1; round <= rounds; round++) {
            asked.set(round);
            time.advanceNanos(1);
            awaitRound(round, done);
        }
    }

    private static void awaitRound(int round, AtomicInteger done) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (done.get() < round) {
            assertThat(System.nanoTime() - end).as("round " + round).isNegative();
            Thread.yield();
        }
    }

    @Test
    void aWakeUpIsNotLostWhileOthersUseTheTime() {
        int rounds = 3_000;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread parking = started(() -> {
            for (int round = 1; round <= rounds; round++) {
                while (asked.get() < round) {
                    time.parkUntil(this, time.nanoTime() + Long.MAX_VALUE);
                }
                done.set(round);
            }
        });
        for (int i = 0; i < 2; i++) {
            started(() -> {
                while (!over.get()) {
                    time.scheduledTasks();
                }
            });
        }
        try {
            for (int round = 1; round <= rounds; round++) {
                asked.set(round);
                LockSupport.unpark(parking);
                awaitRound(round, done);
            }
        } finally {
            over.set(true);
        }
    }
}
