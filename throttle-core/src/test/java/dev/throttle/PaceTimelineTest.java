package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue behind a controller that lets one permit go per 100 ms, to the nanosecond. */
class PaceTimelineTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final Timeline line = new Timeline();
    private final Throttle throttle =
            line.throttle(TestStrategies.pace(INTERVAL)).build();

    @Test
    void waitersLeaveInOrderAtTheControllersPace() {
        IntStream.range(0, 50).forEach(i -> line.ask(throttle, "w" + i));
        assertThat(line.events).containsExactly("w0@0");
        line.advanceMillis(10_000);
        assertThat(line.events)
                .containsExactlyElementsOf(IntStream.range(0, 50)
                        .mapToObj(i -> "w" + i + "@" + i * 100)
                        .toList());
        assertThat(line.time.scheduledTasks()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(50);
    }

    @Test
    void nobodyLeavesANanosecondEarly() {
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.time.advanceNanos(INTERVAL.toNanos() - 1);
        assertThat(line.events).containsExactly("a@0");
        line.time.advanceNanos(1);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE - 230_000_000, Long.MIN_VALUE, -250_000_000, 0})
    void theTimeLineDoesNotDependOnTheClocksOrigin(long origin) {
        Timeline shifted = new Timeline(new VirtualTime(origin, 0));
        Throttle there = shifted.throttle(TestStrategies.pace(INTERVAL))
                .maxWait(Duration.ofMillis(400))
                .build();
        CompletableFuture<Permit> first = shifted.ask(there, "a");
        IntStream.rangeClosed(1, 5).forEach(i -> shifted.ask(there, "b" + i));
        shifted.advanceMillis(150);
        first.join().complete(retryAfter(Duration.ofMillis(100)));
        shifted.advanceMillis(1_000);
        assertThat(shifted.events)
                .containsExactly("a@0", "b5 rejected@0", "b1@100", "b2@250", "b3@350", "b4 rejected@350");
        assertThat(there.snapshot().requestsPerSecond()).isEqualTo(2);
        assertThat(shifted.time.scheduledTasks()).isZero();
    }

    @Test
    void aRetryAfterMovesAllWhoWaitAndThePaceGoesOnBehindIt() {
        CompletableFuture<Permit> first = line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.advanceMillis(50);
        first.join().complete(retryAfter(Duration.ofSeconds(5)));
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b@5050", "c@5150");
    }

    @Test
    void aCancelledHeadLeavesItsTurnToTheNext() {
        line.ask(throttle, "a");
        CompletableFuture<Permit> head = line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.advanceMillis(50);
        head.cancel(false);
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b cancelled@50", "c@100");
        assertThat(throttle.snapshot().cancelledWaiting()).isEqualTo(1);
    }

    @Test
    void aCancelledHeadWhoNeededMoreLetsTheNextGoAtOnce() {
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(3)), "a");
        Throttle wire = line.throttle(TestStrategies.atMostOnTheWire(2)).build();
        line.ask(wire, "x");
        CompletableFuture<Permit> head = line.ask(Calls.of(wire).newCall(CallOptions.DEFAULT.permits(2)), "y");
        line.ask(wire, "z");
        line.advanceMillis(70);
        head.cancel(false);
        assertThat(line.events).containsExactly("a@0", "x@0", "y cancelled@70", "z@70");
    }

    @Test
    void aCallMayCostSeveralPermits() {
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(3)), "a");
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(5)), "b");
        line.ask(throttle, "c");
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("a@0", "b@300", "c@800");
    }

    @Test
    void whatCannotMakeItIsRefusedInAdvanceWithTheWaitAndTheInstantItNeeded() {
        Throttle bounded = line.throttle(TestStrategies.pace(INTERVAL))
                .maxWait(Duration.ofMillis(250))
                .build();
        line.advanceMillis(7);
        line.ask(bounded, "a");
        line.ask(bounded, "b");
        line.ask(bounded, "c");
        CompletableFuture<Permit> tooMany = line.ask(bounded, "d");
        assertThat(tooMany).isCompletedExceptionally();
        ThrottleRejectedException rejection = rejection(tooMany);
        assertThat(rejection.neededWait()).isEqualTo(Duration.ofMillis(300));
        assertThat(rejection.allowedWait()).isEqualTo(Duration.ofMillis(250));
        assertThat(rejection.retryAt()).isEqualTo(Instant.ofEpochMilli(1_000 + 7 + 300));
        assertThat(rejection.reason()).isEqualTo("pace");
        assertThat(rejection.label()).isEqualTo("default");
        assertThat(rejection.lastStatus()).isNull();
        assertThat(bounded.snapshot().rejected()).isEqualTo(1);
        assertThat(bounded.snapshot().waiting()).isEqualTo(2);
    }

    @Test
    void theWaitNeededCountsThePermitsOfThoseAhead() {
        CallOptions patience = CallOptions.DEFAULT.maxWait(Duration.ofMillis(900));
        line.ask(throttle, "a");
        line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(8)), "b");
        CompletableFuture<Permit> fits = line.ask(Calls.of(throttle).newCall(patience), "c");
        CompletableFuture<Permit> doesNot = line.ask(Calls.of(throttle).newCall(patience), "d");
        assertThat(fits).isNotDone();
        assertThat(rejection(doesNot).neededWait()).isEqualTo(Duration.ofSeconds(1));
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("a@0", "d rejected@0", "b@100", "c@900");
    }

    @Test
    void whoCanWaitNoLongerThanAnotherAheadIsToldSoAtOnce() {
        Throttle wire = line.throttle(TestStrategies.atMostOnTheWire(1)).build();
        line.ask(wire, "a").join();
        line.ask(wire, "b");
        Calls.of(wire).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(60)));
        CompletableFuture<Permit> hasty =
                line.ask(Calls.of(wire).newCall(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(10))), "c");
        assertThat(rejection(hasty).reason()).isEqualTo("retry-after");
        assertThat(rejection(hasty).neededWait()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void aDeadlineThatPassesInTheMiddleOfTheQueueEndsThatWaitAlone() {
        Throttle wire = line.throttle(TestStrategies.atMostOnTheWire(1)).build();
        Permit first = line.ask(wire, "a").join();
        line.ask(wire, "b");
        CompletableFuture<Permit> hasty =
                line.ask(Calls.of(wire).newCall(CallOptions.DEFAULT.maxWait(Duration.ofMillis(30))), "c");
        line.ask(wire, "d");
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("a@0", "c rejected@30");
        assertThat(rejection(hasty).neededWait()).isEqualTo(Duration.ofMillis(30));
        first.complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0", "c rejected@30", "b@100");
    }

    @Test
    void aGateThatClosesTurnsAwayThoseWhoCannotWaitSoLongWhereverTheyStand() {
        Throttle wire = line.throttle(TestStrategies.atMostOnTheWire(2)).build();
        Permit first = line.ask(wire, "a").join();
        line.ask(wire, "b").join();
        line.ask(wire, "c");
        CompletableFuture<Permit> hasty =
                line.ask(Calls.of(wire).newCall(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(20))), "d");
        line.advanceMillis(5_000);
        first.complete(retryAfter(Duration.ofSeconds(16)));
        assertThat(rejection(hasty).reason()).isEqualTo("retry-after");
        assertThat(rejection(hasty).neededWait()).isEqualTo(Duration.ofSeconds(21));
        line.advanceMillis(16_000);
        assertThat(line.events).containsExactly("a@0", "b@0", "d rejected@5000", "c@21000");
    }

    @Test
    void whoComesWhenTheQueueIsFullIsTurnedAway() {
        Throttle small =
                line.throttle(TestStrategies.pace(INTERVAL)).maxWaiting(2).build();
        line.ask(small, "a");
        line.ask(small, "b");
        line.ask(small, "c");
        CompletableFuture<Permit> tooMany = line.ask(small, "d");
        assertThat(rejection(tooMany).reason()).isEqualTo("queue-full");
        assertThat(rejection(tooMany).neededWait()).isEqualTo(Duration.ofMillis(300));
        line.advanceMillis(100);
        line.ask(small, "e");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "d rejected@0", "b@100", "c@200", "e@300");
    }

    @Test
    void withoutPatienceNobodyWaits() {
        Throttle impatient = line.throttle(TestStrategies.atMostOnTheWire(1))
                .maxWait(Duration.ZERO)
                .build();
        Permit first = line.ask(impatient, "a").join();
        CompletableFuture<Permit> second = line.ask(impatient, "b");
        assertThat(rejection(second).neededWait()).isZero();
        assertThat(impatient.tryAcquire()).isNull();
        first.complete(Signal.SUCCESS);
        assertThat(impatient.tryAcquire()).isNotNull();
    }

    @Test
    void tryAcquireDoesNotOvertakeThoseWhoWait() {
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(99);
        assertThat(throttle.tryAcquire()).isNull();
        line.advanceMillis(1);
        assertThat(throttle.tryAcquire()).isNull();
        line.advanceMillis(100);
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void aFutureThatItsOwnerEndsInAnyWayGivesThePlaceBack() {
        line.ask(throttle, "a");
        CompletableFuture<Permit> failed = line.ask(throttle, "b");
        CompletableFuture<Permit> completed = line.ask(throttle, "c");
        line.ask(throttle, "d");
        failed.completeExceptionally(new IllegalStateException());
        Permit foreign = Calls.of(throttle).newCall().acquireForced();
        completed.complete(foreign);
        assertThat(throttle.snapshot().waiting()).isEqualTo(1);
        foreign.release();
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b cancelled@0", "c@0", "d@200");
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
    }
}
