package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What becomes of permits that nobody uses in time, where a window is so long that nothing comes after them. */
class LapsedPermitsTest {

    private static final int HOURLY = 60;
    private static final Duration VALID = Duration.ofMillis(200);

    private final VirtualTime time = new VirtualTime();
    private final Window window = new Window();
    private final LeasedLimit limit = LeasedLimit.builder(window, HOURLY, Duration.ofHours(1))
            .burst(HOURLY)
            .whenAway(WhenAway.CLOSED)
            .time(time)
            .executor(task -> time.schedule(0, task))
            .build();
    private final Throttle throttle = Throttle.builder()
            .strategy(Strategies.none())
            .limit(limit)
            .time(time)
            .executor(task -> time.schedule(0, task))
            .maxWait(Duration.ofDays(1))
            .retryAfterJitter(0, Duration.ZERO)
            .seed(1)
            .build();

    /** Sixty permits an hour, and the hour does not end. */
    private static final class Window implements LeaseSource {

        private long left = HOURLY;

        @Override
        public CompletionStage<Lease> lease(String key, long least, long wanted) {
            long given = left < least ? 0 : Math.min(left, wanted);
            left -= given;
            return CompletableFuture.completedFuture(
                    given == 0
                            ? Lease.none(Duration.ofSeconds(5), 1)
                            : new Lease(given, Duration.ZERO, Duration.ZERO, VALID, 1, "due"));
        }

        @Override
        public void giveBack(String key, Lease lease) {
            assertThat(lease.receipt()).isEqualTo("due");
            left += lease.permits();
        }
    }

    private void send(Signal answer) {
        CompletableFuture<Permit> permit = throttle.acquireAsync();
        for (int i = 0; i < 1000 && !permit.isDone(); i++) {
            time.advance(Duration.ofMillis(100));
        }
        assertThat(permit).as("of " + window.left).isDone();
        permit.join().complete(answer);
    }

    @Test
    void whoeverWaitsForTheServerLosesNone() {
        send(new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(1), List.of())));
        CompletableFuture<Permit> waits = throttle.acquireAsync();
        time.advance(Duration.ofMinutes(2));
        Objects.requireNonNull(waits.join()).complete(Signal.SUCCESS);
        time.advance(Duration.ofSeconds(10));
        assertThat(window.left).isEqualTo(HOURLY - 2);
    }

    @Test
    void nobodyLosesAnyBetweenCalls() {
        for (int i = 0; i < HOURLY; i++) {
            send(Signal.SUCCESS);
            time.advance(Duration.ofMillis(50L * i));
        }
        time.advance(Duration.ofSeconds(10));
        assertThat(window.left).isZero();
    }

    @Test
    void whoeverWaitsForAnotherLimitLosesNone() {
        Throttle both = Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit)
                .limit(Strategies.tokenBucket()
                        .rate(1, Duration.ofSeconds(30))
                        .burst(1)
                        .build())
                .time(time)
                .executor(task -> time.schedule(0, task))
                .maxWait(Duration.ofDays(1))
                .seed(1)
                .build();
        List<CompletableFuture<Permit>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(both.acquireAsync());
        }
        time.advance(Duration.ofMinutes(5));
        all.forEach(permit -> permit.join().complete(Signal.SUCCESS));
        time.advance(Duration.ofSeconds(10));
        assertThat(window.left).isEqualTo(HOURLY - 5);
    }
}
