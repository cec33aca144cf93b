package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The store's clock, whatever happens to those of the machine. */
class MarkTest {

    private static final long WALL = 1_800_000_000_000_000L;
    private static final long SECOND = 1_000_000;
    private static final long NANO = 5_000_000_000_000L;

    private final Mark mark = Mark.first(NANO, WALL);

    private long passed(long nanoSeconds, long wallSeconds) {
        return mark.then(NANO + nanoSeconds * 1_000_000_000, WALL + wallSeconds * SECOND)
                        .store()
                - mark.store();
    }

    @Test
    void itGoesOnWithTheMonotonicClock() {
        assertThat(passed(7, 7)).isEqualTo(7 * SECOND);
        assertThat(passed(7, 12)).isEqualTo(7 * SECOND);
    }

    @Test
    void aWallClockThatIsPutBackDoesNotMatter() {
        assertThat(passed(7, -3600)).isEqualTo(7 * SECOND);
        assertThat(passed(0, -3600)).isZero();
    }

    @Test
    void timeGoesOnWhileTheMachineSleeps() {
        assertThat(passed(7, 3600)).isEqualTo(3600 * SECOND);
    }

    @Test
    void afterAnotherStartTheWallClockTellsHowLongAgoItWas() {
        assertThat(passed(-4000, 90)).isEqualTo(90 * SECOND);
    }

    @Test
    void afterAnotherStartWithAWrongClockNoTimeHasPassed() {
        assertThat(passed(-4000, -1_000_000_000)).isZero();
    }

    @Test
    void processorsThatDifferALittleDoNotPutItBack() {
        assertThat(mark.then(NANO - 5_000, WALL).store()).isEqualTo(mark.store());
    }

    @Test
    void itNeverBeginsNearZero() {
        assertThat(Mark.first(0, 0).store()).isGreaterThan(100 * 365 * 86_400 * SECOND / 10);
    }
}
