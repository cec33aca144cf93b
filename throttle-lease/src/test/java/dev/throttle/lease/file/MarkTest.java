package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
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

    /** As after a start of the machine, when each file counts by the wall clock since it was written. */
    @Test
    void filesThatDifferAgreeOnceAProcessHasSeenThem() {
        VirtualTime time = new VirtualTime(NANO, WALL / 1000);
        FolderClock clock = new FolderClock(time);
        assertThat(clock.now(null).store()).isEqualTo(WALL);
        Mark ahead = new Mark(WALL + 5 * SECOND, NANO, WALL);
        assertThat(clock.now(ahead).store()).isEqualTo(ahead.store());
        time.advanceNanos(1_000_000_000);
        assertThat(clock.now(mark).store()).isEqualTo(ahead.store() + SECOND);
        assertThat(clock.now(null).store()).isEqualTo(ahead.store() + SECOND);
    }

    @Test
    void itNeverBeginsNearZero() {
        assertThat(Mark.first(0, 0).store()).isGreaterThan(100 * 365 * 86_400 * SECOND / 10);
    }
}
