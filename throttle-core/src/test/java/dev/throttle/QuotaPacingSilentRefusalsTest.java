package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * {@code quota-pacing} before a bucket of 1,000 points that gets 50 a second, and refuses without saying for how long.
 */
class QuotaPacingSilentRefusalsTest {

    private static final Duration LATENCY = Duration.ofMillis(200);

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.quotaPacing().build())
            .maxWait(Duration.ofDays(1))
            .build();
    private double level = 1000;
    private long filledAt = line.time.nanoTime();
    private int refused;

    private void holds(double points) {
        level = points;
        filledAt = line.time.nanoTime();
    }

    /** The body tells what is left; {@return whether the request is sent again} */
    private boolean answer(Permit permit, double cost) {
        long now = line.time.nanoTime();
        holds(Math.min(1000, level + 50 * (now - filledAt) / 1e9));
        boolean accepted = level >= cost;
        level -= accepted ? cost : 0;
        refused += accepted ? 0 : 1;
        Quota quota = new Quota("graphql", 1000L, (long) level, null, Duration.ofSeconds(20), Quota.POINTS, null);
        permit.observe(new RateHints(null, List.of(quota)));
        boolean retry =
                permit.complete(accepted ? Signal.SUCCESS : Signal.RATE_LIMITED).isRetry();
        if (accepted) {
            permit.settle(Cost.of(Quota.POINTS, (long) cost));
        }
        return retry;
    }

    private void call(ThrottledCall call, double cost) {
        boolean retry = true;
        while (retry) {
            CompletableFuture<Permit> asked = call.acquireAsync();
            for (int step = 0; step < 6000 && !asked.isDone(); step++) {
                line.time.advance(Duration.ofMillis(10));
            }
            assertThat(asked).isDone();
            line.time.advance(LATENCY);
            retry = answer(asked.join(), cost);
        }
    }

    /** Calls of 15 to 240 points, 93 on average. */
    private void calls(int count) {
        for (int i = 0; i < count; i++) {
            call(Calls.of(throttle).newCall(), 15 << i % 5);
        }
    }

    private ThrottledCall refusedAt(double points, double cost) {
        ThrottledCall large = Calls.of(throttle).newCall();
        CompletableFuture<Permit> asked = large.acquireAsync();
        for (int step = 0; step < 6000 && !asked.isDone(); step++) {
            line.time.advance(Duration.ofMillis(10));
        }
        assertThat(asked).isDone();
        Permit permit = asked.join();
        holds(points);
        assertThat(answer(permit, cost)).isTrue();
        return large;
    }

    @Test
    void aRefusedRequestIsTakenForAThirdMoreThanWasLeft() {
        calls(40);
        ThrottledCall large = refusedAt(400, 900);
        assertThat(large.acquireAsync()).isNotDone();
        assertThat(large.cost().amount(Quota.POINTS)).isEqualTo(520);
        assertThat(Calls.of(throttle).newCall().cost()).isNotEqualTo(large.cost());
    }

    @Test
    void itWaitsUntilThatMuchIsLeft() {
        calls(40);
        ThrottledCall large = refusedAt(400, 900);
        refused = 0;
        double start = line.time.nanoTime();
        call(large, 900);
        assertThat(refused).as("520, 676 and 879 are too little").isLessThanOrEqualTo(3);
        assertThat((line.time.nanoTime() - start) / 1e9).isBetween(10.0, 20.0); // 500 points come back
    }
}
