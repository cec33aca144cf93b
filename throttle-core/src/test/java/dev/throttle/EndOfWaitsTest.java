package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Before the program ends, waits have to be over by an instant: who cannot go until then is told so. */
class EndOfWaitsTest {

    private static final Duration END = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .retryAfterJitter(0, Duration.ZERO)
            .maxWait(Duration.ofHours(2))
            .time(time)
            .executor(Runnable::run)
            .build();

    private Throttle closedFor(String key, Duration wait) {
        Throttle throttle = throttles.get(key);
        throttle.acquireAsync().join().end(Signal.of(Outcome.RATE_LIMITED, new RateHints(wait, List.of())));
        return throttle;
    }

    private static CompletableFuture<Permit> patient(Throttle throttle) {
        return Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.maxWait(Duration.ofHours(3)))
                .acquireAsync();
    }

    private static void assertRejected(CompletableFuture<Permit> call, String reason, String words) {
        assertThat(call).isDone();
        assertThatThrownBy(call::join)
                .cause()
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(words);
    }

    @Test
    void whoCannotGoInTimeIsRejectedAtOnceAndWhoCanGoes() {
        Throttle hour = closedFor("hour", Duration.ofHours(1));
        Throttle soon = closedFor("soon", Duration.ofSeconds(9));
        CompletableFuture<Permit> late = hour.acquireAsync();
        CompletableFuture<Permit> patient = patient(hour);
        CompletableFuture<Permit> early = soon.acquireAsync();
        time.advance(Duration.ofSeconds(1));
        throttles.endWaitsWithin(END);
        assertRejected(late, "retry-after", "as the program ends");
        assertRejected(patient, "retry-after", "as the program ends");
        assertThat(hour.snapshot().waiting()).isZero();
        assertThat(early).isNotDone();
        time.advance(Duration.ofSeconds(8));
        assertThat(early).isCompleted();
    }

    @Test
    void theSameHoldsForThoseWhoComeLater() {
        Throttle hour = closedFor("hour", Duration.ofHours(1));
        Throttle soon = closedFor("soon", Duration.ofSeconds(9));
        throttles.endWaitsWithin(END);
        assertRejected(patient(hour), "retry-after", "as the program ends");
        CompletableFuture<Permit> early = soon.acquireAsync();
        assertThat(early).isNotDone();
        time.advance(Duration.ofSeconds(9));
        assertThat(early).isCompleted();
        assertThat(throttles.get("free").tryAcquire()).isNotNull();
        time.advance(Duration.ofHours(2));
        assertThat(hour.tryAcquire()).isNotNull();
    }

    /** With a limit of one in flight nobody knows how long it takes. */
    @Test
    void whoseWaitIsNotKnownIsRejectedWhenTheTimeIsOver() {
        ThrottleRegistry single = ThrottleRegistry.builder()
                .strategy(Strategies.inFlight().limit(1).build())
                .time(time)
                .executor(Runnable::run)
                .build();
        Throttle throttle = single.get("key");
        Permit held = throttle.acquireAsync().join();
        List<CompletableFuture<Permit>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(throttle.acquireAsync());
        }
        time.advance(Duration.ofSeconds(5));
        single.endWaitsWithin(END);
        time.advance(END.minusNanos(1));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        held.complete(Signal.SUCCESS);
        assertThat(waiting.get(0)).isCompleted();
        time.advance(Duration.ofNanos(1));
        assertRejected(waiting.get(1), "in-flight", "as the program ends");
        assertRejected(waiting.get(2), "in-flight", "as the program ends");
    }

    @Test
    void aRefusedRequestIsNotRetriedAfterTheEnd() {
        Throttle throttle = throttles.get("key");
        Permit permit = Calls.of(throttle).newCall().acquireAsync().join();
        throttles.endWaitsWithin(END);
        RetryDecision decision =
                permit.complete(Signal.of(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(11), List.of())));
        assertThat(decision.isRetry()).isFalse();
        Permit other = Calls.of(throttles.get("other")).newCall().acquireAsync().join();
        assertThat(other.complete(Signal.of(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(9), List.of())))
                        .isRetry())
                .isTrue();
    }

    @Test
    void aPauseGoesOnAndCountsUntilTheEnd() {
        throttles.pauseUncounted();
        CompletableFuture<Permit> waiting = throttles.get("key").acquireAsync();
        throttles.endWaitsWithin(END);
        assertThat(throttles.get("key").snapshot().state()).isEqualTo(ThrottleState.PAUSED);
        time.advance(END.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertRejected(waiting, "paused", "as the program ends");
    }

    @Test
    void aPauseOfOneKeyCountsUntilTheEndToo() {
        throttles.get("key").pauseUncounted();
        CompletableFuture<Permit> before = throttles.get("key").acquireAsync();
        throttles.endWaitsWithin(END);
        throttles.get("other").pauseUncounted();
        CompletableFuture<Permit> after = throttles.get("other").acquireAsync();
        time.advance(END.minusNanos(1));
        assertThat(List.of(before, after)).noneMatch(CompletableFuture::isDone);
        time.advance(Duration.ofNanos(1));
        assertRejected(before, "paused", "as the program ends");
        assertRejected(after, "paused", "as the program ends");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PAUSED", "STANDING_STILL"})
    void pausingAfterwardsKeepsTheEnd(String mode) {
        throttles.endWaitsWithin(END);
        if (mode.equals("PAUSED")) {
            throttles.pause();
        } else {
            throttles.pauseUncounted();
        }
        CompletableFuture<Permit> waiting = throttles.get("key").acquireAsync();
        time.advance(END);
        assertRejected(waiting, "paused", "as the program ends");
    }

    @Test
    void drainingAfterwardsKeepsTheEnd() {
        Throttle hour = closedFor("hour", Duration.ofHours(1));
        Throttle soon = closedFor("soon", Duration.ofSeconds(9));
        soon.pause();
        CompletableFuture<Permit> paused = soon.acquireAsync();
        throttles.endWaitsWithin(END);
        throttles.drain();
        assertRejected(patient(hour), "draining", "");
        time.advance(END);
        assertRejected(paused, "paused", "as the program ends");
    }

    @Test
    void resumingLiftsTheEnd() {
        Throttle hour = closedFor("hour", Duration.ofHours(1));
        throttles.endWaitsWithin(END);
        throttles.resume();
        CompletableFuture<Permit> waiting = hour.acquireAsync();
        time.advance(Duration.ofHours(1));
        assertThat(waiting).isCompleted();
        throttles.close();
        throttles.endWaitsWithin(END);
        assertThat(throttles.get("hour").snapshot().state()).isEqualTo(ThrottleState.CLOSED);
    }

    @Test
    void aNegativeTimeIsRefused() {
        assertThatThrownBy(() -> throttles.endWaitsWithin(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("time");
    }
}
