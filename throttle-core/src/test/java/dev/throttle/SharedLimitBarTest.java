package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hundred keys within one limit of 50 a second for a minute. */
class SharedLimitBarTest {

    private static final int KEYS = 200;
    private static final int PER_SECOND = 50;
    private static final int SECONDS = 60;
    private static final int BURST = 50;
    private static final Duration LATENCY = Duration.ofMillis(80);

    private final Timeline line = new Timeline();

    private Callers callers(ThrottleRegistry keys, int key) {
        return new Callers(line.time, keys.get("k" + key), LATENCY, () -> Heads.status(200));
    }

    private ThrottleRegistry keys(Strategy own) {
        return line.registry(own)
                .limit(SharedLimit.of(
                        "all",
                        Strategies.tokenBucket()
                                .rate(PER_SECOND, Duration.ofSeconds(1))
                                .burst(BURST)
                                .build()))
                .maxWait(Duration.ofHours(1))
                .build();
    }

    private static double[] times(List<Callers> all) {
        return all.stream()
                .flatMap(callers -> callers.sent.stream())
                .mapToDouble(Callers.Sent::at)
                .filter(at -> at < SECONDS)
                .sorted()
                .toArray();
    }

    private static void neverMoreThanTheLimit(double[] times) {
        for (int last = 0, first = 0; last < times.length; last++) {
            while (times[last] - times[first] > 1) {
                first++;
            }
            assertThat(last - first + 1).isLessThanOrEqualTo(PER_SECOND + BURST);
        }
        for (int i = BURST; i < times.length; i++) { // in any window whatever
            double least = Math.max(0, i - BURST) / (double) PER_SECOND;
            assertThat(times[i] - times[0]).isGreaterThanOrEqualTo(least - 1e-6);
        }
    }

    private static double jain(List<Callers> all) {
        double sum = 0;
        double squares = 0;
        for (Callers callers : all) {
            double own = callers.accepted(0, SECONDS);
            sum += own;
            squares += own * own;
        }
        return sum * sum / (all.size() * squares);
    }

    /** Some keys have many callers and others few. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void theLimitIsUsedAndSharedByBusyKeys(int mostCallers) {
        ThrottleRegistry keys = keys(Strategies.none());
        List<Callers> all = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            all.add(callers(keys, key).untiring(1 + key % mostCallers));
        }
        line.advanceMillis(SECONDS * 1_000 + 500);
        double[] times = times(all);
        neverMoreThanTheLimit(times);
        assertThat(times.length).isGreaterThanOrEqualTo((int) (0.99 * (PER_SECOND * SECONDS + BURST)));
        assertThat(jain(all)).isGreaterThanOrEqualTo(0.95);
    }

    /** Ten keys are busy; the others ask every now and then, and one has a limit of its own that is below its share. */
    @Test
    void quietKeysDoNotWaitBehindBusyOnes() {
        ThrottleRegistry keys = keys(Strategies.none());
        List<Callers> busy = new ArrayList<>();
        List<Callers> quiet = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            Callers callers = callers(keys, key);
            if (key < 10) {
                busy.add(callers.untiring(20));
            } else {
                quiet.add(callers);
                line.time.schedule(key * 50_000_000L, () -> callers.oneEvery(Duration.ofSeconds(20)));
            }
        }
        line.advanceMillis(SECONDS * 1_000 + 500);
        List<Callers> all = new ArrayList<>(busy);
        all.addAll(quiet);
        double[] times = times(all);
        neverMoreThanTheLimit(times);
        assertThat(times.length).isGreaterThanOrEqualTo((int) (0.99 * (PER_SECOND * SECONDS + BURST)));
        assertThat(jain(busy)).isGreaterThanOrEqualTo(0.95);
        for (Callers callers : quiet) {
            assertThat(callers.longestWait()).isLessThan(0.8); // ten busy keys and its like are ahead
        }
    }
}
