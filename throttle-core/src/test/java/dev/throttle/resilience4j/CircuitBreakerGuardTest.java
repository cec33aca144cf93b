package dev.throttle.resilience4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.core.IntervalFunction;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real circuit breaker beside a throttle, both on virtual time. */
class CircuitBreakerGuardTest {

    /** Probes go after ten seconds, not at them. */
    private static final Duration OPEN = Duration.ofSeconds(10).plusNanos(1);

    private final VirtualTime time = new VirtualTime();
    private final CircuitBreakerConfig config = CircuitBreakerConfig.custom()
            .slidingWindowSize(4)
            .minimumNumberOfCalls(4)
            .failureRateThreshold(50)
            .permittedNumberOfCallsInHalfOpenState(2)
            .waitIntervalFunctionInOpenState(IntervalFunction.ofExponentialBackoff(10_000, 2))
            .clock(new VirtualClock(time))
            .currentTimestampFunction(clock -> time.nanoTime(), TimeUnit.NANOSECONDS)
            .build();
    private final CircuitBreaker breaker = CircuitBreaker.of("server", config);
    private final Throttle throttle = throttle(Strategies.none());

    private Throttle throttle(Strategy strategy) {
        return Throttle.builder()
                .strategy(strategy)
                .guard(Guards.circuitBreaker(breaker))
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    private void end(Outcome outcome, int times) {
        for (int i = 0; i < times; i++) {
            throttle.acquireAsync().join().complete(Signal.of(outcome));
        }
    }

    private static void assertRefused(CompletableFuture<Permit> admission, Duration neededWait) {
        assertThat(admission).isCompletedExceptionally();
        assertThatThrownBy(admission::join).cause().isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
            assertThat(e.reason()).isEqualTo("circuit-breaker");
            assertThat(e.neededWait()).isEqualTo(neededWait);
        });
    }

    @Test
    void anOpenBreakerRefusesAtOnceWithTheTimeUntilItIsHalfOpen() throws Exception {
        end(Outcome.BUSY, 4);
        assertThat(breaker.getState()).isEqualTo(State.OPEN);
        assertRefused(throttle.acquireAsync(), OPEN);
        time.advance(Duration.ofSeconds(4));
        assertRefused(throttle.acquireAsync(), OPEN.minusSeconds(4));
        assertThatThrownBy(throttle::acquire).isInstanceOf(ThrottleRejectedException.class);
        assertThatThrownBy(() -> throttle.execute(() -> "sent")).isInstanceOf(ThrottleRejectedException.class);
        assertThat(throttle.executeAsync(() -> CompletableFuture.completedFuture("sent")))
                .isCompletedExceptionally();
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().rejected()).isGreaterThanOrEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUCCESS", "RATE_LIMITED", "IGNORED", "CANCELLED"})
    void theseOutcomesDoNotTripIt(Outcome outcome) {
        end(outcome, 20);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
        boolean counts = outcome == Outcome.SUCCESS || outcome == Outcome.RATE_LIMITED;
        assertThat(breaker.getMetrics().getNumberOfSuccessfulCalls()).isEqualTo(counts ? 4 : 0);
        assertThat(breaker.getMetrics().getNumberOfFailedCalls()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"BUSY", "FAILED"})
    void theseOutcomesTripIt(Outcome outcome) {
        end(outcome, 4);
        assertThat(breaker.getState()).isEqualTo(State.OPEN);
    }

    @Test
    void exceptionsOfAnActionCountAsItsSignalReaderSays() {
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> throttle.execute(() -> {
                        throw new IllegalStateException("a mistake of the program");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Object> failing =
                    throttle.executeAsync(() -> CompletableFuture.failedFuture(new IOException("connection reset")));
            while (!failing.isDone()) {
                assertThat(time.advanceToNextTask()).isTrue();
            }
        }
        assertThat(breaker.getState()).isEqualTo(State.OPEN);
    }

    @Test
    void probesOfAHalfOpenBreakerGoThroughTheThrottle() {
        Throttle paced =
                throttle(Strategies.leakyBucket().rate(1, Duration.ofSeconds(1)).build());
        end(Outcome.BUSY, 4);
        time.advance(OPEN);
        CompletableFuture<Permit> first = paced.acquireAsync();
        CompletableFuture<Permit> second = paced.acquireAsync();
        assertThat(breaker.getState()).isEqualTo(State.HALF_OPEN);
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertRefused(paced.acquireAsync(), Duration.ZERO);
        first.join().complete(Signal.SUCCESS);
        time.advance(Duration.ofSeconds(1));
        second.join().complete(Signal.SUCCESS);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
    }

    @Test
    void aProbeThatIsNeverSentLeavesItsPlaceToTheNext() {
        Throttle paced = throttle(
                Strategies.leakyBucket().rate(1, Duration.ofHours(1)).queue(0).build());
        end(Outcome.BUSY, 4);
        time.advance(OPEN);
        paced.acquireAsync().join().release();
        for (int i = 0; i < 5; i++) {
            throttle.acquireAsync().join().complete(Signal.CANCELLED);
            Permit taken = paced.tryAcquire();
            assertThat(taken).isNotNull();
            assertThat(paced.tryAcquire()).isNull();
            assertThat(paced.acquireAsync()).as("leaky-bucket").isCompletedExceptionally();
            taken.release();
        }
        end(Outcome.SUCCESS, 2);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
    }

    @Test
    void aProbeThatIsCancelledWhileItWaitsLeavesItsPlaceToTheNext() {
        Throttle paced =
                throttle(Strategies.leakyBucket().rate(1, Duration.ofMinutes(1)).build());
        end(Outcome.BUSY, 4);
        time.advance(OPEN);
        Permit probe = paced.acquireAsync().join();
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Permit> waiting = paced.acquireAsync();
            assertThat(waiting).isNotDone();
            assertRefused(paced.acquireAsync(), Duration.ZERO);
            waiting.cancel(true);
        }
        probe.complete(Signal.SUCCESS);
        end(Outcome.SUCCESS, 1);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
    }

    @Test
    void whoWaitsWhenItOpensIsRefusedWhenLetGo() {
        Throttle paced =
                throttle(Strategies.leakyBucket().rate(1, Duration.ofSeconds(1)).build());
        paced.acquireAsync().join().complete(Signal.SUCCESS);
        CompletableFuture<Permit> waiting = paced.acquireAsync();
        end(Outcome.BUSY, 3);
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofSeconds(1));
        assertRefused(waiting, OPEN); // nine from now on, after one of waiting
        assertThat(paced.snapshot().inFlight()).isZero();
    }

    @Test
    void whoHasWaitedUntilItIsHalfOpenIsAProbe() {
        Throttle paced = throttle(
                Strategies.leakyBucket().rate(1, Duration.ofSeconds(20)).build());
        paced.acquireAsync().join().complete(Signal.SUCCESS);
        CompletableFuture<Permit> waiting = paced.acquireAsync();
        end(Outcome.BUSY, 3);
        time.advance(Duration.ofSeconds(20));
        assertThat(waiting).isCompleted();
        assertThat(breaker.getState()).isEqualTo(State.HALF_OPEN);
        end(Outcome.SUCCESS, 1);
        assertRefused(throttle.acquireAsync(), Duration.ZERO);
        waiting.join().complete(Signal.SUCCESS);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
    }

    /** What was sent before it opened says nothing about the probes. */
    @Test
    void anAnswerFromAnEarlierStateDoesNotCount() {
        Permit old = throttle.acquireAsync().join();
        Permit cancelled = throttle.acquireAsync().join();
        end(Outcome.BUSY, 4);
        time.advance(OPEN);
        Permit probe = throttle.acquireAsync().join();
        old.complete(Signal.BUSY);
        cancelled.complete(Signal.CANCELLED);
        assertThat(breaker.getMetrics().getNumberOfBufferedCalls()).isZero();
        Permit second = throttle.acquireAsync().join();
        assertRefused(throttle.acquireAsync(), Duration.ZERO);
        probe.complete(Signal.SUCCESS);
        second.complete(Signal.SUCCESS);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
    }

    @Test
    void theWaitGrowsWhenProbesFailAsTheBreakerIsConfigured() {
        end(Outcome.BUSY, 4);
        time.advance(OPEN);
        end(Outcome.FAILED, 2);
        assertThat(breaker.getState()).isEqualTo(State.OPEN);
        assertRefused(throttle.acquireAsync(), OPEN.plusSeconds(10));
        time.advance(OPEN.plusSeconds(10));
        end(Outcome.SUCCESS, 2);
        assertThat(breaker.getState()).isEqualTo(State.CLOSED);
        end(Outcome.BUSY, 4);
        assertRefused(throttle.acquireAsync(), OPEN);
    }

    @Test
    void afterAnAttemptThatOpenedItNothingIsRepeated() {
        end(Outcome.BUSY, 3);
        Permit quota = throttle.acquireAsync().join();
        Permit last = throttle.acquireAsync().join();
        assertThat(last.complete(Signal.BUSY)).isEqualTo(StopReason.GUARD.decision());
        assertThat(quota.complete(Signal.RATE_LIMITED)).isEqualTo(StopReason.GUARD.decision());
        assertThat(throttle.snapshot().notRetried()).containsEntry(StopReason.GUARD, 2L);
    }

    @Test
    void theWaitInTheThrottleIsNotTheServersDuration() {
        CircuitBreaker slow = CircuitBreaker.of(
                "slow",
                CircuitBreakerConfig.from(config)
                        .slowCallDurationThreshold(Duration.ofSeconds(1))
                        .build());
        Throttle paced = Throttle.builder()
                .strategy(
                        Strategies.leakyBucket().rate(1, Duration.ofSeconds(30)).build())
                .guard(Guards.circuitBreaker(slow))
                .time(time)
                .executor(Runnable::run)
                .build();
        paced.acquireAsync().join().complete(Signal.SUCCESS);
        CompletableFuture<Permit> waiting = paced.acquireAsync();
        time.advance(Duration.ofSeconds(30));
        time.advance(Duration.ofMillis(500));
        waiting.join().complete(Signal.SUCCESS);
        assertThat(slow.getMetrics().getNumberOfSlowCalls()).isZero();
        CompletableFuture<Permit> next = paced.acquireAsync();
        time.advance(Duration.ofSeconds(40));
        next.join().complete(Signal.SUCCESS);
        assertThat(slow.getMetrics().getNumberOfSlowCalls()).isEqualTo(1);
    }

    @Test
    void aForcedOpenBreakerRefusesWithoutATime() {
        breaker.transitionToForcedOpenState();
        assertRefused(throttle.acquireAsync(), Duration.ZERO);
    }

    @Test
    void eachKeyHasABreakerOfItsOwn() {
        CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config);
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .guardPerKey(Guards.circuitBreakers(registry))
                .time(time)
                .executor(Runnable::run)
                .build();
        for (int i = 0; i < 4; i++) {
            throttles.get("a").acquireAsync().join().complete(Signal.FAILED);
        }
        assertRefused(throttles.get("a").acquireAsync(), OPEN);
        assertThat(throttles.get("b").acquireAsync()).isCompleted();
        assertThat(registry.circuitBreaker("a").getState()).isEqualTo(State.OPEN);
    }

    private static final class VirtualClock extends Clock {

        private final VirtualTime time;

        VirtualClock(VirtualTime time) {
            this.time = time;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochSecond(0, time.nanoTime());
        }
    }
}
