package dev.throttle;

import static dev.throttle.Priority.BATCH;
import static dev.throttle.Priority.INTERACTIVE;
import static dev.throttle.Priority.NORMAL;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers of several classes in the queue of one throttle: who goes when. */
class PriorityTimelineTest extends PriorityStory {

    @Test
    void theHigherClassGoesFirstAndWithinAClassWhoCameFirst() {
        Throttle throttle = paced().build();
        ask(throttle, NORMAL_CALL, "first");
        askAll(throttle, BATCH_CALL, "b", 2);
        askAll(throttle, NORMAL_CALL, "n", 2);
        line.time.advanceNanos(1);
        askAll(throttle, INTERACTIVE_CALL, "i", 2);
        assertThat(throttle.snapshot().waitingByPriority()).isEqualTo(Map.of(INTERACTIVE, 2, NORMAL, 2, BATCH, 2));
        line.advanceMillis(60);
        assertThat(line.events).containsExactly("first@0", "i1@10", "i2@20", "n1@30", "n2@40", "b1@50", "b2@60");
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aRefusedCallKeepsItsPlaceInItsClassAndOvertakesNoHigherOne() {
        Throttle throttle = paced().build();
        CompletableFuture<Permit> refused = ask(throttle, BATCH_CALL, "retry");
        ThrottledCall call = Calls.of(throttle).newCall(BATCH_CALL);
        line.advanceMillis(10);
        Permit first = line.ask(call, "first").join();
        askAll(throttle, BATCH_CALL, "b", 2);
        askAll(throttle, INTERACTIVE_CALL, "i", 1);
        first.complete(retryAfter(Duration.ofMillis(5)));
        line.ask(call, "again");
        line.advanceMillis(50);
        assertThat(line.events).containsExactly("retry@0", "first@10", "i1@20", "again@30", "b1@40", "b2@50");
        refused.join().complete(Signal.SUCCESS);
    }

    @Test
    void whoSleepsForItselfHoldsNoOtherClassUp() {
        Throttle throttle =
                line.throttle(TestStrategies.sleep(Duration.ofMillis(100))).build();
        ask(throttle, BATCH_CALL, "b1");
        line.advanceMillis(50);
        ask(throttle, INTERACTIVE_CALL, "i");
        line.advanceMillis(25);
        ask(throttle, BATCH_CALL, "b2");
        line.advanceMillis(200);
        assertThat(line.events).containsExactly("b1@100", "i@150", "b2@175");
    }

    @Test
    void whoMayNotWaitIsTurnedAwayThoughItsClassIsAhead() {
        Throttle throttle = paced().build();
        ask(throttle, NORMAL_CALL, "x");
        askAll(throttle, BATCH_CALL, "b", 2);
        ask(throttle, INTERACTIVE_CALL.maxWait(Duration.ofMillis(9)), "short");
        ask(throttle, INTERACTIVE_CALL.maxWait(Duration.ofMillis(10)), "enough");
        assertThat(line.events).containsExactly("x@0", "short rejected@0");
        line.advanceMillis(10);
        assertThat(line.events).contains("enough@10");
    }

    @Test
    void blockedThreadsOfAHigherClassAreWokenFirst() {
        Blocking blocking = new Blocking();
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofMillis(100)))
                .listener(blocking)
                .build();
        blocking.ask(throttle, throttle::acquire).admission().join();
        Blocking.Caller first = blocking.ask(throttle, Calls.of(throttle).newCall(BATCH_CALL)::acquire);
        Blocking.Caller second = blocking.ask(throttle, Calls.of(throttle).newCall(BATCH_CALL)::acquire);
        Blocking.Caller person = blocking.ask(throttle, Calls.of(throttle).newCall(INTERACTIVE_CALL)::acquire);
        line.advanceMillis(100);
        person.admission().join();
        assertThat(first.admission()).isNotDone();
        line.advanceMillis(100);
        first.admission().join();
        assertThat(second.admission()).isNotDone();
        line.advanceMillis(100);
        second.admission().join();
        assertThat(blocking.waits).containsExactly(100L, 200L, 300L);
    }

    @Test
    void listenersHearTheClass() {
        List<String> heard = new ArrayList<>();
        Throttle throttle = paced().listener(new ThrottleListener() {
                    @Override
                    public void onWaiting(Source source, Priority priority, String reason, Duration atLeast) {
                        heard.add("waiting " + priority + " " + atLeast.toMillis());
                    }

                    @Override
                    public void onWaited(Source source, Priority priority, String reason, Duration wait) {
                        heard.add("waited " + priority + " " + wait.toMillis());
                    }
                })
                .build();
        ask(throttle, NORMAL_CALL, "x");
        ask(throttle, BATCH_CALL, "b");
        ask(throttle, INTERACTIVE_CALL, "i");
        line.advanceMillis(20);
        assertThat(heard)
                .containsExactly(
                        "waiting BATCH 10", "waiting INTERACTIVE 10", "waited INTERACTIVE 10", "waited BATCH 20");
    }
}
