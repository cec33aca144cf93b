package dev.throttle;

import static dev.throttle.Priority.BATCH;
import static dev.throttle.Priority.INTERACTIVE;
import static dev.throttle.Priority.NORMAL;
import static dev.throttle.Timeline.rejection;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.ThrottledCall;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.limit.WindowLimit;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers of several classes in the queue of one throttle: who goes when. */
class PriorityTimelineTest {

    private static final CallOptions INTERACTIVE_CALL = CallOptions.DEFAULT.priority(INTERACTIVE);
    private static final CallOptions NORMAL_CALL = CallOptions.DEFAULT;
    private static final CallOptions BATCH_CALL = CallOptions.DEFAULT.priority(BATCH);

    private final Timeline line = new Timeline();

    private Throttle.Builder paced() {
        return line.throttle(TestStrategies.pace(Duration.ofMillis(10)));
    }

    private CompletableFuture<Permit> ask(Throttle throttle, CallOptions options, String name) {
        return line.ask(throttle.newCall(options), name);
    }

    private void askAll(Throttle throttle, CallOptions options, String name, int count) {
        for (int i = 1; i <= count; i++) {
            ask(throttle, options, name + i);
        }
    }

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
    void allClassesShareByTheirWeightsWhileAllWait() {
        Throttle throttle = paced().build();
        ask(throttle, NORMAL_CALL, "x");
        askAll(throttle, BATCH_CALL, "b", 400);
        askAll(throttle, NORMAL_CALL, "n", 400);
        askAll(throttle, INTERACTIVE_CALL, "i", 400);
        line.events.clear();
        for (int round = 1; round <= 10; round++) {
            line.advanceMillis(210);
            assertThat(count("i")).isEqualTo(16 * round);
            assertThat(count("n")).isEqualTo(4 * round);
            assertThat(count("b")).isEqualTo(round);
        }
    }

    private long count(String prefix) {
        return line.events.stream().filter(event -> event.startsWith(prefix)).count();
    }

    @Test
    void theWeightsCanBeSetAndCountRequests() {
        Throttle throttle = line.throttle(Strategies.tokenBucket()
                        .rate(100, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .priorities(PriorityPolicy.standard().weights(2, 1, 1))
                .build();
        ask(throttle, NORMAL_CALL.permits(10), "x");
        for (int i = 0; i < 40; i++) {
            ask(throttle, NORMAL_CALL.permits(2), "n");
            ask(throttle, INTERACTIVE_CALL, "i");
        }
        line.events.clear();
        line.advanceMillis(120);
        assertThat(count("i")).isEqualTo(8);
        assertThat(count("n")).isEqualTo(2);
    }

    @Test
    void aClassThatWasAwayHasSavedNothingUp() {
        Throttle throttle = paced().build();
        askAll(throttle, BATCH_CALL, "b", 40);
        line.advanceMillis(300);
        line.events.clear();
        askAll(throttle, NORMAL_CALL, "n", 20);
        line.advanceMillis(50);
        assertThat(line.events).hasSize(5);
        assertThat(count("b")).isEqualTo(1);
    }

    @Test
    void aClassThatLeavesAReserveToOthersSavesNoTurnsUpMeanwhile() {
        Throttle throttle = paced().priorities(
                        PriorityPolicy.standard().reserve(BATCH, 0.2).promoteAfter(Duration.ofHours(1)))
                .build();
        Quota quota = new Quota("minute", 100_000L, 19_000L, Duration.ofSeconds(60), null);
        throttle.newCall().acquireForced().complete(Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        askAll(throttle, BATCH_CALL, "b", 500);
        askAll(throttle, NORMAL_CALL, "n", 1_000);
        line.advanceMillis(4_000);
        assertThat(count("b")).isZero();
        line.advanceMillis(2_000); // from 4.3 s on more than the reserve is left
        assertThat(count("b")).isBetween(30L, 36L); // one in five of those since
    }

    @Test
    void aClassThatSleepsSavesNoTurnsUpMeanwhile() {
        Throttle throttle = line.throttle(TestStrategies.sleep(Duration.ofSeconds(10)))
                .limit(TestStrategies.pace(Duration.ofMillis(10)))
                .priorities(PriorityPolicy.standard().promoteAfter(Duration.ofHours(1)))
                .build();
        askAll(throttle, NORMAL_CALL, "n", 1_500);
        line.advanceMillis(5_000);
        askAll(throttle, BATCH_CALL, "b", 500);
        line.advanceMillis(10_000);
        line.events.clear();
        line.advanceMillis(1_000);
        assertThat(count("b")).isEqualTo(20);
        assertThat(count("n")).isEqualTo(80);
    }

    @Test
    void whoHasWaitedLongCountsAsOneOfTheNextClass() {
        Throttle throttle = paced().priorities(
                        PriorityPolicy.standard().weights(1_000, 100, 1).promoteAfter(Duration.ofMillis(100)))
                .build();
        ask(throttle, NORMAL_CALL, "x");
        ask(throttle, BATCH_CALL, "b");
        for (int i = 0; i < 40; i++) {
            askAll(throttle, INTERACTIVE_CALL, "i", 1);
            line.advanceMillis(5);
        }
        // With its own weight it would be the 1,001st; with that of its next class, from 100 ms on, the 11th.
        assertThat(line.events).contains("b@110").hasSize(21);
    }

    @Test
    void aRefusedCallKeepsItsPlaceInItsClassAndOvertakesNoHigherOne() {
        Throttle throttle = paced().build();
        CompletableFuture<Permit> refused = ask(throttle, BATCH_CALL, "retry");
        ThrottledCall call = throttle.newCall(BATCH_CALL);
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
    void theReserveOfABucketIsThereForTheClassesAbove() {
        Throttle throttle = reserving(Strategies.tokenBucket()
                .rate(10, Duration.ofSeconds(1))
                .burst(10)
                .build());
        askAll(throttle, BATCH_CALL, "b", 12);
        assertThat(line.events).hasSize(8);
        line.events.clear();
        askAll(throttle, INTERACTIVE_CALL, "i", 2);
        assertThat(line.events).containsExactly("i1@0", "i2@0");
        line.advanceMillis(600);
        assertThat(line.events).containsExactly("i1@0", "i2@0", "b9@300", "b10@400", "b11@500", "b12@600");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    private Throttle reserving(Strategy limit) {
        return line.throttle(Strategies.none())
                .limit(limit)
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2))
                .build();
    }

    @Test
    void theReserveOfEveryWindowIsThereForTheClassesAbove() {
        for (WindowLimit.Builder window :
                List.of(Strategies.fixedWindow(), Strategies.slidingWindowLog(), Strategies.slidingWindowCounter())) {
            line.events.clear();
            Throttle throttle =
                    reserving(window.limit(5).window(Duration.ofSeconds(10)).build());
            askAll(throttle, BATCH_CALL, "b", 5);
            assertThat(line.events).hasSize(4);
            assertThat(ask(throttle, INTERACTIVE_CALL, "i")).isCompleted();
            line.advanceMillis(20_000);
            assertThat(line.events).hasSize(6);
        }
    }

    @Test
    void aPlaceOnTheWireIsKeptForTheClassesAbove() {
        Throttle throttle = reserving(Strategies.inFlight().limit(5).build());
        List<CompletableFuture<Permit>> batch = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batch.add(ask(throttle, BATCH_CALL, "b"));
        }
        assertThat(line.events).hasSize(4);
        assertThat(ask(throttle, NORMAL_CALL, "n")).isCompleted();
        batch.get(0).join().complete(Signal.SUCCESS);
        assertThat(batch.get(4)).isNotDone();
        batch.get(1).join().complete(Signal.SUCCESS);
        assertThat(batch.get(4)).isCompleted();
    }

    @Test
    void theReserveOfAToldQuotaShrinksUntilItsReset() {
        Throttle throttle = line.throttle(Strategies.none())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2).promoteAfter(Duration.ofHours(1)))
                .build();
        throttle.newCall().acquireForced().complete(told(22));
        askAll(throttle, BATCH_CALL, "b", 4);
        assertThat(line.events).containsExactly("b1@0", "b2@0");
        ask(throttle, INTERACTIVE_CALL, "i");
        line.advanceMillis(60_000);
        // 20 are kept at first and none after 60 s: one less every three seconds.
        assertThat(line.events).containsExactly("b1@0", "b2@0", "i@0", "b3@6000", "b4@9000");
    }

    private static Signal told(long remaining) {
        Quota quota = new Quota("minute", 100L, remaining, Duration.ofSeconds(60), null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    @Test
    void whoIsPromotedNeedLeaveNoReserve() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.fixedWindow()
                        .limit(5)
                        .window(Duration.ofHours(1))
                        .build())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2))
                .build();
        askAll(throttle, BATCH_CALL, "b", 5);
        line.advanceMillis(61_000);
        assertThat(line.events).containsExactly("b1@0", "b2@0", "b3@0", "b4@0", "b5@60000");
    }

    @Test
    void aRequestThatTakesAllOfALimitIsNotKeptOutByTheReserve() {
        Throttle throttle = reserving(Strategies.tokenBucket()
                .rate(10, Duration.ofSeconds(1))
                .burst(10)
                .build());
        ask(throttle, BATCH_CALL.permits(10), "all");
        ask(throttle, BATCH_CALL.cost(Cost.requests(10)), "again");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("all@0", "again@1000");
    }

    @Test
    void aFullQueueDropsTheOldestOfTheLowestClassForWhoIsNotBelowIt() {
        Throttle throttle =
                paced().maxWaiting(3).whenFull(WhenFull.DROP_OLDEST_OF_LOWEST).build();
        ask(throttle, NORMAL_CALL, "x");
        CompletableFuture<Permit> oldest = ask(throttle, BATCH_CALL, "b1");
        ask(throttle, BATCH_CALL, "b2");
        ask(throttle, NORMAL_CALL, "n");
        line.advanceMillis(4);
        ask(throttle, INTERACTIVE_CALL, "i1");
        assertThat(line.events).containsExactly("x@0", "b1 rejected@4");
        assertThat(rejection(oldest).reason()).isEqualTo("dropped");
        assertThat(rejection(oldest))
                .hasMessageContaining("the queue is full (maxWaiting is 3), and a later call took the place");
        assertThat(rejection(oldest).neededWait()).isEqualTo(Duration.ofMillis(4));
        ask(throttle, BATCH_CALL, "b3");
        ask(throttle, INTERACTIVE_CALL, "i2");
        ask(throttle, BATCH_CALL, "b4"); // the classes above are not dropped for it
        line.advanceMillis(36);
        assertThat(line.events)
                .containsExactly(
                        "x@0",
                        "b1 rejected@4",
                        "b2 rejected@4",
                        "b3 rejected@4",
                        "b4 rejected@4",
                        "i1@10",
                        "i2@20",
                        "n@30");
        assertThat(throttle.snapshot().rejected()).isEqualTo(4);
    }

    @Test
    void aFullQueueTurnsTheNewcomerAwayUnlessTold() {
        Throttle throttle = paced().maxWaiting(1).build();
        ask(throttle, NORMAL_CALL, "x");
        ask(throttle, BATCH_CALL, "b");
        assertThat(rejection(ask(throttle, INTERACTIVE_CALL, "i")).reason()).isEqualTo("queue-full");
        line.advanceMillis(10);
        assertThat(line.events).containsExactly("x@0", "i rejected@0", "b@10");
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
        Blocking.Caller first = blocking.ask(throttle, throttle.newCall(BATCH_CALL)::acquire);
        Blocking.Caller second = blocking.ask(throttle, throttle.newCall(BATCH_CALL)::acquire);
        Blocking.Caller person = blocking.ask(throttle, throttle.newCall(INTERACTIVE_CALL)::acquire);
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

    /** Others have waited as long, but asked later: only a call that goes on counts from when it first asked. */
    @Test
    void aRefusedCallIsPromotedByAllTheTimeSinceItFirstAsked() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(5).build())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.6))
                .build();
        ThrottledCall refused = throttle.newCall(BATCH_CALL);
        ThrottledCall answered = throttle.newCall(BATCH_CALL);
        Permit first = line.ask(refused, "refused").join();
        Permit second = line.ask(answered, "answered").join();
        line.advanceMillis(60_000);
        askAll(throttle, INTERACTIVE_CALL, "i", 2);
        line.events.clear();
        second.complete(Signal.SUCCESS);
        first.complete(retryAfter(Duration.ofMillis(1)));
        line.advanceMillis(1);
        line.ask(answered, "another");
        line.ask(refused, "again");
        line.advanceMillis(1);
        assertThat(line.events).containsExactly("again@60001");
    }
}
