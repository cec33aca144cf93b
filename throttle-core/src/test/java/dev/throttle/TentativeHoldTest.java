package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A key that is held back while nobody knows who sent a refusal. */
class TentativeHoldTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(TestStrategies.free()).build();
    private final ThrottledCall call = Calls.of(throttle).newCall();
    private final Permit permit = call.acquireForced();

    @Test
    void liftingItWakesTheHead() {
        Runnable lift = call.holdWhileUnknown(Timeline.retryAfter(Duration.ofMinutes(1)));
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(300);
        assertThat(line.events).isEmpty();
        lift.run();
        lift.run();
        assertThat(line.events).containsExactly("a@300", "b@300");
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void whatIsLearnedBeforeItIsLiftedGoesOnHolding() {
        Runnable lift = call.holdWhileUnknown(Timeline.retryAfter(Duration.ofSeconds(1)));
        line.ask(throttle, "a");
        line.advanceMillis(300);
        permit.end(Timeline.retryAfter(Duration.ofSeconds(2)));
        lift.run();
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("a@2300");
    }

    @Test
    void itEndsByItself() {
        call.holdWhileUnknown(Signal.BUSY);
        line.ask(throttle, "a");
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("a@1000");
    }

    @Test
    void itIsShownAsAWaitThatTheServerNamed() {
        call.holdWhileUnknown(Timeline.retryAfter(Duration.ofHours(1)));
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofHours(1));
        assertThat(Timeline.rejection(line.ask(throttle, "a")).reason()).isEqualTo("retry-after");
    }

    @Test
    void whoCannotOutwaitItIsToldAtOnce() {
        Throttle paced = line.throttle(TestStrategies.pace(Duration.ofSeconds(1)))
                .maxWait(Duration.ofSeconds(10))
                .build();
        ThrottledCall redirected = Calls.of(paced).newCall();
        redirected.acquireForced();
        line.ask(paced, "a");
        line.advanceMillis(300);
        redirected.holdWhileUnknown(Timeline.retryAfter(Duration.ofMinutes(1)));
        assertThat(line.events).containsExactly("a rejected@300");
    }
}
