package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.CallRoute;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A throttle that observes: nothing waits, nothing is retried, nothing is rejected, everything is learned. */
class ObserveModeTest {

    private static final Signal USED_UP = new Signal(
            Outcome.RATE_LIMITED,
            new RateHints(Duration.ofSeconds(30), List.of(new Quota("core", 10L, 0L, Duration.ofSeconds(30), null))));

    private final Timeline line = new Timeline();

    /** What would hold calls back, or reject them. */
    enum Obstacle {
        RETRY_AFTER(throttle -> throttle.observe(USED_UP)),
        USED_UP_LIMIT(throttle -> throttle.reconfigure(key ->
                key.limit(Strategies.tokenBucket().rate(1, Duration.ofHours(1)).build()))),
        IN_FLIGHT(throttle -> throttle.reconfigure(
                key -> key.limit(Strategies.inFlight().limit(1).build()))),
        PAUSED(Throttle::pause),
        DRAINING(Throttle::drain),
        CLOSED(Throttle::close),
        NO_PATIENCE(throttle -> {
            throttle.reconfigure(key -> key.maxWait(Duration.ZERO).maxWaiting(0));
            throttle.observe(USED_UP);
        }),
        GUARD(throttle -> throttle.reconfigure(key -> key.guard(new Refusing()))),
        OUTAGE(throttle -> {
            for (int i = 0; i < 5; i++) {
                Calls.of(throttle).newCall().acquireForced().complete(Signal.UNREACHABLE);
            }
        });

        private final Consumer<Throttle> put;

        Obstacle(Consumer<Throttle> put) {
            this.put = put;
        }
    }

    private static final class Refusing implements AdmissionGuard {

        @Override
        public @Nullable Pass tryEnter() {
            return null;
        }

        @Override
        public boolean isRefusing() {
            return true;
        }

        @Override
        public String name() {
            return "refusing";
        }
    }

    private Throttle observing() {
        return line.throttle(Strategies.quotaPacing().build())
                .mode(ThrottleMode.OBSERVE)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void nothingHoldsACallBack(Obstacle obstacle) throws Exception {
        Throttle throttle = observing();
        throttle.acquire().complete(Signal.SUCCESS);
        obstacle.put.accept(throttle);
        for (int i = 0; i < 20; i++) {
            assertThat(throttle.tryAcquire()).isNotNull();
            assertThat(throttle.acquireAsync()).isCompleted();
            throttle.acquire();
            assertThat(Calls.of(throttle).newCall().tryAcquireFast(true)).isNotNull();
            assertThat(Calls.of(throttle).newCall().acquireAsync(true)).isCompleted();
            assertThat(throttle.execute(() -> "sent")).isEqualTo("sent");
        }
        assertThat(line.events).isEmpty();
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).isAtOnce()).isTrue();
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(throttle.snapshot().rejected()).isZero();
        assertThat(throttle.snapshot().inFlight()).isGreaterThanOrEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource(names = {"RATE_LIMITED", "BUSY", "UNREACHABLE", "FAILED"})
    void nothingIsRetried(Outcome outcome) throws Exception {
        Throttle throttle = observing();
        throttle.acquire().complete(Signal.SUCCESS);
        RetryDecision decision = throttle.acquire().complete(Signal.of(outcome));
        assertThat(decision).isEqualTo(StopReason.OBSERVED.decision());
        assertThat(throttle.snapshot().notRetried()).containsEntry(StopReason.OBSERVED, 1L);
        AtomicInteger sent = new AtomicInteger();
        Callable<Integer> refused = sent::incrementAndGet;
        assertThat(throttle.execute(CallOptions.DEFAULT, refused, result -> Signal.of(outcome)))
                .isEqualTo(1);
        assertThat(throttle.executeAsync(
                        CallOptions.DEFAULT,
                        () -> CompletableFuture.completedFuture(sent.incrementAndGet()),
                        result -> Signal.of(outcome)))
                .isCompletedWithValue(2);
    }

    @Test
    void aCallIsSentThatALimitCouldNeverGrant() throws Exception {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket().rate(10, Duration.ofSeconds(1)).build())
                .mode(ThrottleMode.OBSERVE)
                .build();
        CallOptions large = CallOptions.DEFAULT.cost(Cost.requests(1_000));
        assertThat(throttle.execute(large, () -> "sent")).isEqualTo("sent");
    }

    @Test
    void everythingIsLearned() throws Exception {
        Throttle throttle = observing();
        throttle.acquire().complete(USED_UP);
        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.mode()).isEqualTo(ThrottleMode.OBSERVE);
        assertThat(snapshot.blocked()).isEqualTo(Duration.ofSeconds(30));
        assertThat(snapshot.quotas()).hasSize(1);
        assertThat(snapshot.outcomes()).containsEntry(Outcome.RATE_LIMITED, 1L);
    }

    @Test
    void anAttemptEndsAlsoIfItsRequestCannotBeToldApart() {
        Throttle throttle = observing();
        ThrottledCall call = Calls.of(throttle).newCall();
        call.route(new CallRoute() {
            @Override
            public @Nullable String find(CallOptions options) {
                return null;
            }

            @Override
            public int print() {
                throw new IllegalStateException("no URL");
            }
        });
        call.acquireAsync().join().complete(USED_UP);
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @Test
    void callsThatWaitGoWhenTheModeChanges() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        throttle.observe(USED_UP);
        line.ask(throttle, "first");
        line.ask(throttle, "second");
        line.advanceMillis(1_000);
        throttle.reconfigure(key -> key.mode(ThrottleMode.OBSERVE));
        line.ask(throttle, "third");
        assertThat(line.events).containsExactly("first@1000", "second@1000", "third@1000");
    }

    @Test
    void whatTheServerSaidHoldsWhenTheModeChangesBack() {
        Throttle throttle = observing();
        throttle.tryAcquire().complete(USED_UP);
        throttle.reconfigure(key -> key.mode(ThrottleMode.ENFORCE));
        line.ask(throttle, "first");
        line.advanceMillis(29_999);
        assertThat(line.events).isEmpty();
        line.advanceMillis(10_000);
        assertThat(line.events).hasSize(1);
    }

    @Test
    void limitsOweNothingForWhatWasOnlyObserved() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).build())
                .mode(ThrottleMode.OBSERVE)
                .build();
        for (int i = 0; i < 10_000; i++) {
            throttle.tryAcquire().complete(Signal.SUCCESS);
        }
        throttle.reconfigure(key -> key.mode(ThrottleMode.ENFORCE));
        line.ask(throttle, "first");
        line.ask(throttle, "second");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("first@0", "second@1000");
    }

    @Test
    void aRefusedCallOfBeforeIsHeldBackAgainOnceItIsEnforced() {
        Throttle throttle = observing();
        ThrottledCall call = Calls.of(throttle).newCall();
        call.acquireAsync().join().complete(USED_UP);
        throttle.reconfigure(key -> key.mode(ThrottleMode.ENFORCE));
        line.ask(call, "again");
        assertThat(line.events).isEmpty();
        line.advanceMillis(31_000);
        assertThat(line.events).hasSize(1);
    }

    @Test
    void aDroppedThrottleFollowsTheModeOfItsRegistry() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .mode(ThrottleMode.OBSERVE)
                .maxKeys(1)
                .mostKeys(1)
                .build();
        Throttle dropped = throttles.get("a");
        dropped.tryAcquire().complete(Signal.SUCCESS);
        for (int i = 0; i < 50 && !dropped.isEvicted(); i++) {
            throttles.get("other " + i).tryAcquire().complete(Signal.SUCCESS);
        }
        assertThat(dropped.isEvicted()).isTrue();
        throttles.reconfigure(all -> all.mode(ThrottleMode.ENFORCE));
        throttles.pause();
        line.ask(dropped, "held");
        assertThat(line.events).isEmpty();
        assertThat(dropped.tryAcquire()).isNull();
    }

    @Test
    void keysHaveModesOfTheirOwn() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .forKeys("new.example", key -> key.mode(ThrottleMode.OBSERVE))
                .build();
        throttles.pause();
        assertThat(throttles.get("https://new.example:443").tryAcquire()).isNotNull();
        assertThat(throttles.get("https://old.example:443").tryAcquire()).isNull();
    }
}
