package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hundred tenants behind one key, one of which always has ten thousand calls waiting. */
class TenantBarTest {

    private static final int TENANTS = 100;
    private static final int GREEDY_CALLS = 10_000;
    private static final long INTERVAL_MILLIS = 10;
    private static final int SECONDS = 100;
    private static final int SEED = 1;

    private final Timeline line = new Timeline();

    private static CallOptions of(int tenant) {
        return CallOptions.DEFAULT.tenant("tenant-" + tenant);
    }

    private Throttle paced() {
        return line.throttle(TestStrategies.pace(Duration.ofMillis(INTERVAL_MILLIS)))
                .build();
    }

    /** A call of a tenant that asks again as soon as it was let go. */
    private void askOnAndOn(Throttle throttle, CallOptions options, Runnable goes) {
        Calls.of(throttle).newCall(options).acquireAsync().thenAccept(permit -> {
            permit.complete(Signal.SUCCESS);
            goes.run();
            askOnAndOn(throttle, options, goes);
        });
    }

    /** {@return the 99th percentile of the waits of the others, in milliseconds} */
    private double p99OfTheOthers(double load, boolean withGreedy) {
        Throttle throttle = paced();
        if (withGreedy) {
            for (int i = 0; i < GREEDY_CALLS; i++) {
                askOnAndOn(throttle, of(0), () -> {});
            }
        }
        List<Double> waits = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(SEED);
        double meanGapNanos = INTERVAL_MILLIS * 1_000_000 / load;
        for (double at = 0; at < SECONDS * 1e9; at += -Math.log(1 - random.nextDouble()) * meanGapNanos) {
            int tenant = 1 + random.nextInt(TENANTS - 1);
            line.time.schedule((long) at, () -> {
                long asked = line.time.nanoTime();
                Calls.of(throttle).newCall(of(tenant)).acquireAsync().thenAccept(permit -> {
                    waits.add((line.time.nanoTime() - asked) / 1e6);
                    permit.complete(Signal.SUCCESS);
                });
            });
        }
        line.time.advance(Duration.ofSeconds(SECONDS + 60));
        waits.sort(null);
        assertThat(waits.size()).isGreaterThan((int) (0.9 * load * SECONDS * 1_000 / INTERVAL_MILLIS));
        return waits.get((int) Math.ceil(0.99 * waits.size()) - 1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.5, 0.8, 0.9})
    void theOthersHardlyNotice(double load) {
        double without = p99OfTheOthers(load, false);
        double with = p99OfTheOthers(load, true);
        assertThat(with).isLessThanOrEqualTo(1.2 * without + INTERVAL_MILLIS);
    }

    /** {@return Jain's index of fairness: 1 if all have the same} */
    private static double jain(double... shares) {
        double sum = Arrays.stream(shares).sum();
        double squares = Arrays.stream(shares).map(share -> share * share).sum();
        return sum * sum / (shares.length * squares);
    }

    @Test
    void allGetTheSameByCost() {
        SplittableRandom random = new SplittableRandom(SEED);
        Throttle throttle = paced();
        double[] got = new double[TENANTS];
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            int own = tenant;
            for (int i = 0; i < (tenant == 0 ? GREEDY_CALLS : 2 + random.nextInt(10)); i++) {
                int tokens = 100 * (1 + random.nextInt(1 + tenant));
                CallOptions options = of(tenant).cost(Cost.of("tokens", tokens));
                askOnAndOn(throttle, options, () -> got[own] += tokens);
            }
        }
        line.time.advance(Duration.ofSeconds(SECONDS));
        assertThat(jain(got)).isGreaterThanOrEqualTo(0.98);
    }

    @Test
    void allGetTheirShareByWeight() {
        Throttle throttle = paced();
        double[] got = new double[TENANTS];
        Map<String, Integer> weights = new HashMap<>();
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            weights.put("tenant-" + tenant, 1 + tenant % 7);
        }
        throttle.reconfigure(settings -> settings.tenantWeights(weights));
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            int own = tenant;
            for (int i = 0; i < (tenant == 0 ? GREEDY_CALLS : 3); i++) {
                askOnAndOn(throttle, of(tenant), () -> got[own] += 1.0 / (1 + own % 7));
            }
        }
        line.time.advance(Duration.ofSeconds(SECONDS));
        assertThat(jain(got)).isGreaterThanOrEqualTo(0.98);
    }

    /** Very many tenants come and go beside one that always waits, and nothing of them is left. */
    @Test
    void tenantsThatDoNotWaitLeaveNothing() {
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofMillis(1))).build();
        for (int i = 0; i < 100; i++) {
            askOnAndOn(throttle, of(0), () -> {});
        }
        long before = 0;
        for (int i = 0; i < 200_000; i++) {
            if (i == 20_000) {
                before = Heap.heldBytes();
            }
            Calls.of(throttle).newCall(of(1 + i)).acquireAsync().thenAccept(permit -> permit.complete(Signal.SUCCESS));
            line.advanceMillis(2);
        }
        assertThat(throttle.snapshot().waitingTenants()).isEqualTo(1);
        assertThat(Heap.heldBytes() - before).isLessThan(2_000_000); // those that are remembered have 400 bytes each
    }
}
