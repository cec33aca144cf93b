package dev.throttle.resilience4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.AdmissionGuard;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real bulkhead of two places beside a throttle: whatever becomes of an attempt, its place comes back. */
class BulkheadGuardTest {

    private final VirtualTime time = new VirtualTime();
    private final Bulkhead bulkhead =
            Bulkhead.of("server", BulkheadConfig.custom().maxConcurrentCalls(2).build());
    private final Throttle throttle = Throttle.builder()
            .strategy(Strategies.none())
            .limit(Strategies.fixedWindow()
                    .limit(1)
                    .window(Duration.ofMinutes(1))
                    .build())
            .guard(Guards.bulkhead(bulkhead))
            .time(time)
            .executor(Runnable::run)
            .seed(1)
            .build();

    @AfterEach
    void everyPlaceIsFree() {
        assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(time.scheduledTasks()).isZero();
    }

    private int free() {
        return bulkhead.getMetrics().getAvailableConcurrentCalls();
    }

    @Test
    void whoFindsNoPlaceIsRefusedAtOnceAndThoseWhoWaitHaveOne() {
        Permit sent = throttle.acquireAsync().join();
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        assertThat(waiting).isNotDone();
        CompletableFuture<Permit> refused = throttle.acquireAsync();
        assertThat(refused).isCompletedExceptionally();
        assertThatThrownBy(refused::join)
                .cause()
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo("bulkhead"));
        assertThat(throttle.tryAcquire()).isNull();
        sent.complete(Signal.SUCCESS);
        assertThat(free()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        waiting.join().complete(Signal.SUCCESS);
    }

    @Test
    void everyEndOfAPermitGivesThePlaceBack() {
        Signal[] signals = {Signal.SUCCESS, Signal.IGNORED, Signal.CANCELLED, Signal.FAILED, Signal.BUSY};
        for (Signal signal : signals) {
            Permit permit = throttle.acquireAsync().join();
            assertThat(free()).isEqualTo(1);
            permit.complete(signal);
            permit.release();
            assertThat(free()).isEqualTo(2);
            time.advance(Duration.ofMinutes(1));
        }
        Permit ended = throttle.acquireAsync().join();
        ended.end(Signal.RATE_LIMITED);
        ended.end(Signal.RATE_LIMITED);
        time.advance(Duration.ofMinutes(1));
        Permit back = throttle.acquireAsync().join();
        back.release();
        back.release();
        Permit tried = throttle.tryAcquire();
        assertThat(tried).isNotNull();
        tried.release();
    }

    @Test
    void anAttemptThatIsRepeatedTakesAPlaceAgain() {
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit first = call.acquireAsync().join();
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        assertThat(free()).isEqualTo(2);
        CompletableFuture<Permit> second = call.acquireAsync();
        assertThat(free()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        second.join().complete(Signal.SUCCESS);
    }

    @Test
    void cancellingAWaitGivesThePlaceBack() {
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        assertThat(free()).isEqualTo(1);
        waiting.cancel(true);
        assertThat(free()).isEqualTo(2);

        ThrottledCall call = Calls.of(throttle).newCall();
        call.acquireAsync();
        assertThat(free()).isEqualTo(1);
        call.cancel();
        assertThat(free()).isEqualTo(2);
        assertThat(call.acquireAsync()).isCompletedExceptionally();

        CompletableFuture<String> execution =
                throttle.executeAsync(() -> CompletableFuture.completedFuture("never sent"));
        assertThat(free()).isEqualTo(1);
        execution.cancel(true);
    }

    @Test
    void cancellingARequestUnderWayGivesThePlaceBack() {
        CompletableFuture<String> underWay = throttle.executeAsync(CompletableFuture::new);
        assertThat(free()).isEqualTo(1);
        underWay.cancel(true);
    }

    @Test
    void cancellingAThreadsWaitGivesThePlaceBack() throws Exception {
        throttle.acquire().complete(Signal.SUCCESS);
        ThrottledCall call = Calls.of(throttle).newCall();
        AtomicReference<Throwable> thrown = blocked(call);
        call.cancel();
        assertThat(await(thrown)).isInstanceOf(CancellationException.class);
    }

    @Test
    void interruptingAThreadsWaitGivesThePlaceBack() throws Exception {
        throttle.acquire().complete(Signal.SUCCESS);
        AtomicReference<Throwable> thrown = blocked(Calls.of(throttle).newCall());
        waiter.interrupt();
        assertThat(await(thrown)).isInstanceOf(InterruptedException.class);
    }

    private Thread waiter = Thread.currentThread();

    private AtomicReference<Throwable> blocked(ThrottledCall call) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        waiter = new Thread(() -> {
            try {
                call.acquire();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        waiter.start();
        while (throttle.snapshot().waiting() == 0 && waiter.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(free()).isEqualTo(1);
        return thrown;
    }

    private Throwable await(AtomicReference<Throwable> thrown) throws InterruptedException {
        waiter.join();
        return thrown.get();
    }

    @Test
    void aRefusalOfTheThrottleGivesThePlaceBack() {
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        for (int i = 0; i < 3; i++) {
            assertThat(Calls.of(throttle)
                            .newCall(dev.throttle.CallOptions.DEFAULT.maxWait(Duration.ofSeconds(59)))
                            .acquireAsync())
                    .isCompletedExceptionally();
        }
    }

    @Test
    void exceptionsGiveThePlaceBack() {
        assertThatThrownBy(() -> throttle.execute(() -> {
                    throw new IllegalStateException();
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(throttle.executeAsync(() -> {
                    throw new IllegalStateException();
                }))
                .isCompletedExceptionally();
        assertThat(throttle.executeAsync(() -> CompletableFuture.failedFuture(new IllegalStateException())))
                .isCompletedExceptionally();
    }

    @Test
    void anExecutorThatRefusesGivesThePlaceBack() throws Exception {
        Throttle broken = Throttle.builder()
                .strategy(Strategies.fixedWindow()
                        .limit(1)
                        .window(Duration.ofMinutes(1))
                        .build())
                .guard(Guards.bulkhead(bulkhead))
                .time(time)
                .executor(task -> {
                    throw new IllegalStateException("closed");
                })
                .build();
        broken.acquireAsync().join().complete(Signal.SUCCESS);
        CompletableFuture<Permit> waiting = broken.acquireAsync();
        time.advance(Duration.ofMinutes(1));
        assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBulkheadThatBlocksIsRefused() {
        Bulkhead blocking = Bulkhead.of(
                "blocking",
                BulkheadConfig.custom().maxWaitDuration(Duration.ofSeconds(1)).build());
        assertThatThrownBy(() -> Guards.bulkhead(blocking))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxWaitDuration of bulkhead blocking must be zero, but was PT1S");
    }

    @Test
    void eachKeyHasABulkheadOfItsOwn() {
        BulkheadRegistry registry = BulkheadRegistry.of(
                BulkheadConfig.custom().maxConcurrentCalls(1).build());
        var throttles = ThrottleRegistry.builder()
                .guardPerKey(Guards.bulkheads(registry))
                .time(time)
                .build();
        assertThat(throttles.get("a").acquireAsync()).isCompleted();
        assertThat(throttles.get("a").acquireAsync()).isCompletedExceptionally();
        assertThat(throttles.get("b").acquireAsync()).isCompleted();
    }

    @Test
    void aGuardThatFailsLetsRequestsGoOn() {
        AdmissionGuard failing = new AdmissionGuard() {
            @Override
            public String name() {
                throw new IllegalStateException();
            }

            @Override
            public Pass tryEnter() {
                throw new IllegalStateException();
            }

            @Override
            public boolean isRefusing() {
                throw new IllegalStateException();
            }
        };
        Throttle lenient = Throttle.builder()
                .guard(failing)
                .guard(Guards.bulkhead(bulkhead))
                .time(time)
                .build();
        Permit permit = lenient.acquireAsync().join();
        assertThat(free()).isEqualTo(1);
        permit.complete(Signal.FAILED);
    }

    /** Eight threads ask, cancel, send and fail at random in real time. */
    @Test
    void noPlaceIsLostOrWonWhateverHappensAtOnce() throws Exception {
        Bulkhead shared = Bulkhead.of(
                "shared", BulkheadConfig.custom().maxConcurrentCalls(6).build());
        Throttle busy = Throttle.builder()
                .strategy(Strategies.tokenBucket()
                        .rate(20_000, Duration.ofSeconds(1))
                        .burst(5)
                        .build())
                .retryPolicy(RetryPolicy.none())
                .guard(Guards.bulkhead(shared))
                .build();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                SplittableRandom random = new SplittableRandom(thread);
                all.add(threads.submit(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        once(busy, random.nextInt(5));
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (shared.getMetrics().getAvailableConcurrentCalls() < 6 && System.nanoTime() < end) {
            Thread.onSpinWait(); // permits on their way to callers who gave up
        }
        assertThat(shared.getMetrics().getAvailableConcurrentCalls()).isEqualTo(6);
    }

    private static void once(Throttle throttle, int what) throws Exception {
        try {
            switch (what) {
                case 0 -> {
                    CompletableFuture<Permit> admission = throttle.acquireAsync();
                    if (!admission.cancel(true)) {
                        admission.thenAccept(Permit::release);
                    }
                }
                case 1 -> throttle.acquire().release();
                case 2 -> Calls.of(throttle).newCall().acquire().complete(Signal.RATE_LIMITED);
                case 3 -> {
                    ThrottledCall call = Calls.of(throttle).newCall();
                    CompletableFuture<Permit> admission = call.acquireAsync();
                    call.cancel();
                    admission.whenComplete((permit, e) -> {
                        if (permit != null) {
                            permit.release();
                        }
                    });
                }
                default ->
                    throttle.execute(() -> {
                        throw new IOException();
                    });
            }
        } catch (IOException e) {
            assertThat(e).isNotNull(); // refused, or as the action failed
        }
    }
}
