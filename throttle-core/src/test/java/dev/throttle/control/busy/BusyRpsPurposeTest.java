package dev.throttle.control.busy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the law of busy-rps is good for, and what it is not: the figures in {@code docs/strategies.md}. */
class BusyRpsPurposeTest {

    private static final Duration LATENCY = Duration.ofMillis(165);

    private VirtualTime time = new VirtualTime();
    private int sent;
    private int refused;

    private Throttle throttle(Strategy strategy) {
        return Throttle.builder()
                .strategy(strategy)
                .retryPolicy(RetryPolicy.none())
                .maxWait(Duration.ofDays(1))
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    /** A client that asks again as soon as it has an answer. */
    private void ask(Throttle throttle, BooleanSupplier accepts, Signal refusal) {
        throttle.acquireAsync()
                .thenAccept(permit -> time.schedule(LATENCY.toNanos(), () -> {
                    sent++;
                    boolean accepted = accepts.getAsBoolean();
                    refused += accepted ? 0 : 1;
                    permit.complete(accepted ? Signal.SUCCESS : refusal);
                    ask(throttle, accepts, refusal);
                }));
    }

    private double shareRefusedByAQuotaOf4500AnHour(Strategy strategy) {
        RateController quota = Strategies.tokenBucket()
                .rate(4500, Duration.ofHours(1))
                .build()
                .newController(ControllerHost.detached(new SplittableRandom(1)));
        quota.onAdmitted(Cost.requests(4500), 0, time.nanoTime()); // it starts empty
        for (int process = 0; process < 2; process++) {
            Throttle throttle = throttle(strategy);
            for (int thread = 0; thread < 5; thread++) {
                ask(throttle, () -> takes(quota), Signal.RATE_LIMITED);
            }
        }
        time.advance(Duration.ofMinutes(30));
        return (double) refused / sent;
    }

    private boolean takes(RateController quota) {
        boolean free = quota.dueNanos(Cost.NONE, Cost.ONE, time.nanoTime()) - time.nanoTime() <= 0;
        if (free) {
            quota.onAdmitted(Cost.ONE, 0, time.nanoTime());
        }
        return free;
    }

    @Test
    void itCannotHoldAQuota() {
        double share = shareRefusedByAQuotaOf4500AnHour(
                Strategies.busyRps().rateLimitedIsBusy(true).build());
        assertThat(share).isBetween(0.75, 0.77);
    }

    @Test
    void whatSleepsAndRemembersCan() {
        double share = shareRefusedByAQuotaOf4500AnHour(
                Strategies.exponentialIncreaseProportionalDecrease().build());
        assertThat(share).isLessThan(0.01);
    }

    /** Two seconds in ten the server cannot take anything. */
    private double shareRefusedInShortOverloads(Strategy strategy) {
        long start = time.nanoTime();
        Throttle throttle = throttle(strategy);
        for (int thread = 0; thread < 50; thread++) {
            ask(throttle, () -> (time.nanoTime() - start) / 1_000_000_000 % 10 < 8, Signal.BUSY);
        }
        time.advance(Duration.ofMinutes(5));
        return (double) refused / sent;
    }

    @Test
    void itTakesTheLoadOffAServerInTrouble() {
        assertThat(shareRefusedInShortOverloads(Strategies.none())).isBetween(0.19, 0.21);
        int refusedWithout = refused;
        int acceptedWithout = sent - refused;
        sent = 0;
        refused = 0;
        time = new VirtualTime();
        assertThat(shareRefusedInShortOverloads(Strategies.busyRps().build())).isBetween(0.08, 0.10);
        assertThat(refused).as("what hits the server in trouble").isLessThan(refusedWithout / 10);
        assertThat(sent - refused).as("the price").isBetween(acceptedWithout / 5, acceptedWithout / 3);
    }
}
