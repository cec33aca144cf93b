package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.quota.QuotaPacing;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One throttle with {@code quota-pacing} before a server whose quota is refilled all the time. */
class QuotaPacingBucketTest {

    private static final Duration LATENCY = Duration.ofMillis(200);

    private Timeline line = new Timeline();
    private VirtualTime time = line.time;

    private void beginAnew() {
        line = new Timeline();
        time = line.time;
    }

    private Callers callers(QuotaPacing strategy, int seed, Callers.Server server) {
        Throttle throttle =
                line.throttle(strategy).maxWait(Duration.ofDays(1)).seed(seed).build();
        return new Callers(time, throttle, LATENCY, server).untiring(6);
    }

    @ParameterizedTest
    @CsvSource({"200, 0.5", "200, 2", "200, 5", "1000, 2", "4500, 1.25"})
    void itBrakesBeforeTheWallAndThenUsesNearlyAllOfTheRefill(double capacity, double perSecond) {
        usesNearlyAll(capacity, perSecond);
    }

    @ParameterizedTest
    @CsvSource({"200, 15", "200, 20", "200, 25"})
    void itUsesNearlyAllOfARefillThatIsNotMuchLessThanTheDemand(double capacity, double perSecond) {
        usesNearlyAll(capacity, perSecond);
    }

    /** Six callers without a limit ask for thirty requests a second. */
    private void usesNearlyAll(double capacity, double perSecond) {
        for (int seed = 0; seed < 5; seed++) {
            beginAnew();
            Callers callers =
                    callers(Strategies.quotaPacing().build(), seed, new Bucket(time, capacity, perSecond, capacity));
            double steady = capacity / (30 - perSecond) + 300;
            time.advance(Duration.ofMillis((long) (1000 * (steady + 600))));
            assertThat(callers.refused()).as("refusals, seed %s", seed).isLessThanOrEqualTo(callers.sent.size() / 500);
            assertThat(callers.accepted(steady, steady + 599) / (599 * perSecond))
                    .as("share of the refill, seed %s", seed)
                    .isGreaterThanOrEqualTo(0.95);
        }
    }

    @Test
    void maxIntervalBoundsEveryWaitWhileNothingRemains() {
        maxIntervalBoundsEveryWait(Heads.status(200, "RateLimit-Remaining", "0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void maxIntervalBoundsEveryWaitAfterARefusalForWhichTheServerNamedNone(int status) {
        maxIntervalBoundsEveryWait(Heads.status(status));
        maxIntervalBoundsEveryWait(Heads.status(status, "RateLimit-Remaining", "0"));
    }

    private void maxIntervalBoundsEveryWait(ResponseHead answer) {
        Duration most = Duration.ofSeconds(4);
        QuotaPacing strategy =
                Strategies.quotaPacing().maxInterval(most).jitter(0).build();
        for (int seed = 0; seed < 5; seed++) {
            beginAnew();
            Callers callers = callers(strategy, seed, () -> answer);
            time.advance(Duration.ofMinutes(10));
            // the answer to the request before may have prolonged the wait
            assertThat(callers.longestGap(0))
                    .as("seed %s", seed)
                    .isLessThanOrEqualTo(most.plus(LATENCY).toMillis() / 1e3 + 1e-9);
        }
    }
}
