package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** No call goes before the time that was estimated for it, whatever its priority. */
class EstimateByPriorityTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.none())
            .limit(Strategies.tokenBucket()
                    .rate(1, Duration.ofSeconds(1))
                    .burst(10)
                    .build())
            .priorities(PriorityPolicy.standard().reserve(Priority.BATCH, 0.5))
            .build();

    private CompletableFuture<String> call(Priority priority) {
        return throttle.executeAsync(
                CallOptions.DEFAULT.priority(priority),
                () -> CompletableFuture.completedFuture("done"),
                result -> Signal.SUCCESS);
    }

    private Duration estimate(Priority priority) {
        return throttle.estimateWait(CallOptions.DEFAULT.priority(priority)).atLeast();
    }

    @Test
    void aCallThatAHigherClassLetsGoFirstIsNotPutBehindTheHead() throws Exception {
        for (int i = 0; i < 6; i++) {
            throttle.acquire().complete(Signal.SUCCESS);
        }
        CompletableFuture<String> batch = call(Priority.BATCH); // four of ten are left, five are reserved
        assertThat(batch).isNotDone();
        assertThat(estimate(Priority.INTERACTIVE)).isZero();
        assertThat(estimate(Priority.NORMAL)).isZero();
        assertThat(estimate(Priority.BATCH)).isEqualTo(Duration.ofSeconds(3));
        assertThat(call(Priority.INTERACTIVE)).isDone();
        line.advanceMillis(10_000);
        assertThat(batch).isDone();
    }
}
