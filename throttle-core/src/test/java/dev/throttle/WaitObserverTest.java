package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A listener that follows waits knows which end belongs to which beginning. */
class WaitObserverTest {

    private final Timeline line = new Timeline();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Throttle throttle = builder().build();

    private Throttle.Builder builder() {
        return line.throttle(TestStrategies.free()).executor(Runnable::run).listener(new ThrottleListener() {
            @Override
            public WaitObserver onWaitStart(Source source, Priority priority, String reason, Duration atLeast) {
                String wait = priority + " " + reason + " " + atLeast;
                told.add(wait);
                return (why, waited, failure) -> told.add(wait + " -> " + why + " " + waited + " "
                        + (failure == null ? "go" : failure.getClass().getSimpleName()));
            }
        });
    }

    private void close(Duration time) throws Exception {
        throttle.acquire().complete(retryAfter(time));
    }

    @Test
    void theEndOfAWaitIsToldBeforeTheCallerGoesOn() throws Exception {
        close(Duration.ofSeconds(1));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        waiting.thenRun(() -> told.add("goes on"));
        assertThat(told).containsExactly("NORMAL retry-after PT1S");
        line.advanceMillis(1000);
        assertThat(told)
                .containsExactly(
                        "NORMAL retry-after PT1S", "NORMAL retry-after PT1S -> retry-after PT1S go", "goes on");
        waiting.join().release();
    }

    @Test
    void eachWaitOfACallIsFollowed() {
        int[] attempts = {0};
        throttle.executeAsync(
                CallOptions.DEFAULT,
                () -> CompletableFuture.completedFuture(++attempts[0]),
                attempt -> attempt <= 2 ? retryAfter(Duration.ofMillis(10L * attempt)) : Signal.SUCCESS);
        line.advanceMillis(10);
        line.advanceMillis(20);
        assertThat(told)
                .containsExactly(
                        "NORMAL retry-after PT0.01S",
                        "NORMAL retry-after PT0.01S -> retry-after PT0.01S go",
                        "NORMAL retry-after PT0.02S",
                        "NORMAL retry-after PT0.02S -> retry-after PT0.02S go");
    }

    @Test
    void aCallerThatGivesUpEndsItsWait() throws Exception {
        close(Duration.ofSeconds(1));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        line.advanceMillis(300);
        waiting.cancel(false);
        assertThat(told)
                .containsExactly(
                        "NORMAL retry-after PT1S",
                        "NORMAL retry-after PT1S -> retry-after PT0.3S CancellationException");
        assertThatThrownBy(waiting::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void aCallerThatIsTurnedAwayWhileItWaitsEndsItsWait() throws Exception {
        close(Duration.ofSeconds(1));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        line.advanceMillis(300);
        throttle.close();
        assertThat(told).hasSize(2);
        assertThat(told.get(1)).endsWith("PT0.3S ThrottleRejectedException");
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(ThrottleRejectedException.class);
    }

    @Test
    void whoNeedNotWaitOrCannotIsNotFollowed() throws Exception {
        throttle.acquire().release();
        close(Duration.ofHours(1));
        assertThatThrownBy(throttle::acquire).isInstanceOf(ThrottleRejectedException.class);
        assertThat(told).isEmpty();
    }

    @Test
    void aBlockedThreadIsFollowedToo() throws Exception {
        Throttle real = Throttle.builder()
                .strategy(TestStrategies.free())
                .retryAfterJitter(0, Duration.ZERO)
                .listener(new ThrottleListener() {
                    @Override
                    public WaitObserver onWaitStart(Source source, Priority priority, String reason, Duration atLeast) {
                        return (why, waited, failure) -> told.add(why + " " + failure);
                    }
                })
                .build();
        real.acquire().complete(retryAfter(Duration.ofMinutes(1)));
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                real.acquire();
            } catch (Throwable e) {
                told.add("thrown");
                end.complete(e);
            }
        });
        caller.start();
        await().until(() -> real.snapshot().waiting() == 1);
        real.close();
        Throwable thrown = end.get(30, TimeUnit.SECONDS);
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).endsWith(thrown.toString());
        assertThat(told.get(1)).isEqualTo("thrown");
    }

    @Test
    void aListenerThatThrowsHarmsNobody() throws Exception {
        Throttle harmed = line.throttle(TestStrategies.free())
                .executor(Runnable::run)
                .listener(new ThrottleListener() {
                    @Override
                    public @Nullable WaitObserver onWaitStart(Source s, Priority p, String reason, Duration atLeast) {
                        return (why, waited, failure) -> {
                            throw new IllegalStateException("a bug");
                        };
                    }
                })
                .listener(new ThrottleListener() {
                    @Override
                    public @Nullable WaitObserver onWaitStart(Source s, Priority p, String reason, Duration atLeast) {
                        throw new IllegalStateException("another bug");
                    }
                })
                .build();
        harmed.acquire().complete(retryAfter(Duration.ofSeconds(1)));
        CompletableFuture<Permit> waiting = harmed.acquireAsync();
        line.advanceMillis(1000);
        waiting.join().release();
    }
}
