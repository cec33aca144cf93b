package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Processes with {@code quota-pacing} that know nothing of each other, before one bucket of 30,000 tokens that gets
 * 10,000 a second. A call takes 500 to 7,500.
 */
class QuotaPacingTokenSharesTest {

    private static final double CAPACITY = 30_000;
    private static final double PER_SECOND = 10_000;
    private static final Duration ONE_WAY = Duration.ofMillis(250);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final SplittableRandom costs = new SplittableRandom(3);
    private double level = CAPACITY;
    private long filledAt = time.nanoTime();
    private int sent;
    private int refused;

    /** A program with a throttle of its own, and callers that never tire. */
    private final class Program {

        final Throttle throttle;
        double taken;
        boolean leaves;

        Program(int seed, int callers) {
            throttle = line.throttle(Strategies.quotaPacing().build())
                    .seed(seed)
                    .maxWait(Duration.ofDays(1))
                    .build();
            for (int i = 0; i < callers; i++) {
                ask(Calls.of(throttle).newCall(), 500 + costs.nextInt(7000));
            }
        }

        @SuppressWarnings("FutureReturnValueIgnored") // nobody is turned away
        private void ask(ThrottledCall call, long cost) {
            call.acquireAsync()
                    .thenAccept(permit -> time.schedule(ONE_WAY.toNanos(), () -> arrive(call, permit, cost)));
        }

        private void arrive(ThrottledCall call, Permit permit, long cost) {
            long now = time.nanoTime();
            level = Math.min(CAPACITY, level + PER_SECOND * (now - filledAt) / 1e9);
            filledAt = now;
            boolean accepted = level >= cost;
            level -= accepted ? cost : 0;
            taken += accepted ? cost : 0;
            sent++;
            refused += accepted ? 0 : 1;
            Duration full = seconds((CAPACITY - level) / PER_SECOND);
            Quota quota = new Quota(null, (long) CAPACITY, (long) level, full, null, Quota.TOKENS, null);
            RateHints hints = new RateHints(accepted ? null : seconds((cost - level) / PER_SECOND), List.of(quota));
            Signal signal = Signal.of(accepted ? Outcome.SUCCESS : Outcome.RATE_LIMITED, hints);
            time.schedule(ONE_WAY.toNanos(), () -> answered(call, permit, signal, cost));
        }

        private void answered(ThrottledCall call, Permit permit, Signal signal, long cost) {
            boolean retry = permit.complete(signal).isRetry();
            if (retry) {
                ask(call, cost);
            } else {
                permit.settle(Cost.of(Quota.TOKENS, cost));
            }
            if (!retry && !leaves) {
                ask(Calls.of(throttle).newCall(), 500 + costs.nextInt(7000));
            }
        }
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) Math.ceil(seconds * 1e9));
    }

    @Test
    void processesThatBeginTogetherGetTheSameAndAreHardlyRefused() {
        List<Program> all = List.of(new Program(1, 10), new Program(2, 10), new Program(3, 10), new Program(4, 10));
        time.advance(Duration.ofMinutes(10));
        double most = all.stream().mapToDouble(program -> program.taken).max().orElse(0);
        double least = all.stream().mapToDouble(program -> program.taken).min().orElse(0);
        double used = all.stream().mapToDouble(program -> program.taken).sum();
        assertThat(least).isGreaterThan(0.75 * most);
        assertThat(used).isGreaterThan(0.94 * PER_SECOND * 600);
        assertThat(refused).isLessThan(sent * 6 / 100);
    }

    @Test
    void oneThatIsLeftBehindTakesAllThereIs() {
        Program stays = new Program(1, 10);
        Program goes = new Program(2, 10);
        time.advance(Duration.ofMinutes(3));
        goes.leaves = true;
        time.advance(Duration.ofMinutes(1));
        double before = stays.taken;
        time.advance(Duration.ofMinutes(2));
        assertThat(stays.taken - before).isGreaterThan(0.95 * PER_SECOND * 120);
    }
}
