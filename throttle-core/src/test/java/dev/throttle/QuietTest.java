package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When all of a throttle that is drained is quiet, and who is told. */
class QuietTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(TestStrategies.free()).build();

    /** An HTTP client may have repeated the request by itself. */
    @Test
    void aCallThatWasRefusedTwiceIsWaitedForAnew() {
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit first = call.acquireForced();
        Permit second = call.acquireForced();
        CompletableFuture<Void> drained = throttle.drain();
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.advanceMillis(600);
        assertThat(second.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.advanceMillis(999);
        assertThat(drained).isNotDone();
        line.advanceMillis(1);
        assertThat(drained).isCompleted();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aCallThatHasAskedAgainIsWaitedForByItsRequestOnly() {
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = call.acquireForced();
        CompletableFuture<Void> drained = throttle.drain();
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        CompletableFuture<Permit> again = call.acquireAsync();
        line.advanceMillis(200); // the longest backoff
        assertThat(again).isCompleted();
        assertThat(line.time.scheduledTasks()).isZero();
        again.join().complete(Signal.SUCCESS);
        assertThat(drained).isCompleted();
    }

    @Test
    void aDrainThatIsTakenBackWaitsForNobodyAnyMore() {
        Permit permit = Objects.requireNonNull(throttle.tryAcquire());
        CompletableFuture<Void> drained = throttle.drain();
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        assertThat(line.time.scheduledTasks()).isEqualTo(1);
        throttle.resume();
        assertThat(drained).isCancelled();
        assertThat(line.time.scheduledTasks()).isZero();
        assertThat(throttle.drain()).isCompleted();
    }

    @Test
    void whereTheExecutorTakesNothingAnotherThreadTells() throws Exception {
        Throttle refusing = line.throttle(TestStrategies.free())
                .executor(task -> {
                    throw new RejectedExecutionException();
                })
                .build();
        Permit permit = Objects.requireNonNull(refusing.tryAcquire());
        CompletableFuture<Void> drained = refusing.drain();
        permit.complete(Signal.SUCCESS);
        drained.get(20, TimeUnit.SECONDS);
        assertThat(drained).isCompleted();
    }
}
