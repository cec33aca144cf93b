package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a throttle shows of itself. */
class SnapshotTest {

    private final Timeline line = new Timeline();

    @Test
    void aThrottleAtRestShowsNothing() {
        ThrottleSnapshot snapshot =
                line.throttle(TestStrategies.free()).name("api").build().snapshot();
        assertThat(snapshot.label()).isEqualTo("api");
        assertThat(snapshot.sleep()).isZero();
        assertThat(snapshot.blocked()).isZero();
        assertThat(snapshot.rateLimit()).isInfinite();
        assertThat(snapshot.requestsPerSecond()).isZero();
        assertThat(snapshot.waiting()).isZero();
        assertThat(snapshot.inFlight()).isZero();
        assertThat(snapshot.quotas()).isEmpty();
        assertThat(snapshot.outcomes().values()).containsOnly(0L);
        assertThat(snapshot.notRetried().values()).containsOnly(0L);
    }

    @Test
    void theSleepIsThatOfTheNextRequestHoweverManyWait() {
        Throttle sleeper =
                line.throttle(TestStrategies.sleep(Duration.ofSeconds(3))).build();
        assertThat(sleeper.snapshot().sleep()).isEqualTo(Duration.ofSeconds(3));
        Throttle paced =
                line.throttle(TestStrategies.pace(Duration.ofMillis(100))).build();
        for (int i = 0; i < 4; i++) {
            line.ask(paced, "w" + i);
        }
        assertThat(paced.snapshot().waiting()).isEqualTo(3);
        assertThat(paced.snapshot().sleep()).isEqualTo(Duration.ofMillis(100));
        assertThat(paced.snapshot().rateLimit()).isEqualTo(10);
        line.advanceMillis(60);
        assertThat(paced.snapshot().sleep()).isEqualTo(Duration.ofMillis(40));
        line.advanceMillis(1_000);
        assertThat(paced.snapshot().sleep()).isZero();
    }

    @Test
    void waitersRequestsOnTheWireAndTheRateAreCounted() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(3)).build();
        for (int i = 0; i < 5; i++) {
            line.ask(throttle, "w" + i);
        }
        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.waiting()).isEqualTo(2);
        assertThat(snapshot.inFlight()).isEqualTo(3);
        assertThat(snapshot.requestsPerSecond()).isEqualTo(3);
    }

    @Test
    void aQuotaIsShownWithItsResetCountedFromNow() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        Quota hourly = new Quota("hourly", 100L, 40L, Duration.ofSeconds(50), Duration.ofHours(1));
        Quota daily = new Quota("daily", 1_000L, 7L, null, null);
        Calls.of(throttle)
                .newCall()
                .acquireForced()
                .complete(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(hourly, daily))));
        line.advanceMillis(20_000);
        Calls.of(throttle)
                .newCall()
                .acquireForced()
                .complete(new Signal(
                        Outcome.SUCCESS, new RateHints(null, List.of(new Quota("daily", 1_000L, 6L, null, null)))));
        assertThat(throttle.snapshot().quotas())
                .containsExactlyInAnyOrder(
                        new Quota("daily", 1_000L, 6L, null, null),
                        new Quota("hourly", 100L, 40L, Duration.ofSeconds(30), Duration.ofHours(1)));
        line.advanceMillis(100_000);
        assertThat(throttle.snapshot().quotas()).extracting(Quota::reset).contains(Duration.ZERO);
    }

    @Test
    void aServerThatInventsPoliciesCannotFillTheMemory() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        for (int i = 0; i < 1_000; i++) {
            Quota quota = new Quota("policy" + i, 10L, 5L, null, null);
            Calls.of(throttle)
                    .newCall()
                    .acquireForced()
                    .complete(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        }
        assertThat(throttle.snapshot().quotas()).hasSizeLessThanOrEqualTo(16);
    }

    @Test
    void readingChangesNothing() {
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofMillis(100))).build();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        int tasks = line.time.scheduledTasks();
        for (int i = 0; i < 100; i++) {
            throttle.snapshot();
        }
        assertThat(line.time.scheduledTasks()).isEqualTo(tasks);
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @Test
    void rejectionsAndCancelledWaitsAreCounted() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .maxWait(Duration.ofSeconds(5))
                .build();
        Permit first = throttle.acquireAsync().join();
        CompletableFuture<Permit> given = throttle.acquireAsync();
        throttle.acquireAsync();
        given.cancel(true);
        line.advanceMillis(6_000);
        first.complete(retryAfter(Duration.ofHours(1)));
        throttle.acquireAsync();
        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.cancelledWaiting()).isEqualTo(1);
        assertThat(snapshot.rejected()).isEqualTo(2);
        assertThat(snapshot.blocked()).isEqualTo(Duration.ofHours(1));
        assertThat(snapshot.inFlight()).isZero();
        assertThat(snapshot.waiting()).isZero();
    }
}
