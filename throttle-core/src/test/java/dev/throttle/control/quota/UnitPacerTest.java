package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static dev.throttle.control.quota.Moment.sentAt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What refusals tell of a bucket of 30,000 tokens that gets 10,000 a second. */
class UnitPacerTest {

    private static final Cost COST = Cost.of(Quota.TOKENS, 1000);

    private final UnitPacer pacer =
            new UnitPacer(new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0), new SplittableRandom(1));
    private double now;

    private void read(long remaining, boolean refused, boolean busy, @Nullable Duration retryAfter) {
        now += 1;
        Duration reset = Duration.ofMillis((30_000 - remaining) / 10);
        Quota quota = new Quota(null, 30_000L, remaining, reset, null, Quota.TOKENS, null);
        RateHints hints = new RateHints(retryAfter, List.of(quota));
        pacer.read(hints, refused, busy, true, sentAt(now - 0.2), nanos(now));
    }

    private void readFour() {
        for (int i = 0; i < 4; i++) {
            read(20_000, false, false, null);
        }
    }

    @Test
    void aRefusalThatSaysWhenToComeBackTellsWhatTheRequestTakes() {
        readFour();
        read(5_000, true, false, Duration.ofMillis(1100));
        assertThat(pacer.costAfterRefusal(COST).amount(Quota.TOKENS)).isBetween(15_900L, 16_400L);
    }

    @Test
    void aBusyServerTellsNothingOfWhatARequestTakes() {
        readFour();
        read(5_000, true, true, Duration.ofSeconds(1));
        assertThat(pacer.costAfterRefusal(COST)).isSameAs(COST);
        read(500, true, true, null);
        assertThat(pacer.costAfterRefusal(COST)).isSameAs(COST);
    }
}
