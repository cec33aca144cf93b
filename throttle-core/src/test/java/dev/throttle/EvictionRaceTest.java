package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A caller that comes while its key is being evicted. */
class EvictionRaceTest {

    @Test
    void aCallerThatComesDuringAnEvictionWaitsForTheSuccessor() throws Exception {
        CompletableFuture<ThrottleListener.Source> evicted = new CompletableFuture<>();
        CompletableFuture<Throttle> served = new CompletableFuture<>();
        ThrottleRegistry throttles = ThrottleRegistry.builder().maxKeys(1).build();
        throttles.addListener(new ThrottleListener() {
            @Override
            public void onEvicted(Source throttle) {
                if (evicted.complete(throttle)) {
                    Thread caller = new Thread(
                            () -> served.completeAsync(() -> call(throttles, throttle.key()), Runnable::run));
                    caller.start();
                    try {
                        caller.join(100); // the eviction goes on while the caller asks
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        });
        call(throttles, "a");
        call(throttles, "b");
        call(throttles, "c");
        assertThat(served.get(10, TimeUnit.SECONDS)).isNotSameAs(evicted.join());
        assertThat(evicted.join().isEvicted()).isTrue();
    }

    /** Stops a thread in the middle of dropping what has expired. */
    private static final class HeldUpTime extends OtherTime {

        private final CountDownLatch drops = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile @Nullable Thread heldUp;

        HeldUpTime(TimeSource time) {
            super(time);
        }

        @Override
        public long nanoTime() {
            if (Thread.currentThread().equals(heldUp) && isDropping()) {
                drops.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return super.nanoTime();
        }

        private static boolean isDropping() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("maintenance")));
        }
    }

    /** A pause, a drain or a change that passed by a key would never be heard of there. */
    @Test
    void aKeyWhoseTimeIsUpIsAmongAllWhileItHasSomethingToDo() throws Exception {
        VirtualTime virtual = new VirtualTime();
        HeldUpTime time = new HeldUpTime(virtual);
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .time(time)
                .idleExpiry(Duration.ofHours(1))
                .build();
        throttles.pauseUncounted();
        CompletableFuture<Permit> waits = throttles.get("k").acquireAsync();
        virtual.advance(Duration.ofHours(2));
        Thread other = new Thread(() -> throttles.get("other"));
        time.heldUp = other;
        other.start();
        time.drops.await();

        try {
            assertThat(throttles.all()).extracting(Throttle::key).contains("k");
            assertThat(throttles.getIfPresent("k")).isNotNull();
        } finally {
            time.goesOn.countDown();
        }
        other.join();
        throttles.resume();
        waits.get(10, TimeUnit.SECONDS).complete(Signal.SUCCESS);
    }

    private static Throttle call(ThrottleRegistry throttles, String key) {
        try {
            Throttle throttle = throttles.get(key);
            throttle.acquire().complete(Signal.SUCCESS);
            return throttle;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
