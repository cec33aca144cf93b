package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Events are told in order, one after the other, and on no thread that others need. */
class OrderedEventsTest {

    private static final long PATIENCE_SECONDS = 20;

    private final Timeline line = new Timeline();
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Test
    void theTimerLeavesItsEventsToTheExecutor() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Throttle throttle = line.throttle(TestStrategies.free())
                .executor(tasks::add)
                .maxWait(Duration.ofMillis(200))
                .listener(recorder())
                .build();
        throttle.pause();
        throttle.acquireAsync();
        told.clear();
        line.advanceMillis(200); // the timer turns the caller away
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(told).isEmpty();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertThat(told).containsExactlyInAnyOrder("rejected", "idle");
    }

    @Test
    void aListenerThatBlocksOnAnEventOfTheTimerDelaysNoOtherThrottle() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Throttle blocked = Throttle.builder()
                .strategy(TestStrategies.free())
                .maxWait(Duration.ofMillis(20))
                .listener(new ThrottleListener() {
                    @Override
                    public void onIdle(Source source) {
                        await(release);
                        told.add("idle");
                    }
                })
                .build();
        Throttle other = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(50)))
                .build();
        blocked.pause();
        CompletableFuture<Permit> rejected = blocked.acquireAsync();
        assertThat(rejected.handle((permit, failure) -> failure).get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ThrottleRejectedException.class);
        other.acquire().end(Signal.SUCCESS);
        other.acquireAsync().get(PATIENCE_SECONDS, TimeUnit.SECONDS).end(Signal.SUCCESS);
        assertThat(told).isEmpty();
        release.countDown();
    }

    @Test
    void aListenerThatBlocksDelaysNoOtherCallOfItsThrottleAndKeepsTheOrder() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Throttle throttle = Throttle.builder()
                .strategy(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onStateChanged(Source source, ThrottleState state) {
                        if (state == ThrottleState.DRAINING) {
                            entered.countDown();
                            await(release);
                        }
                        told.add(state.name());
                    }
                })
                .build();
        CompletableFuture<Void> slow = CompletableFuture.runAsync(throttle::drain);
        assertThat(entered.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        throttle.pause();
        throttle.resume();
        throttle.close();
        assertThat(told).isEmpty();
        release.countDown();
        slow.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; told.size() < 4 && i < 2_000; i++) {
            TimeUnit.MILLISECONDS.sleep(10); // the executor tells what came while the first one was told
        }
        assertThat(told).containsExactly("DRAINING", "PAUSED", "RUNNING", "CLOSED");
    }

    @Test
    void whatAListenerCausesIsToldAfterTheEventThatItIsTold() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onStateChanged(Source source, ThrottleState state) {
                        told.add("begin " + state);
                        if (state == ThrottleState.PAUSED) {
                            ((Throttle) source).resume();
                        }
                        told.add("end " + state);
                    }
                })
                .build();
        throttle.pause();
        assertThat(told).containsExactly("begin PAUSED", "end PAUSED", "begin RUNNING", "end RUNNING");
    }

    private ThrottleListener recorder() {
        return new ThrottleListener() {
            @Override
            public void onRejected(Source source, ThrottleRejectedException rejection) {
                told.add("rejected");
            }

            @Override
            public void onIdle(Source source) {
                told.add("idle");
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
