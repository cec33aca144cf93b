package dev.throttle;

import static dev.throttle.Timeline.exhausted;
import static dev.throttle.Timeline.rejection;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** How long everybody of a key is kept waiting. */
class ClosedGateTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(TestStrategies.free()).build();

    private void observe(Signal signal) {
        Calls.of(throttle).newCall().acquireForced().complete(signal);
    }

    private Duration blocked() {
        return throttle.snapshot().blocked();
    }

    @Test
    void aServersWordIsRememberedForADayAtMost() {
        observe(retryAfter(Duration.ofDays(400)));
        assertThat(blocked()).isEqualTo(Duration.ofHours(24));
    }

    @Test
    void aWaitBeyondThePatienceFailsFastAndTheGateStaysClosed() {
        observe(retryAfter(Duration.ofHours(2)));
        CompletableFuture<Permit> caller = throttle.acquireAsync();
        assertThat(rejection(caller).neededWait()).isEqualTo(Duration.ofHours(2));
        assertThat(rejection(caller).reason()).isEqualTo("retry-after");
        assertThat(rejection(caller).retryAt().toEpochMilli()).isEqualTo(1_000 + 7_200_000);
        assertThat(blocked()).isEqualTo(Duration.ofHours(2));
        line.time.advance(Duration.ofHours(2));
        assertThat(throttle.acquireAsync()).isDone().isNotCompletedExceptionally();
    }

    @Test
    void afterAnAcceptedAnswerTheServerIsAskedAgainAfterTenMinutesWhateverResetItNamed() {
        observe(exhausted(Outcome.SUCCESS, Duration.ofHours(20)));
        assertThat(blocked()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void afterARefusalTheResetHolds() {
        observe(exhausted(Outcome.RATE_LIMITED, Duration.ofHours(20)));
        assertThat(blocked()).isEqualTo(Duration.ofHours(20));
    }

    @Test
    void aQuotaThatIsUsedUpStopsEverybodyBeforeTheFirstRefusal() {
        observe(exhausted(Outcome.SUCCESS, Duration.ofSeconds(30)));
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(40_000);
        assertThat(line.events).containsExactly("a@30000", "b@30000");
    }

    @Test
    void aShorterWordDoesNotOpenTheGateEarlier() {
        observe(retryAfter(Duration.ofSeconds(30)));
        observe(retryAfter(Duration.ofSeconds(3)));
        observe(Signal.SUCCESS);
        assertThat(blocked()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void theHintsOfAnIgnoredAnswerAreOld() {
        observe(exhausted(Outcome.IGNORED, Duration.ofSeconds(30)));
        assertThat(blocked()).isZero();
        assertThat(throttle.snapshot().quotas()).isEmpty();
    }

    @Test
    void jitterAddsToAServersWaitAndNeverTakesAway() throws ExecutionException, InterruptedException {
        Duration asked = Duration.ofSeconds(20);
        Duration shortest = Duration.ofDays(1);
        Duration longest = Duration.ZERO;
        for (int seed = 0; seed < 500; seed++) {
            VirtualTime time = new VirtualTime();
            Throttle jittery = line.throttle(TestStrategies.free())
                    .time(time)
                    .seed(seed)
                    .retryAfterJitter(0.5, Duration.ofSeconds(4))
                    .build();
            jittery.acquireAsync().get().complete(retryAfter(asked));
            Duration wait = jittery.snapshot().blocked();
            shortest = wait.compareTo(shortest) < 0 ? wait : shortest;
            longest = wait.compareTo(longest) > 0 ? wait : longest;
        }
        assertThat(shortest).isBetween(asked, asked.plusMillis(100));
        assertThat(longest).isBetween(asked.plusMillis(3_900), asked.plusSeconds(4));
    }

    @Test
    void theGateWorksAcrossTheClocksOverflow() {
        VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1_000_000_000, 0);
        Timeline late = new Timeline(time);
        Throttle there = late.throttle(TestStrategies.free()).build();
        Calls.of(there).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(3)));
        late.ask(there, "a");
        late.advanceMillis(2_999);
        assertThat(there.snapshot().blocked()).isEqualTo(Duration.ofMillis(1));
        late.advanceMillis(1);
        assertThat(late.events).containsExactly("a@3000");
    }
}
