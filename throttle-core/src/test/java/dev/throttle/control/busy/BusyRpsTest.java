package dev.throttle.control.busy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Traffic;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BusyRpsTest {

    private static final long SECOND = 1_000_000_000;

    private final VirtualTime time = new VirtualTime();

    private Throttle throttle(BusyRps.Builder builder) {
        return Throttle.builder()
                .strategy(builder.build())
                .retryPolicy(RetryPolicy.none())
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    /** From the cap on and driven once a second, whatever the busy responses. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 200, 0.5})
    void theRunningControllerDrivenOnceASecondIsTheModel(double recoverValue) {
        for (int seed = 0; seed < 1000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            BusyRpsModel model =
                    recoverValue > 0 ? BusyRpsModel.recoverValue(recoverValue) : BusyRpsModel.recoverRate(3);
            RateController controller = Strategies.busyRps()
                    .recoverValue(recoverValue)
                    .initialLimit(BusyRpsModel.CAP)
                    .build()
                    .newController(ControllerHost.detached(random));
            double limit = BusyRpsModel.CAP;
            int asked = random.nextInt(1, 6000);
            for (long second = 1; second < 60; second++) {
                long now = second * SECOND;
                int heldBack = (int) Math.max(0, asked - limit);
                controller.onSignal(
                        Signal.SUCCESS, Traffic.QUIET.waiting(heldBack).perSecond(asked - heldBack), now);
                if (controller.limitPerSecond() == Double.POSITIVE_INFINITY) {
                    assertThat(limit).isGreaterThan(asked);
                } else {
                    assertThat(controller.limitPerSecond()).isCloseTo(limit, within(limit * 1e-9));
                }
                int through = (int) Math.min(asked, limit);
                int busy = random.nextInt(3) > 0 ? 0 : random.nextInt(through + 1);
                for (int i = 0; i < through; i++) {
                    controller.onAdmitted(Cost.ONE, 0, now);
                }
                for (int i = 0; i < busy; i++) {
                    controller.onSignal(Signal.BUSY, Traffic.QUIET.perSecond(0), now);
                }
                limit = model.next(limit, busy);
            }
        }
    }

    @Test
    void thereIsNoLimitUntilTheFirstBusyResponseWhichHalvesWhatWasMeasured() {
        Throttle throttle = throttle(Strategies.busyRps());
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            permits.add(throttle.acquireAsync().join());
            time.advance(Duration.ofMillis(10).minusNanos(1));
        }
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
        permits.get(0).complete(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(50);
        permits.get(1).complete(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(25);
        permits.get(2).complete(Signal.RATE_LIMITED);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(25);
    }

    @Test
    void requestsAreSpacedByTheLimitAndCatchUpAsItRecovers() {
        Throttle throttle = throttle(Strategies.busyRps().initialLimit(8));
        long start = time.nanoTime();
        throttle.acquireAsync().join().complete(Signal.BUSY);
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            throttle.acquireAsync().thenAccept(p -> millis.add((time.nanoTime() - start) / 1_000_000));
        }
        while (time.advanceToNextTask()) {
            assertThat(millis).hasSizeLessThanOrEqualTo(8);
        }
        // 4 a second in the first second, 16 a second in the next
        assertThat(millis).containsExactly(250L, 500L, 750L, 1000L, 1062L, 1125L, 1187L, 1250L);
    }

    @Test
    void atMostTwentyHalvingsCountInASecond() {
        RateController controller = Strategies.busyRps()
                .initialLimit(1 << 20)
                .build()
                .newController(ControllerHost.detached(new SplittableRandom(1)));
        for (int i = 0; i < 1000; i++) {
            controller.onSignal(Signal.BUSY, Traffic.QUIET.perSecond(0), SECOND);
        }
        assertThat(controller.limitPerSecond()).isEqualTo(1);
        controller.onSignal(Signal.SUCCESS, Traffic.QUIET.perSecond(0), 2 * SECOND);
        assertThat(controller.limitPerSecond()).isEqualTo(4);
    }

    @Test
    void theLimitIsLiftedWhenLessIsAskedForThanItAllows() {
        Throttle throttle = throttle(Strategies.busyRps().initialLimit(100));
        throttle.acquireAsync().join().complete(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(50);
        for (int i = 0; i < 30 && throttle.snapshot().rateLimit() < Double.POSITIVE_INFINITY; i++) {
            time.advance(Duration.ofMillis(100));
            throttle.acquireAsync().join().complete(Signal.SUCCESS);
        }
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
        assertThat(Duration.ofNanos(time.nanoTime())).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void whatExceedsTheLimitIsRefusedIfSoConfigured() {
        Throttle throttle = throttle(Strategies.busyRps().initialLimit(4).maxWait(Duration.ZERO));
        throttle.acquireAsync().join().complete(Signal.BUSY);
        CompletableFuture<Permit> refused = throttle.acquireAsync();
        assertThat(refused).isCompletedExceptionally();
        assertThatThrownBy(refused::join).cause().isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
            assertThat(e.reason()).isEqualTo("busy-rps");
            assertThat(e.neededWait()).isEqualTo(Duration.ofMillis(500));
            assertThat(e.allowedWait()).isZero();
        });
        time.advance(Duration.ofMillis(500));
        assertThat(throttle.acquireAsync()).isCompleted();
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void quotaRefusalsCountAsBusyIfSoConfigured() {
        Throttle throttle = throttle(Strategies.busyRps().initialLimit(4).rateLimitedIsBusy(true));
        throttle.acquireAsync().join().complete(Signal.RATE_LIMITED);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(2);
    }

    /** A server that answers busy to everything for a minute is asked ever less, and found again within seconds. */
    @Test
    void afterALongOverloadTheServerIsFoundAgain() {
        Throttle throttle = throttle(Strategies.busyRps());
        long healthyAt = time.nanoTime() + 60 * SECOND;
        long[] sent = {0, 0};
        long[] backAt = {0};
        for (int client = 0; client < 20; client++) {
            send(throttle, healthyAt, sent, backAt);
        }
        time.advance(Duration.ofSeconds(75));
        assertThat(sent[0]).isLessThan(200);
        assertThat(backAt[0] - healthyAt).isLessThan(12 * SECOND);
        assertThat(sent[1]).isGreaterThan(1000);
    }

    private void send(Throttle throttle, long healthyAt, long[] sent, long[] backAt) {
        throttle.acquireAsync()
                .thenAccept(permit -> time.schedule(50_000_000, () -> {
                    boolean healthy = time.nanoTime() >= healthyAt;
                    sent[healthy ? 1 : 0]++;
                    backAt[0] = healthy && backAt[0] == 0 ? time.nanoTime() : backAt[0];
                    permit.complete(healthy ? Signal.SUCCESS : Signal.BUSY);
                    send(throttle, healthyAt, sent, backAt);
                }));
    }
}
