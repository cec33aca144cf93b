package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a call that is turned away is told: why, by which bound, and when it could try again. */
class RejectedCallsTest {

    private final Timeline line = new Timeline();
    private final Throttle.Builder builder =
            line.throttle(TestStrategies.free()).name("api").maxWait(Duration.ofSeconds(10));

    private static void assertSaid(CompletableFuture<Permit> place, String message) {
        assertThat(place).isDone();
        assertThat(Timeline.rejection(place)).hasMessage("Throttle \"api\": " + message);
    }

    /** Everybody has to wait. */
    private static void close(Throttle throttle, int seconds) {
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(seconds)));
    }

    @Test
    void whoseTimeIsOverWhileNothingIsKnown() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .name("api")
                .maxWait(Duration.ofSeconds(10))
                .build();
        Calls.of(throttle).newCall().acquireForced();
        CompletableFuture<Permit> place = throttle.acquireAsync();
        line.advanceMillis(10_000);
        assertSaid(place, "the call would have to wait longer (wire), but maxWait is 10 s");
    }

    @Test
    void whoCannotMakeItWithWhatIsLeft() {
        Throttle throttle = builder.build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit first = call.acquireForced();
        first.complete(Timeline.retryAfter(Duration.ofSeconds(4)));
        CompletableFuture<Permit> again = call.acquireAsync();
        line.advanceMillis(4_000);
        assertThat(again.join().complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        close(throttle, 7);
        assertSaid(
                call.acquireAsync(),
                "the call would have to wait 7 s (retry-after), but only 6 s of its maxWait of 10 s are left");
    }

    @Test
    void aWaitThatHasLastedIsPartOfWhatItNeeds() {
        Throttle throttle = builder.build();
        close(throttle, 5);
        CompletableFuture<Permit> place = throttle.acquireAsync();
        line.advanceMillis(3_000);
        close(throttle, 20);
        assertSaid(place, "the call would have to wait 23 s (retry-after), but maxWait is 10 s");
        ThrottleRejectedException told = Timeline.rejection(place);
        assertThat(told.neededWait()).isEqualTo(Duration.ofSeconds(23));
        assertThat(told.retryAt()).isEqualTo(Instant.ofEpochMilli(line.time.currentTimeMillis() + 20_000));
    }

    @Test
    void whoFindsNoPlace() {
        Throttle none = builder.maxWaiting(0).build();
        close(none, 5);
        assertSaid(none.acquireAsync(), "the call would have to wait, but maxWaiting is 0");
        Throttle one = builder.maxWaiting(1).build();
        close(one, 5);
        assertThat(one.acquireAsync()).isNotDone();
        assertSaid(one.acquireAsync(), "the queue is full (maxWaiting is 1)");
    }

    @Test
    void whomAGuardRefusesForATime() {
        Throttle throttle = builder.guard(new AdmissionGuard() {
                    @Override
                    public String name() {
                        return "circuit breaker";
                    }

                    @Override
                    public @Nullable Pass tryEnter() {
                        return null;
                    }

                    @Override
                    public Duration retryAfter() {
                        return Duration.ofSeconds(42);
                    }
                })
                .build();
        CompletableFuture<Permit> place = throttle.acquireAsync();
        assertSaid(place, "refused by the circuit breaker, which refuses calls for another 42 s");
        assertThat(Timeline.rejection(place).retryAt())
                .isEqualTo(Instant.ofEpochMilli(line.time.currentTimeMillis() + 42_000));
    }

    @Test
    void whomALimitDoesNotLetWaitAsLongAsTheThrottleWould() {
        Throttle throttle = line.throttle(Strategies.none())
                .name("api")
                .limit(Strategies.leakyBucket()
                        .rate(1, Duration.ofSeconds(2))
                        .queue(2)
                        .build())
                .build();
        for (String call : List.of("a", "b", "c")) {
            line.ask(throttle, call);
        }
        CompletableFuture<Permit> fourth = line.ask(throttle, "d");
        assertSaid(
                fourth, "the call would have to wait 6 s (leaky-bucket), but the limit accepts a wait of at most 4 s");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "d rejected@0", "b@2000", "c@4000");
    }
}
