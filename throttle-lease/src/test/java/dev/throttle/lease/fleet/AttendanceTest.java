package dev.throttle.lease.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AttendanceTest {

    private static final long SECOND = 1_000_000_000L;

    private final Attendance attendance = new Attendance(0);

    @Test
    void whoStartsWithTheStoreThereBelievesItAtOnce() {
        assertThat(attendance.answered(SECOND)).isTrue();
        assertThat(attendance.answered(2 * SECOND)).isTrue();
        assertThat(attendance.isOver(12 * SECOND)).isFalse();
        assertThat(attendance.isOver(12 * SECOND + 1)).isTrue();
        assertThat(attendance.isOver(13 * SECOND)).isFalse(); // said once
    }

    @Test
    void afterAnOutageAllHaveTheTimeToComeBack() {
        assertThat(attendance.answered(SECOND)).isTrue();
        assertThat(attendance.answered(4 * SECOND)).isFalse();
        assertThat(attendance.answered(5 * SECOND)).isFalse();
        assertThat(attendance.answered(6 * SECOND)).isTrue();
        assertThat(attendance.answered(8 * SECOND)).isTrue(); // one answer was lost
    }

    /** Two of three answers are lost: each of the others seems to end an outage. */
    @Test
    void whereMostAnswersAreLostItIsBelievedInTheEnd() {
        for (int i = 1; i <= 4; i++) {
            assertThat(attendance.answered(3 * i * SECOND)).isFalse();
        }
        assertThat(attendance.answered(15 * SECOND)).isTrue();
        assertThat(attendance.answered(16 * SECOND)).isTrue();
        assertThat(attendance.answered(19 * SECOND)).isFalse(); // that may be another outage
        assertThat(attendance.answered(21 * SECOND)).isTrue();
    }

    @Test
    void anOutageWhileTheyComeBackBeginsAnew() {
        assertThat(attendance.answered(3 * SECOND)).isFalse();
        assertThat(attendance.answered(14 * SECOND)).isFalse();
        assertThat(attendance.answered(15 * SECOND)).isFalse();
        assertThat(attendance.answered(16 * SECOND)).isTrue();
    }

    @Test
    void whoStartsWithoutTheStoreWaitsToo() {
        assertThat(attendance.isOver(60 * SECOND)).isFalse(); // nothing was known
        assertThat(attendance.answered(60 * SECOND)).isFalse();
        assertThat(attendance.answered(62 * SECOND)).isTrue();
    }
}
