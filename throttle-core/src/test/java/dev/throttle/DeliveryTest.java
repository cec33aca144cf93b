package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How asynchronous callers hear what became of them. */
class DeliveryTest {

    private final Timeline line = new Timeline();

    @Test
    void anExecutorThatRefusesFailsTheFutureAndGivesThePermitBack() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofMillis(100)))
                .executor(task -> {
                    throw new RejectedExecutionException("closed");
                })
                .build();
        line.ask(throttle, "a");
        CompletableFuture<Permit> second = throttle.acquireAsync();
        line.advanceMillis(100);
        assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void whatDependsOnARefusedFutureDoesNotRunOnTheTimersThread() throws Exception {
        Throttle throttle = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(10)))
                .executor(task -> {
                    throw new RejectedExecutionException("closed");
                })
                .build();
        throttle.tryAcquire();
        CompletableFuture<String> thread = throttle.acquireAsync()
                .handle((permit, failure) -> Thread.currentThread().getName());
        assertThat(thread.get(10, TimeUnit.SECONDS)).doesNotContain("timer");
    }

    @Test
    void byDefaultFuturesAreCompletedOnThreadsOfThePool() throws Exception {
        Throttle throttle = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(500)))
                .build();
        throttle.tryAcquire();
        CompletableFuture<String> thread = throttle.acquireAsync()
                .thenApply(permit -> Thread.currentThread().getName());
        assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith("throttle-callback-");
    }

    @Test
    void aPermitOnItsWayToACancelledFutureIsBackAtOnce() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .executor(tasks::add)
                .build();
        Permit first = throttle.acquireAsync().join();
        CompletableFuture<Permit> second = throttle.acquireAsync();
        CompletableFuture<Permit> third = throttle.acquireAsync();
        first.complete(Signal.SUCCESS);
        assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
        second.cancel(false);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(tasks).hasSize(2);
        tasks.forEach(Runnable::run);
        assertThat(third).isDone();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
        third.join().complete(Signal.SUCCESS);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void anExecutorThatRunsATaskTwiceDoesNotTakeThePermitAway() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofMillis(100)))
                .executor(task -> {
                    task.run();
                    task.run();
                    throw new RejectedExecutionException("and refuses afterwards");
                })
                .build();
        throttle.tryAcquire();
        CompletableFuture<Permit> second = throttle.acquireAsync();
        line.advanceMillis(100);
        assertThat(second).isCompletedWithValueMatching(permit -> permit != null);
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
    }

    @Test
    void grantsThatFollowFromGrantsDoNotNest() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1)).build();
        Permit first = throttle.acquireAsync().join();
        AtomicInteger served = new AtomicInteger();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            int number = i;
            throttle.acquireAsync().thenAccept(permit -> {
                served.incrementAndGet();
                order.add(number);
                permit.complete(Signal.SUCCESS);
            });
        }
        first.complete(Signal.SUCCESS);
        assertThat(served).hasValue(50_000);
        assertThat(order).isSorted();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aPermitEndsOnce() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        Permit permit = throttle.acquireAsync().join();
        permit.complete(Signal.SUCCESS);
        assertThatThrownBy(() -> permit.complete(Signal.SUCCESS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exactly once");
        permit.release();
        permit.end(Signal.SUCCESS);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    /** Two threads for all of them used to be too few for ever. */
    @Test
    void aDependentThatBlocksOnAnotherCallHoldsUpNobody() throws Exception {
        Throttle impatient = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(50)))
                .build();
        Throttle fallback = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(20)))
                .build();
        impatient.tryAcquire();
        fallback.tryAcquire();
        List<CompletableFuture<Permit>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(impatient
                    .acquireAsync()
                    .thenApply(permit -> fallback.acquireAsync().join()));
        }
        for (CompletableFuture<Permit> answer : answers) {
            assertThat(answer.get(20, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    @Test
    void threadsInheritNothingFromTheCallersThatTheyAreMadeFor() throws Exception {
        Throttle throttle = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(10)))
                .build();
        USER.set("somebody");
        try {
            for (int i = 0; i < 20; i++) {
                CompletableFuture<String> user = throttle.acquireAsync()
                        .thenCombine(
                                throttle.acquireAsync(),
                                (a, b) -> String.valueOf(
                                        Thread.currentThread().getName().startsWith("throttle-callback-")
                                                ? USER.get()
                                                : null));
                assertThat(user.get(10, TimeUnit.SECONDS)).isEqualTo("null");
            }
        } finally {
            USER.remove();
        }
    }
}
