package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a count of the processes does to the intervals, and what happens while nobody knows it. */
class SurroundingsTest {

    private static final long START = Duration.ofDays(-1).toNanos();

    private final Surroundings sharers = new Surroundings(new PacingSettings(0, 0, 120, 120, 0, 0), () -> 0);
    private long now = START;

    private double become(int count) {
        return sharers.become(count, Double.NaN, now);
    }

    private void pass(long seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void theFirstCountChangesNothing() {
        assertThat(become(8)).isEqualTo(1);
        assertThat(sharers.processes()).isEqualTo(8);
    }

    @Test
    void moreShareAtOnceAndFewerByAndBy() {
        become(2);
        assertThat(become(8)).isEqualTo(4);
        assertThat(become(1)).isEqualTo(0.5);
        assertThat(become(1)).isEqualTo(0.5);
        assertThat(become(1)).isEqualTo(0.5);
        assertThat(become(1)).isEqualTo(1);
    }

    @Test
    void afterAMomentWithoutACountThePaceIsStillThatOfTheOldOne() {
        become(2);
        assertThat(become(0)).isEqualTo(1);
        assertThat(sharers.areMany()).isFalse();
        pass(30);
        assertThat(become(0)).isEqualTo(1);
        pass(30);
        assertThat(become(1)).isEqualTo(0.5);
    }

    @Test
    void whoCameWhileNobodyCountedHasBeenMadeRoomForAlready() {
        become(2);
        become(0);
        assertThat(become(8)).isEqualTo(1);
        assertThat(become(16)).isEqualTo(2);
    }

    @Test
    void afterALongTimeWithoutACountThePaceIsWhatWasFound() {
        become(2);
        become(0);
        pass(61);
        assertThat(become(1)).isEqualTo(1);
        assertThat(become(2)).isEqualTo(2);
    }

    @Test
    void eachGetsTheSameShareOfWhatAllSend() {
        assertThat(sharers.fairInterval()).isNaN();
        sharers.become(1, 8, now);
        assertThat(sharers.areMany()).isFalse();
        assertThat(sharers.fairInterval()).isNaN();
        sharers.become(4, 8, now);
        assertThat(sharers.areMany()).isTrue();
        assertThat(sharers.fairInterval()).isEqualTo(0.5);
        sharers.become(0, 8, now);
        assertThat(sharers.processes()).isEqualTo(1);
    }

    @Test
    void asManyAsBeforeChangeNothing() {
        become(4);
        become(0);
        assertThat(become(4)).isEqualTo(1);
        assertThat(become(8)).isEqualTo(2);
    }

    /** From when the count was lost, however often that is said. */
    @Test
    void anOldCountIsRememberedForAMinute() {
        become(4);
        pass(1000);
        become(0);
        pass(60);
        become(0);
        assertThat(become(2)).isEqualTo(0.5);
        become(0);
        pass(60);
        become(0);
        now++;
        assertThat(become(1)).isEqualTo(1);
    }
}
