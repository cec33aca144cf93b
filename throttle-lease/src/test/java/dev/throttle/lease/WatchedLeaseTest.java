package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.SharedLimit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Looking at a throttle takes no permits from other processes. */
class WatchedLeaseTest {

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(time, 10, 10, Duration.ofMillis(1));

    private LeasedLimit limit() {
        return LeasedLimit.builder(store.of(0), 10, Duration.ofSeconds(1))
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
    }

    private Throttle throttle(Strategy limit) {
        return Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit)
                .time(time)
                .executor(task -> time.schedule(0, task))
                .build();
    }

    private void look(Throttle throttle) {
        for (int i = 0; i < 40; i++) {
            throttle.estimateWait(CallOptions.DEFAULT);
            throttle.explainWait();
            throttle.snapshot();
            time.advance(Duration.ofMillis(250));
        }
    }

    @Test
    void estimatesAndSnapshotsLeaseNothing() {
        Throttle throttle = throttle(limit());
        look(throttle);
        assertThat(store.questions).isZero();
    }

    @Test
    void norDoTheyWhereTheLimitIsSharedByThrottles() {
        Throttle throttle = throttle(SharedLimit.of("all", limit()));
        look(throttle);
        assertThat(store.questions).isZero();
    }

    @Test
    void afterTrafficLeasingEnds() {
        Throttle throttle = throttle(limit());
        throttle.acquireAsync().thenAccept(permit -> permit.complete(Signal.SUCCESS));
        time.advance(Duration.ofSeconds(5));
        int questions = store.questions;
        assertThat(questions).isPositive();
        look(throttle);
        assertThat(store.questions).isEqualTo(questions);
    }

    @Test
    void aCallerThatDoesNotWaitLeasesForItsNextTry() {
        Throttle throttle = throttle(limit());
        assertThat(throttle.tryAcquire()).isNull();
        time.advance(Duration.ofMillis(5));
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void aLoneCallerFindsItsPermitOrWaitsForOneAnswerOfTheStore() {
        Throttle throttle = throttle(limit());
        long[] waited = new long[20];
        for (int i = 0; i < waited.length; i++) {
            long asked = time.nanoTime();
            int call = i;
            throttle.acquireAsync().thenAccept(permit -> {
                waited[call] = time.nanoTime() - asked;
                permit.complete(Signal.SUCCESS);
            });
            time.advance(Duration.ofMillis(110));
        }
        assertThat(waited).containsOnly(2_000_000, 0).startsWith(2_000_000).endsWith(0, 0, 0, 0);
    }
}
