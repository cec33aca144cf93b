package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PacingSettingsTest {

    private static void check(PacingSettings settings) {
        assertThat(settings.reserveAlone()).isEqualTo(0.01);
        assertThat(settings.reserveShared()).isEqualTo(0.02);
        assertThat(settings.maxInterval()).isEqualTo(3);
        assertThat(settings.maxResetWait()).isEqualTo(4);
        assertThat(settings.firstPatienceNanos()).isEqualTo(5_000_000_000L);
        assertThat(settings.jitter()).isEqualTo(0.06);
    }

    @Test
    void eachSettingIsThatOfTheStrategyAlsoInACopyAndAfterAChange() {
        PacingSettings settings = Strategies.quotaPacing()
                .reserveAlone(0.01)
                .reserveShared(0.02)
                .maxInterval(Duration.ofSeconds(3))
                .maxResetWait(Duration.ofSeconds(4))
                .firstPatience(Duration.ofSeconds(5))
                .jitter(0.06)
                .build()
                .pacing();
        check(settings);
        check(settings.copy());
        PacingSettings others = Strategies.quotaPacing().build().pacing().copy();
        others.become(settings);
        check(others);
    }

    @Test
    void aCopyDoesNotChangeWithTheOriginal() {
        PacingSettings settings = Strategies.quotaPacing().jitter(0.06).build().pacing();
        PacingSettings copy = settings.copy();
        copy.become(Strategies.quotaPacing().jitter(0.5).build().pacing());
        assertThat(settings.jitter()).isEqualTo(0.06);
        assertThat(copy.jitter()).isEqualTo(0.5);
    }
}
