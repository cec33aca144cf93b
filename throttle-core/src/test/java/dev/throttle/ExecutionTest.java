package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Actions run through a throttle, blocking and asynchronous. */
class ExecutionTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(TestStrategies.free()).build();
    private final AtomicInteger attempts = new AtomicInteger();

    /** Refused twice with a wait of a second, then accepted. */
    private static Signal read(int attempt) {
        return attempt <= 2 ? retryAfter(Duration.ofSeconds(1)) : Signal.SUCCESS;
    }

    @Test
    void aBlockingActionIsRepeatedUntilItIsAccepted() throws Exception {
        Throttle impatient = Throttle.builder()
                .strategy(TestStrategies.free())
                .retryAfterJitter(0, Duration.ZERO)
                .build();
        int result = impatient.execute(
                CallOptions.DEFAULT,
                attempts::incrementAndGet,
                attempt -> attempt <= 2 ? retryAfter(Duration.ofMillis(5)) : Signal.SUCCESS);
        assertThat(result).isEqualTo(3);
        assertThat(impatient.count(Outcome.RATE_LIMITED)).isEqualTo(2);
        assertThat(impatient.count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(impatient.snapshot().retried()).isEqualTo(2);
    }

    @Test
    void theLastRefusedResultIsReturned() throws Exception {
        CallOptions once = CallOptions.DEFAULT.maxAttempts(1);
        assertThat(throttle.execute(once, () -> "busy", result -> retryAfter(Duration.ofSeconds(9))))
                .isEqualTo("busy");
    }

    @Test
    void aRefusalForLongerThanTheCallMayWaitIsTheSameExceptionForTheFirstCallAndTheNext() {
        CallOptions hasty = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(1));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> throttle.execute(
                            hasty, attempts::incrementAndGet, result -> retryAfter(Duration.ofSeconds(9))))
                    .isInstanceOfSatisfying(
                            ThrottleRejectedException.class,
                            e -> assertThat(e.reason()).isEqualTo("retry-after"));
        }
        assertThat(attempts).hasValue(1);
    }

    @Test
    void anAsynchronousCallEndsWithThatExceptionToo() {
        CallOptions hasty = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(1));
        CompletableFuture<Integer> first = throttle.executeAsync(
                hasty,
                () -> CompletableFuture.completedFuture(attempts.incrementAndGet()),
                result -> retryAfter(Duration.ofSeconds(9)));
        assertThat(attempts).hasValue(1);
        assertThat(Timeline.rejection(first).reason()).isEqualTo("retry-after");
    }

    @Test
    void whatTheActionThrowsComesOutAsItIs() {
        IOException fault = new IOException("reset");
        CallOptions once = CallOptions.DEFAULT.maxAttempts(1);
        assertThatThrownBy(() -> throttle.execute(
                        once,
                        () -> {
                            throw fault;
                        },
                        result -> Signal.SUCCESS))
                .isSameAs(fault);
        assertThatThrownBy(() -> throttle.execute(() -> {
                    throw new IllegalStateException("bug");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> throttle.execute(() -> {
                    throw new InterruptedException();
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(throttle.snapshot().outcomes())
                .containsEntry(Outcome.FAILED, 1L)
                .containsEntry(Outcome.IGNORED, 1L)
                .containsEntry(Outcome.CANCELLED, 1L);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void anAsynchronousActionIsRepeatedUntilItIsAccepted() {
        CompletableFuture<Integer> result = throttle.executeAsync(
                CallOptions.DEFAULT,
                () -> CompletableFuture.completedFuture(attempts.incrementAndGet()),
                ExecutionTest::read);
        assertThat(result).isNotDone();
        line.advanceMillis(1_000);
        assertThat(attempts).hasValue(2);
        line.advanceMillis(1_000);
        assertThat(result).isCompletedWithValue(3);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void anActionThatFailsBeforeItStartsIsRepeatedLikeOneThatFailsLater() {
        CompletableFuture<String> result = throttle.executeAsync(() -> {
            if (attempts.incrementAndGet() < 3) {
                throw new CompletionException(new IOException("refused"));
            }
            return CompletableFuture.completedFuture("done");
        });
        line.advanceMillis(60_000);
        assertThat(result).isCompletedWithValue("done");
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(2);
    }

    @Test
    void attemptsThatEndOnTheSpotDoNotNest() {
        CompletableFuture<Integer> result = throttle.executeAsync(
                CallOptions.DEFAULT.maxWait(Duration.ofDays(1)),
                () -> CompletableFuture.completedFuture(attempts.incrementAndGet()),
                attempt -> attempt < 20_000 ? retryAfter(Duration.ofNanos(1)) : Signal.SUCCESS);
        line.advanceMillis(1);
        assertThat(result).isCompletedWithValue(20_000);
    }

    @Test
    void cancellingEndsTheWait() {
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(5)));
        CompletableFuture<String> result = throttle.executeAsync(CompletableFuture::new);
        assertThat(throttle.snapshot().waiting()).isEqualTo(1);
        result.cancel(true);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void cancellingCancelsTheAttemptUnderWay() {
        CompletableFuture<String> attempt = new CompletableFuture<>();
        CompletableFuture<String> result = throttle.executeAsync(() -> attempt);
        result.cancel(true);
        assertThat(attempt).isCancelled();
        assertThat(throttle.count(Outcome.CANCELLED)).isEqualTo(1);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aTimeoutOfTheFutureGivesThePlaceBackToo() {
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(5)));
        CompletableFuture<String> result =
                throttle.<String>executeAsync(CompletableFuture::new).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(result::join).cause().isInstanceOf(TimeoutException.class);
        Blocking.await(() -> throttle.snapshot().waiting() == 0);
    }

    @Test
    void aFutureEndedByItsOwnerIsNotRepeatedAfterwards() {
        List<CompletableFuture<String>> started = new ArrayList<>();
        CompletableFuture<String> result = throttle.executeAsync(
                CallOptions.DEFAULT,
                () -> {
                    started.add(new CompletableFuture<>());
                    return started.get(started.size() - 1);
                },
                value -> Signal.RATE_LIMITED);
        result.complete("mine");
        line.advanceMillis(100_000);
        assertThat(started).hasSize(1);
        assertThat(started.get(0)).isCancelled();
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
    }
}
