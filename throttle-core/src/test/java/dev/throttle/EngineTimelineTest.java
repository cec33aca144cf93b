package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Time lines of the queue on virtual time, to the nanosecond. */
class EngineTimelineTest {

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final List<String> events = new ArrayList<>();

    private Throttle sleeper(Duration sleep) {
        return Throttle.builder()
                .strategy(Strategies.exponentialIncreaseProportionalRemainingDecrease()
                        .startingSleep(sleep)
                        .maxSleep(Duration.ofHours(1))
                        .jitter(0)
                        .build())
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    private CompletableFuture<Permit> ask(Throttle throttle, String name) {
        CompletableFuture<Permit> admission = throttle.acquireAsync();
        admission.whenComplete((permit, rejection) -> {
            events.add(name + (permit == null ? "!" : "") + "@" + (time.nanoTime() - start) / 1_000_000);
        });
        return admission;
    }

    private static Signal retryAfter(Duration delay) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(delay, List.of()));
    }

    private static Signal remaining(long remaining) {
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(new Quota(null, null, remaining, null, null))));
    }

    @Test
    void sleepersOfOneThrottleSleepSideBySideAndLeaveInOrder() {
        Throttle throttle = sleeper(Duration.ofSeconds(2));
        ask(throttle, "a");
        time.advance(Duration.ofMillis(500));
        ask(throttle, "b");
        ask(throttle, "c");
        time.advance(Duration.ofSeconds(10));
        assertThat(events).containsExactly("a@2000", "b@2500", "c@2500");
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void aRetryAfterMovesEverybodyWhoWaits() {
        Throttle throttle = sleeper(Duration.ofSeconds(2));
        ask(throttle, "a").thenAccept(permit -> permit.complete(retryAfter(Duration.ofSeconds(30))));
        time.advance(Duration.ofMillis(500));
        ask(throttle, "b");
        ask(throttle, "c");
        time.advance(Duration.ofMinutes(1));
        assertThat(events).containsExactly("a@2000", "b@32000", "c@32000");
    }

    @Test
    void aFullBucketReleasesThemEarly() {
        Throttle throttle = sleeper(Duration.ofSeconds(10));
        CompletableFuture<Permit> first = ask(throttle, "a");
        time.advance(Duration.ofSeconds(10));
        ask(throttle, "b");
        ask(throttle, "c");
        time.advance(Duration.ofSeconds(1));
        first.join().complete(remaining(4500));
        assertThat(events).containsExactly("a@10000", "b@11000", "c@11000");
    }

    @Test
    void whatCannotMakeItIsTurnedAwayAtOnceWithTheWaitItNeeds() {
        Throttle throttle = sleeper(Duration.ofMinutes(11));
        assertThatThrownBy(() -> throttle.acquireAsync().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.neededWait()).isEqualTo(Duration.ofMinutes(11)));
        assertThat(throttle.snapshot().rejected()).isEqualTo(1);
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void theNextMovesUpWhenTheHeadIsCancelled() {
        Throttle throttle = sleeper(Duration.ofSeconds(2));
        CompletableFuture<Permit> head = ask(throttle, "a");
        time.advance(Duration.ofMillis(500));
        ask(throttle, "b");
        time.advance(Duration.ofMillis(500));
        head.cancel(false);
        time.advance(Duration.ofSeconds(5));
        assertThat(events).containsExactly("a!@1000", "b@2500");
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void aRefusedCallKeepsItsPlaceAtTheFront() {
        Throttle throttle = sleeper(Duration.ofSeconds(1));
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> first = call.acquireAsync();
        time.advance(Duration.ofSeconds(1));
        ask(throttle, "b");
        assertThat(first.join().complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        call.acquireAsync().thenAccept(p -> events.add("retry@" + (time.nanoTime() - start) / 1_000_000));
        time.advance(Duration.ofSeconds(10));
        assertThat(events).containsExactly("retry@2800", "b@3160");
    }
}
