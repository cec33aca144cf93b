package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whoever comes to a throttle finds it as it should be, however late its timer is. */
class LateTimersTest {

    private final Timeline line = new Timeline();

    /** A time whose timers never fire. */
    private Throttle.Builder throttle() {
        return line.throttle(TestStrategies.pace(Duration.ofMillis(10))).time(new OtherTime(line.time) {
            @Override
            public ScheduledTask schedule(long delayNanos, Runnable task) {
                return () -> {};
            }
        });
    }

    @Test
    void whoIsDueGoesBeforeWhoTries() {
        Throttle throttle = throttle().build();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(20);
        assertThat(line.events).containsExactly("a@0");
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(line.events).containsExactly("a@0", "b@20");
        line.advanceMillis(10);
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void thePlaceOfWhoIsDueIsFree() {
        Throttle throttle = throttle().maxWaiting(1).build();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(20);
        CompletableFuture<Permit> next = line.ask(throttle, "c");
        assertThat(line.events).containsExactly("a@0", "b@20");
        assertThat(next).isNotDone();
    }

    @Test
    void whoIsTooLateIsTurnedAwayAndThenAllIsQuiet() {
        Throttle throttle = throttle()
                .listener(new ThrottleListener() {
                    @Override
                    public void onIdle(Source source) {
                        line.add("idle");
                    }
                })
                .build();
        throttle.pause();
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.maxWait(Duration.ofMillis(5))), "a");
        line.advanceMillis(20);
        assertThat(line.events).isEmpty();
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.maxWait(Duration.ZERO)), "b");
        assertThat(line.events).containsExactly("a rejected@20", "idle@20", "b rejected@20");
    }

    @Test
    void aRejectionNamesTheBackoffThatIsOver() {
        Throttle throttle = throttle()
                .strategy(Strategies.none())
                .retryPolicy(RetryPolicy.builder()
                        .backoff((attempt, random) -> 10_000_000L)
                        .build())
                .build();
        Permit permit = throttle.acquireAsync().join();
        assertThat(permit.complete(Signal.BUSY).isRetry()).isTrue();
        CompletableFuture<Permit> again = line.record(permit.acquireAgainAsync(), "again");
        line.advanceMillis(20);
        throttle.reconfigure(key -> key.maxWait(Duration.ofMillis(5)));
        assertThat(Timeline.rejection(again).reason()).isEqualTo("backoff");
    }
}
