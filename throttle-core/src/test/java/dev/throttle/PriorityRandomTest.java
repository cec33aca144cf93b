package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Callers of all classes, and of several tenants, come, wait, are refused, give up and are dropped at random: none of
 * them is lost.
 */
class PriorityRandomTest {

    private static final int CALLS = 400;

    private final Timeline line = new Timeline();

    /** A call, the place it has, and how it was asked for. */
    private static final class Caller {
        final ThrottledCall call;
        CompletableFuture<Permit> place;

        Caller(ThrottledCall call) {
            this.call = call;
            this.place = call.acquireAsync();
        }
    }

    private static Strategy limit(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 ->
                Strategies.tokenBucket()
                        .rate(50, Duration.ofSeconds(1))
                        .burst(10)
                        .build();
            case 1 ->
                Strategies.slidingWindowCounter()
                        .limit(10)
                        .window(Duration.ofMillis(200))
                        .build();
            case 2 -> Strategies.inFlight().limit(5).build();
            default -> TestStrategies.sleep(Duration.ofMillis(20));
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void nobodyIsLost(int group) {
        for (int seed = 0; seed < 100; seed++) {
            run(new SplittableRandom(1_000L * group + seed));
        }
    }

    private void run(SplittableRandom random) {
        Throttle throttle = line.throttle(limit(random))
                .maxWaiting(5 + random.nextInt(60))
                .whenFull(WhenFull.values()[random.nextInt(2)])
                .maxWait(Duration.ofSeconds(1 + random.nextInt(60)))
                .priorities(PriorityPolicy.standard()
                        .weights(1 + random.nextInt(20), 1 + random.nextInt(5), 1 + random.nextInt(3))
                        .promoteAfter(Duration.ofMillis(1 + random.nextInt(2_000)))
                        .reserve(Priority.BATCH, random.nextInt(3) * 0.2)
                        .reserve(Priority.NORMAL, random.nextInt(2) * 0.1))
                .build();
        List<Caller> callers = new ArrayList<>();
        int granted = 0;
        for (int i = 0; i < CALLS; i++) {
            Priority priority = Priority.values()[random.nextInt(3)];
            String tenant = random.nextInt(4) == 0 ? null : "tenant" + random.nextInt(1 + i / 50);
            CallOptions options =
                    CallOptions.DEFAULT.priority(priority).tenant(tenant).permits(random.nextInt(3) == 0 ? 3 : 1);
            callers.add(new Caller(Calls.of(throttle).newCall(options)));
            assertThat(throttle.estimateWait(options).atLeast()).isGreaterThanOrEqualTo(Duration.ZERO);
            if (random.nextInt(50) == 0) {
                int weight = 1 + random.nextInt(5);
                throttle.reconfigure(settings -> settings.tenantWeights(Map.of("tenant0", weight)));
            }
            granted += step(callers, random);
            line.time.advanceNanos(random.nextInt(30_000_000));
        }
        for (int i = 0; i < 100_000 && !callers.isEmpty(); i++) {
            granted += step(callers, random);
            line.time.advanceNanos(random.nextInt(100_000_000));
        }
        assertThat(callers).isEmpty();
        assertThat(granted).isPositive();
        ThrottleSnapshot end = throttle.snapshot();
        assertThat(end.waiting()).isZero();
        assertThat(end.waitingTenants()).isZero();
        assertThat(end.inFlight()).isZero();
        assertThat(end.waitingByPriority())
                .isEqualTo(Map.of(Priority.INTERACTIVE, 0, Priority.NORMAL, 0, Priority.BATCH, 0));
        line.advanceMillis(100_000);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    /** Something happens to some of the callers; {@return how many permits were ended} */
    private static int step(List<Caller> callers, SplittableRandom random) {
        int ended = 0;
        for (int i = callers.size() - 1; i >= 0; i--) {
            Caller caller = callers.get(i);
            if (!caller.place.isDone()) {
                if (random.nextInt(200) == 0) {
                    caller.place.cancel(false);
                }
            } else if (caller.place.isCompletedExceptionally()) {
                callers.remove(i);
            } else if (random.nextBoolean()) {
                ended++;
                Permit permit = caller.place.join();
                boolean refused = random.nextInt(5) == 0;
                Signal signal = refused ? Timeline.retryAfter(Duration.ofMillis(random.nextInt(50))) : Signal.SUCCESS;
                if (permit.complete(signal).isRetry()) {
                    caller.place = caller.call.acquireAsync();
                } else {
                    callers.remove(i);
                }
            }
        }
        return ended;
    }
}
