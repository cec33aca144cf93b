package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While the store is away for a minute no more is refused than without a fleet. */
class StoreAwayForAMinuteTest {

    private static final int PROCESSES = 6;
    private static final int CALLERS = 3;
    private static final double PER_SECOND = 20;
    private static final double CAPACITY = 20;
    private static final Duration LATENCY = Duration.ofMillis(200);

    /** The server's bucket, which tells what is left. */
    private static final class Server {

        final VirtualTime time;
        double left = CAPACITY;
        long filledAt;
        int accepted;
        int refused;

        Server(VirtualTime time) {
            this.time = time;
            this.filledAt = time.nanoTime();
        }

        Signal answer() {
            long now = time.nanoTime();
            left = Math.min(CAPACITY, left + (now - filledAt) / 1e9 * PER_SECOND);
            filledAt = now;
            boolean isAccepted = left >= 1;
            left -= isAccepted ? 1 : 0;
            accepted += isAccepted ? 1 : 0;
            refused += isAccepted ? 0 : 1;
            Quota quota = new Quota(null, null, (long) left, null, null);
            return new Signal(isAccepted ? Outcome.SUCCESS : Outcome.RATE_LIMITED, new RateHints(null, List.of(quota)));
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final Server server = new Server(time);
    private final SimulatedStore store = new SimulatedStore(time, PER_SECOND, 10, Duration.ofMillis(1));
    private final List<Throttle> throttles = new ArrayList<>();
    private int told = 1;

    private void start(boolean isFleet, boolean hasLimit, long seed) {
        for (int i = 0; i < PROCESSES; i++) {
            Throttle.Builder builder = Throttle.builder()
                    .strategy(Strategies.quotaPacing().build())
                    .time(time)
                    .executor(task -> time.schedule(0, task))
                    .maxWait(Duration.ofDays(1))
                    .seed(seed + i);
            if (isFleet && hasLimit) {
                builder.limit(LeasedLimit.builder(store.of(i), (long) PER_SECOND, Duration.ofSeconds(1))
                        .burst(10)
                        .time(time)
                        .executor(task -> time.schedule(0, task))
                        .build());
            }
            Throttle throttle = builder.build();
            throttles.add(throttle);
            for (int caller = 0; caller < CALLERS; caller++) {
                next(throttle);
            }
        }
        if (isFleet) {
            tell();
        }
    }

    private void next(Throttle throttle) {
        ask(throttle, Calls.of(throttle).newCall());
    }

    private void ask(Throttle throttle, ThrottledCall call) {
        call.acquireAsync()
                .thenAccept(permit -> time.schedule(LATENCY.toNanos(), () -> answer(throttle, call, permit)));
    }

    private void answer(Throttle throttle, ThrottledCall call, Permit permit) {
        Signal signal = server.answer();
        time.schedule(LATENCY.toNanos(), () -> {
            permit.complete(signal);
            next(throttle);
        });
    }

    /** What a fleet tells each second: how many there are, and how fast they go together. */
    private void tell() {
        double together = throttles.stream()
                .mapToDouble(throttle -> throttle.snapshot().rateLimit())
                .filter(Double::isFinite)
                .average()
                .orElse(Double.NaN);
        double perSecond = together * told;
        told = PROCESSES;
        throttles.forEach(throttle -> throttle.reportSharers(PROCESSES, perSecond));
        if (!store.away) {
            time.schedule(1_000_000_000L, () -> {
                if (!store.away) {
                    tell();
                }
            });
        }
    }

    private double refusedShare(boolean isFleet, boolean hasLimit, long seed) {
        start(isFleet, hasLimit, seed);
        time.advance(Duration.ofMinutes(2));
        server.accepted = 0;
        server.refused = 0;
        store.away = true;
        time.advance(Duration.ofSeconds(10));
        if (isFleet) {
            throttles.forEach(throttle -> throttle.reportSharers(0, Double.NaN)); // nobody is heard of any more
        }
        time.advance(Duration.ofSeconds(50));
        store.away = false;
        if (isFleet) {
            tell();
        }
        time.advance(Duration.ofSeconds(10));
        assertThat(server.accepted).isGreaterThan((int) (0.5 * 70 * PER_SECOND));
        return (double) server.refused / (server.accepted + server.refused);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 300})
    void ofWhatWasLearned(long seed) {
        double without = new StoreAwayForAMinuteTest().refusedShare(false, false, seed);
        double with = refusedShare(true, false, seed);
        assertThat(with).isLessThanOrEqualTo(without);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 300})
    void ofALimit(long seed) {
        double without = new StoreAwayForAMinuteTest().refusedShare(false, false, seed);
        double with = refusedShare(true, true, seed);
        assertThat(with).isLessThanOrEqualTo(without);
    }
}
