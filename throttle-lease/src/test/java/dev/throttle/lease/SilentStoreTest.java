package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A store that falls silent: no caller waits long for it, and what was granted before counts. */
class SilentStoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SHARERS = 5;

    private final VirtualTime time = new VirtualTime();
    private final List<Long> departures = new ArrayList<>();
    private boolean isSilent;

    /** Grants what is wanted at once, and later neither answers nor fails for half a second. */
    private final class Source implements LeaseSource {

        @Override
        public CompletionStage<Lease> lease(String key, long least, long wanted) {
            CompletableFuture<Lease> answer = new CompletableFuture<>();
            if (isSilent) {
                time.schedule(500_000_000, () -> answer.completeExceptionally(new IllegalStateException("silent")));
            } else {
                Lease lease = new Lease(wanted, Duration.ZERO, Duration.ZERO, Duration.ofMillis(20), SHARERS, "");
                time.schedule(1_000_000, () -> answer.complete(lease));
            }
            return answer;
        }

        @Override
        public void giveBack(String key, Lease lease) {}
    }

    private Throttle throttle(LeasedLimit.Builder limit) {
        return Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit.time(time).executor(task -> time.schedule(0, task)).build())
                .time(time)
                .executor(task -> time.schedule(0, task))
                .maxWait(Duration.ofDays(1))
                .build();
    }

    private void send(Throttle throttle) {
        throttle.acquireAsync().thenAccept(permit -> {
            departures.add(time.nanoTime());
            permit.complete(Signal.SUCCESS);
        });
    }

    @Test
    void whoUsesLittleWaitsForAMomentOnly() {
        Throttle throttle = throttle(LeasedLimit.builder(new Source(), 1000, SECOND));
        long longest = 0;
        for (int i = 0; i < 60; i++) {
            isSilent = i >= 10;
            int before = departures.size();
            long askedAt = time.nanoTime();
            send(throttle);
            time.advance(Duration.ofMillis(100));
            while (departures.size() == before) {
                time.advance(Duration.ofMillis(1));
            }
            longest = Math.max(longest, departures.get(before) - askedAt);
        }
        assertThat(longest).isBetween(200_000_000L, 400_000_000L);
    }

    /** The next permit of its share is five seconds away. */
    @Test
    void aSlowShareKeepsNobodyFromAStoreThatIsBack() {
        Throttle throttle = throttle(LeasedLimit.builder(new Source(), 1, SECOND));
        send(throttle);
        time.advance(Duration.ofMillis(200));
        isSilent = true;
        send(throttle);
        time.advance(SECOND);
        assertThat(departures).hasSize(1);
        isSilent = false;
        time.advance(SECOND);
        assertThat(departures).hasSize(2);
    }

    /** Thirty in three seconds for five processes: this one has six, and used them just before. */
    @Test
    void whatWasSpentOfAWindowBeforeCounts() {
        Throttle throttle = throttle(
                LeasedLimit.builder(new Source(), 30, Duration.ofSeconds(3)).slidingWindow());
        for (int i = 0; i < 6; i++) {
            send(throttle);
            time.advance(Duration.ofMillis(10));
        }
        assertThat(departures).hasSize(6);
        time.advance(Duration.ofMillis(50)); // what is left of the leases expires
        isSilent = true;
        for (int i = 0; i < 20; i++) {
            send(throttle);
        }
        time.advance(Duration.ofMillis(2800));
        assertThat(departures).hasSize(6);
        time.advance(Duration.ofSeconds(20));
        assertThat(departures.size()).isGreaterThan(20);
        for (int i = 6; i < departures.size(); i++) {
            assertThat(departures.get(i) - departures.get(i - 6))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(3).toNanos());
        }
    }

    /** Callers come late for their permits; those that follow do not make up for it within the window. */
    @Test
    void permitsOfTheShareAreGoodForAsLongAsThoseOfALease() {
        Throttle throttle =
                throttle(LeasedLimit.builder(new Source(), 200, SECOND).slidingWindow());
        send(throttle);
        time.advance(Duration.ofMillis(10));
        isSilent = true;
        for (int i = 0; i < 400; i++) {
            send(throttle);
            send(throttle);
            time.advance(Duration.ofMillis(i % 50 == 0 ? 190 : 25));
        }
        for (int i = 40; i < departures.size(); i++) {
            assertThat(departures.get(i) - departures.get(i - 40)).isGreaterThanOrEqualTo(SECOND.toNanos());
        }
    }
}
