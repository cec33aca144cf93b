package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rate that at most doubles in a time, and a server that demands that. */
class RampUpTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final long start = time.nanoTime();

    private double seconds() {
        return (time.nanoTime() - start) / 1e9;
    }

    /** It refuses what exceeds twice the number of the ten seconds before the last ten. */
    private final class AccelerationLimit implements Callers.Server {

        private static final int FREE = 100;
        private final List<Long> accepted = new ArrayList<>();
        /** How many of them are older than ten and than twenty seconds. */
        private int old;

        private int veryOld;
        private int refused;

        private int olderThan(int seconds, int atLeast) {
            int count = atLeast;
            while (count < accepted.size() && accepted.get(count) <= time.nanoTime() - seconds * 1_000_000_000L) {
                count++;
            }
            return count;
        }

        @Override
        public ResponseHead answer() {
            old = olderThan(10, old);
            veryOld = olderThan(20, veryOld);
            if (accepted.size() - old + 1 > Math.max(FREE, 2 * (old - veryOld))) {
                refused++;
                return Heads.status(429);
            }
            accepted.add(time.nanoTime());
            return Heads.status(200);
        }
    }

    private Callers busy(Throttle throttle, Callers.Server server) {
        return new Callers(time, throttle, Duration.ofMillis(100), server).untiring(200);
    }

    private long[] perPeriod(Callers callers, int periods) {
        long[] sent = new long[periods];
        for (int i = 0; i < periods; i++) {
            sent[i] = callers.between(10 * i, 10 * (i + 1)).count();
        }
        return sent;
    }

    /** Where all is used it is a little less than twice as much, so that no period of the server has more. */
    @Test
    void theRateNearlyDoublesInEachPeriod() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 10).build();
        Callers callers = busy(throttle, () -> Heads.status(200));
        time.advance(Duration.ofSeconds(81));
        long[] sent = perPeriod(callers, 8);
        assertThat(sent[0]).isBetween(99L, 101L);
        for (int i = 3; i < sent.length; i++) {
            assertThat((double) sent[i] / sent[i - 1]).as(Arrays.toString(sent)).isBetween(1.6, 2.0);
        }
    }

    @Test
    void theServerThatLimitsTheGrowthRefusesNothing() {
        AccelerationLimit server = new AccelerationLimit();
        Throttle throttle = line.throttle(Strategies.quotaPacing().build())
                .rampUp(PERIOD, 9)
                .build();
        Callers callers = busy(throttle, server);
        time.advance(Duration.ofSeconds(90));
        assertThat(server.refused).isZero();
        assertThat(callers.between(80, 90).count()).isGreaterThan(5_000);
    }

    @Test
    void withoutItTheServerRefusesMany() {
        AccelerationLimit server = new AccelerationLimit();
        busy(line.throttle(Strategies.quotaPacing().build()).build(), server);
        time.advance(Duration.ofSeconds(90));
        assertThat(server.refused).isGreaterThan(100);
    }

    /** Many come again and again, with pauses of all lengths. */
    @ParameterizedTest
    @ValueSource(ints = {3, 8, 12, 15, 25, 40})
    void afterAPauseItRefusesNothingEither(int pauseSeconds) {
        AccelerationLimit server = new AccelerationLimit();
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 9).build();
        for (int i = 0; i < 6; i++) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int call = 0; call < 3_000; call++) {
                ThrottledCall next = Calls.of(throttle).newCall();
                all.add(next.acquireAsync().thenAccept(permit -> permit.complete(server.answer())));
            }
            CompletableFuture<Void> done = CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
            while (!done.isDone() && time.advanceToNextTask()) {}
            time.advance(Duration.ofSeconds(pauseSeconds));
        }
        assertThat(server.refused).isZero();
    }

    @Test
    void afterAnIdleTimeItBeginsAgain() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 10).build();
        for (int i = 0; i < 2_000; i++) {
            Calls.of(throttle).newCall().acquireAsync().thenAccept(permit -> permit.complete(Signal.SUCCESS));
        }
        time.advance(Duration.ofSeconds(50));
        assertThat(throttle.snapshot().rateLimit()).isGreaterThan(50);
        time.advance(Duration.ofSeconds(40));
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(10);
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    /** Who uses five a second may go to twelve, and not to what an unused limit would have grown to. */
    @Test
    void whatIsNotUsedDoesNotGrow() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 4).build();
        new Callers(time, throttle, Duration.ofMillis(10), () -> Heads.status(200)).oneEvery(Duration.ofMillis(200));
        time.advance(Duration.ofMinutes(10));
        assertThat(throttle.snapshot().rateLimit()).isCloseTo(12, within(0.5));
    }

    @Test
    void tokensCanRampUpToo() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.rampUp()
                        .unit("tokens")
                        .from(6_000, Duration.ofMinutes(1))
                        .doubleEvery(Duration.ofMinutes(1))
                        .build())
                .build();
        List<Double> went = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Calls.of(throttle)
                    .newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 3_000)))
                    .acquireAsync()
                    .thenAccept(permit -> {
                        went.add(seconds());
                        permit.complete(Signal.SUCCESS);
                    });
        }
        time.advance(Duration.ofMinutes(5));
        assertThat(went).startsWith(0.0, 30.0, 60.0, 90.0).hasSize(8);
        assertThat(went.get(7) - went.get(4)).isBetween(3 * 12.0, 3 * 15.0);
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
    }

    @Test
    void anEstimateReckonsWithTheGrowthAndIsNotTooLate() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 10).build();
        List<Double> went = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Calls.of(throttle).newCall().acquireAsync().thenAccept(permit -> {
                went.add(seconds());
                permit.complete(Signal.SUCCESS);
            });
        }
        double estimate = throttle.estimateWait(CallOptions.DEFAULT).atLeast().toNanos() / 1e9;
        time.advance(Duration.ofSeconds(60));
        assertThat(estimate).isBetween(0.6 * went.get(999), went.get(999));
    }

    @Test
    void whatWasNotSentGivesItsTimeBack() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 1).build();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Permit> permit = Calls.of(throttle).newCall().acquireAsync();
            assertThat(permit).isCompleted();
            permit.join().release();
        }
        assertThat(Calls.of(throttle).newCall().acquireAsync()).isCompleted();
        assertThat(Calls.of(throttle).newCall().acquireAsync()).isNotCompleted();
    }

    @Test
    void aChangeOfTheSettingsGoesOnWhereItWas() {
        Throttle throttle = line.throttle(Strategies.none()).rampUp(PERIOD, 10).build();
        busy(throttle, () -> Heads.status(200));
        time.advance(Duration.ofSeconds(45));
        double before = throttle.snapshot().rateLimit();
        throttle.reconfigure(settings -> settings.clearLimits().rampUp(PERIOD, 5));
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(before);
    }

    @Test
    void settingsAreChecked() {
        assertThatThrownBy(() -> Strategies.rampUp().doubleEvery(Duration.ZERO)).hasMessageContaining("doubleEvery");
        assertThatThrownBy(() -> line.throttle(Strategies.none()).rampUp(PERIOD, 0))
                .hasMessageContaining("rate permits");
        assertThat(Strategies.rampUp()
                        .set("from", "50/min")
                        .set("doubleEvery", "5m")
                        .build()
                        .settings())
                .containsEntry("from", "50/1m")
                .containsEntry("doubleEvery", "5m");
    }
}
