package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.Trace;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the caller's thread knows is known where the attempts of its call are made, and where its future completes. */
class ContextTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private static Throttle.Builder builder() {
        return Throttle.builder().strategy(TestStrategies.free()).retryAfterJitter(0, Duration.ZERO);
    }

    private static Throttle throttle(ContextCapture context) {
        return builder().context(context).build();
    }

    @AfterEach
    void forget() {
        Trace.forget();
    }

    private int attempt() {
        seen.add(Trace.get() + (Trace.get() == null ? " on " + Thread.currentThread() : ""));
        return seen.size();
    }

    private static Signal read(int attempt) {
        return attempt <= 2 ? retryAfter(Duration.ofMillis(5)) : Signal.SUCCESS;
    }

    private void call(Throttle throttle) throws Exception {
        Trace.set("caller");
        CompletableFuture<Integer> result = throttle.executeAsync(
                CallOptions.DEFAULT, () -> CompletableFuture.completedFuture(attempt()), ContextTest::read);
        Trace.set("something else");
        result.thenRun(this::attempt).get(30, TimeUnit.SECONDS);
    }

    @Test
    void everyAttemptAndWhatDependsOnTheFutureSeesTheCallersContext() throws Exception {
        call(throttle(Trace::capture));
        assertThat(seen).containsExactly("caller", "caller", "caller", "caller");
        assertThat(Trace.get()).isEqualTo("something else");
    }

    @Test
    void anAttemptThatEndsOnAThreadOfTheClientIsFollowedByOneInTheCallersContext() throws Exception {
        Throttle throttle = throttle(Trace::capture);
        Trace.set("caller");
        CompletableFuture<Void> hasDependent = new CompletableFuture<>();
        CompletableFuture<Integer> result = throttle.executeAsync(
                CallOptions.DEFAULT,
                () -> {
                    int number = attempt();
                    return hasDependent.thenApplyAsync(nothing -> number);
                },
                ContextTest::read);
        Trace.set("something else");
        CompletableFuture<Void> dependent = result.thenRun(this::attempt);
        hasDependent.complete(null);
        dependent.get(30, TimeUnit.SECONDS);
        assertThat(seen).containsExactly("caller", "caller", "caller", "caller");
    }

    @Test
    void whatDependsOnAPermitSeesTheCallersContext() throws Exception {
        Timeline line = new Timeline();
        Throttle throttle =
                line.throttle(TestStrategies.free()).context(Trace::capture).build();
        throttle.acquire().complete(retryAfter(Duration.ofSeconds(1)));
        Trace.set("caller");
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        waiting.thenRun(this::attempt);
        Trace.set("something else");
        line.advanceMillis(1000);
        waiting.get(30, TimeUnit.SECONDS).release();
        assertThat(seen).containsExactly("caller");
    }

    @Test
    void withoutACaptureNothingIsKept() {
        Timeline line = new Timeline();
        Throttle throttle =
                line.throttle(TestStrategies.free()).executor(Runnable::run).build();
        Trace.set("caller");
        throttle.executeAsync(
                CallOptions.DEFAULT, () -> CompletableFuture.completedFuture(attempt()), ContextTest::read);
        Trace.set("something else");
        line.advanceMillis(5);
        line.advanceMillis(5);
        assertThat(seen).containsExactly("caller", "something else", "something else");
    }

    @Test
    void whateverACaptureDoesEveryAttemptIsMadeOnce() throws Exception {
        List<Throwable> thrown = new ArrayList<>();
        List<ContextCapture> faulty = List.of(
                () -> {
                    throw new IllegalStateException("no context");
                },
                () -> null,
                () -> task -> null,
                () -> task -> () -> {},
                () -> task -> () -> new Thread(task).start(),
                () -> task -> () -> {
                    task.run();
                    task.run();
                },
                () -> task -> () -> {
                    task.run();
                    throw new IllegalStateException("after the task");
                },
                () -> task -> {
                    throw new IllegalStateException("before the task");
                });
        for (ContextCapture context : faulty) {
            seen.clear();
            try {
                call(throttle(context));
            } catch (ExecutionException e) {
                thrown.add(e);
            }
            assertThat(seen).hasSize(4);
        }
        assertThat(thrown).isEmpty();
    }

    @Test
    void twoCapturesAreBothInPlace() throws Exception {
        ThreadLocal<String> user = new ThreadLocal<>();
        ContextCapture both = ((ContextCapture) Trace::capture).and(() -> {
            String name = user.get();
            return task -> () -> {
                user.set(name);
                try {
                    task.run();
                } finally {
                    user.remove();
                }
            };
        });
        user.set("me");
        Trace.set("caller");
        List<String> users = new CopyOnWriteArrayList<>();
        throttle(both)
                .executeAsync(
                        CallOptions.DEFAULT,
                        () -> {
                            users.add(user.get());
                            return CompletableFuture.completedFuture(attempt());
                        },
                        ContextTest::read)
                .get(30, TimeUnit.SECONDS);
        assertThat(seen).containsExactly("caller", "caller", "caller");
        assertThat(users).containsExactly("me", "me", "me");
    }
}
