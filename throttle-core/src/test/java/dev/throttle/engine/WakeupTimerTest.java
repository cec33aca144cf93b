package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The one timer of a queue. */
class WakeupTimerTest {

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Long> fired = new ArrayList<>();
    private final WakeupTimer timer = new WakeupTimer(time, lock, () -> {
        assertThat(lock.isLocked()).isFalse();
        fired.add(time.nanoTime() - start);
    });

    @Test
    void itFiresOnceAtTheEarliestTimeItWasSetTo() {
        timer.set(100, start);
        timer.set(150, start); // it will look sooner anyway
        timer.set(100, start);
        assertThat(time.scheduledTasks()).isEqualTo(1);
        timer.set(70, start);
        assertThat(time.scheduledTasks()).isEqualTo(1);
        time.advanceNanos(200);
        assertThat(fired).containsExactly(70L);
        timer.set(30, start + 200);
        time.advanceNanos(100);
        assertThat(fired).containsExactly(70L, 230L);
    }

    @Test
    void whatTheEngineTookToDecideCounts() {
        time.advanceNanos(40);
        timer.set(100, start);
        time.advanceNanos(59);
        assertThat(fired).isEmpty();
        time.advanceNanos(1);
        assertThat(fired).containsExactly(100L);
    }

    @Test
    void aLaterLookCountsFromThen() {
        timer.set(100, start);
        time.advanceNanos(50);
        timer.set(50, start + 50);
        timer.set(49, start + 50);
        time.advanceNanos(60);
        assertThat(fired).containsExactly(99L);
    }

    @Test
    void whatIsClearedDoesNotFire() {
        timer.set(100, start);
        timer.clear();
        assertThat(time.scheduledTasks()).isZero();
        time.advanceNanos(200);
        assertThat(fired).isEmpty();
    }

    @Test
    void setAgainForTheSameInstantItIsLeftAlone() {
        timer.set(100, start);
        time.schedule(100, () -> fired.add(-1L));
        time.advanceNanos(30);
        timer.set(70, start + 30);
        time.advanceNanos(100);
        assertThat(fired).containsExactly(100L, -1L);
    }
}
