package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A limit of requests in flight, in the queue of a throttle. */
class InFlightTimelineTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.none())
            .limit(Strategies.inFlight().limit(2).build())
            .maxWait(Duration.ofSeconds(10))
            .build();

    @Test
    void whoComesLaterWaitsForAnEndInTheOrderOfArrival() {
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        CompletableFuture<Permit> b = line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.ask(throttle, "d");
        assertThat(line.events).containsExactly("a@0", "b@0");
        line.advanceMillis(30);
        b.join().complete(Signal.SUCCESS);
        line.time.advanceNanos(1);
        a.join().complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0", "b@0", "c@30", "d@30.1");
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
        assertThat(throttle.snapshot().inFlightLimit()).isEqualTo(2);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void everyEndingFreesThePlace(Outcome outcome) {
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.advanceMillis(5);
        a.join().end(Signal.of(outcome, RateHints.NONE));
        assertThat(line.events).containsExactly("a@0", "b@0", "c@5");
    }

    @Test
    void aPermitGivenBackUnsentAndACallCancelledOnTheWayFreeTheirPlaces() {
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        CompletableFuture<Permit> b = line.ask(throttle, "b");
        CompletableFuture<Permit> c = line.ask(throttle, "c");
        line.ask(throttle, "d");
        line.advanceMillis(5);
        c.cancel(false);
        a.join().release();
        assertThat(line.events).containsExactly("a@0", "b@0", "c cancelled@5", "d@5");
        b.join().release();
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void aRequestTakesOnePlaceWhateverItCosts() {
        CallOptions costly = CallOptions.DEFAULT.permits(50);
        line.ask(Calls.of(throttle).newCall(costly), "a");
        line.ask(Calls.of(throttle).newCall(costly), "b");
        line.ask(throttle, "c");
        assertThat(line.events).containsExactly("a@0", "b@0");
    }

    @Test
    void aRefusedRequestGivesItsPlaceToTheNextAndComesBackAheadOfTheRest() {
        CompletableFuture<Permit> a = line.ask(Calls.of(throttle).newCall(), "a");
        line.ask(throttle, "b");
        CompletableFuture<Permit> c = line.ask(throttle, "c");
        line.ask(throttle, "d");
        line.advanceMillis(10);
        Permit refused = a.join();
        assertThat(refused.complete(retryAfter(Duration.ofMillis(100))).isRetry())
                .isTrue();
        line.record(refused.acquireAgainAsync(), "a again");
        assertThat(line.events).containsExactly("a@0", "b@0");
        line.advanceMillis(200);
        assertThat(line.events).containsExactly("a@0", "b@0", "a again@110");
        assertThat(c).isNotDone();
    }

    @Test
    void aRefusalWithoutATimeIsRepeatedWithTheBackoffOfThePolicy() {
        Throttle spaced = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(2).build())
                .retryPolicy(RetryPolicy.builder()
                        .backoff((attempt, random) -> Duration.ofMillis(700).toNanos())
                        .build())
                .build();
        Permit refused = line.ask(spaced, "a").join();
        assertThat(refused.complete(Signal.of(Outcome.RATE_LIMITED, RateHints.NONE))
                        .isRetry())
                .isTrue();
        line.record(refused.acquireAgainAsync(), "a again");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "a again@700");
    }

    @Test
    void whatGoesByForceMayExceedTheLimitAndIsWaitedFor() {
        line.ask(throttle, "a");
        Permit forced = Calls.of(throttle).newCall().acquireForced();
        Permit another = Calls.of(throttle).newCall().acquireForced();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(3);
        line.ask(throttle, "b");
        forced.complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0");
        another.complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0", "b@0");
    }

    @Test
    void whoCannotWaitLongerIsTurnedAwayWhenItsTimeIsOver() {
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.ask(throttle, "b");
        CompletableFuture<Permit> c = line.ask(throttle, "c");
        line.time.advanceNanos(Duration.ofSeconds(10).toNanos() - 1);
        assertThat(c).isNotDone();
        line.time.advanceNanos(1);
        assertThat(rejection(c).reason()).isEqualTo("in-flight");
        CompletableFuture<Permit> d =
                line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.maxWait(Duration.ZERO)), "d");
        assertThat(rejection(d).reason()).isEqualTo("in-flight");
        line.ask(throttle, "e");
        a.join().complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0", "b@0", "c rejected@10000", "d rejected@10000", "e@10000");
    }

    @Test
    void aCallThatCannotOutwaitTheServersTimeIsToldAtOnceThoughAllPlacesAreTaken() {
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "b2");
        a.join().end(retryAfter(Duration.ofMinutes(1)));
        assertThat(line.events).containsExactly("a@0", "b@0", "b2 rejected@0");
        line.ask(throttle, "forced");
        Calls.of(throttle).newCall().acquireForced();
        CompletableFuture<Permit> c = line.ask(throttle, "c");
        assertThat(rejection(c).reason()).isEqualTo("retry-after");
    }

    @Test
    void theWaitHasTheLimitAsReason() {
        List<String> waits = new ArrayList<>();
        throttle.addListener(new ThrottleListener() {
            @Override
            public void onWaited(Source source, Priority priority, String reason, Duration wait) {
                waits.add(reason + " " + wait.toMillis());
            }
        });
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.advanceMillis(12);
        a.join().complete(Signal.SUCCESS);
        assertThat(waits).containsExactly("in-flight 12");
    }

    @Test
    void aLimitBesideAPaceWaitsForBoth() {
        Strategy pace = TestStrategies.pace(Duration.ofMillis(100));
        Throttle both = line.throttle(pace)
                .limit(Strategies.inFlight().limit(1).build())
                .build();
        CompletableFuture<Permit> a = line.ask(both, "a");
        line.ask(both, "b");
        line.advanceMillis(30);
        a.join().complete(Signal.SUCCESS);
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @Test
    void anIdleKeyWithALimitIsDropped() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .limit(Strategies.inFlight().limit(1).build())
                .maxKeys(1)
                .build();
        Throttle first = throttles.get("first");
        Permit permit = line.ask(first, "a").join();
        permit.complete(Signal.SUCCESS);
        line.time.advance(Duration.ofHours(2));
        throttles.get("second");
        assertThat(first.isEvicted()).isTrue();
        assertThat(line.ask(first, "b")).isCompleted();
    }
}
