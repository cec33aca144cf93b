package dev.throttle.redis;

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

    @Test
    void whoStartsWithoutTheStoreWaitsToo() {
        assertThat(attendance.isOver(60 * SECOND)).isFalse(); // nothing was known
        assertThat(attendance.answered(60 * SECOND)).isFalse();
        assertThat(attendance.answered(62 * SECOND)).isTrue();
    }
}
