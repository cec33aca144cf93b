package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryTest {

    private static final long SECOND = 1_000_000_000;

    private final History history = new History();

    private double inUse(long now, long window) {
        return history.since(history.last(now - window));
    }

    @Test
    void unitsAreInUseForAWindow() {
        history.add(3, 0, 10 * SECOND);
        history.add(2, 4 * SECOND, 10 * SECOND);
        assertThat(inUse(9 * SECOND, 10 * SECOND)).isEqualTo(5);
        assertThat(inUse(10 * SECOND, 10 * SECOND)).isEqualTo(2);
        assertThat(inUse(14 * SECOND, 10 * SECOND)).isZero();
        assertThat(history.whenLeft(5, 10 * SECOND, 9 * SECOND)).isEqualTo(9 * SECOND);
        assertThat(history.whenLeft(4, 10 * SECOND, 9 * SECOND)).isEqualTo(10 * SECOND);
        assertThat(history.whenLeft(1, 10 * SECOND, 9 * SECOND)).isEqualTo(14 * SECOND);
    }

    @Test
    void unitsAtTheSameTimeAreOnePoint() {
        history.add(3, SECOND, SECOND);
        history.add(2, SECOND, SECOND);
        assertThat(history.last(SECOND)).isZero();
        assertThat(inUse(SECOND, SECOND)).isEqualTo(5);
    }

    @Test
    void whatIsTakenBackWasNeverUsed() {
        history.add(3, 0, 10 * SECOND);
        history.add(2, 4 * SECOND, 10 * SECOND);
        history.add(1, 6 * SECOND, 10 * SECOND);
        history.remove(2, 4 * SECOND);
        assertThat(inUse(6 * SECOND, 10 * SECOND)).isEqualTo(4);
        assertThat(inUse(10 * SECOND, 10 * SECOND)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -5 * SECOND, Long.MAX_VALUE - 5 * SECOND})
    void timesMayBeNegativeAndMayOverflow(long start) {
        history.add(3, start, 10 * SECOND);
        history.add(2, start + 8 * SECOND, 10 * SECOND);
        assertThat(inUse(start + 9 * SECOND, 10 * SECOND)).isEqualTo(5);
        assertThat(history.whenLeft(2, 10 * SECOND, start + 9 * SECOND)).isEqualTo(start + 10 * SECOND);
        history.remove(2, start + 8 * SECOND);
        assertThat(inUse(start + 9 * SECOND, 10 * SECOND)).isEqualTo(3);
    }

    @Test
    void whatIsTakenBackFromBeforeTheFirstPointWasPartOfIt() {
        history.add(3, 4 * SECOND, 10 * SECOND);
        history.remove(2, SECOND);
        assertThat(inUse(5 * SECOND, 10 * SECOND)).isEqualTo(1);
        history.remove(2, SECOND);
        assertThat(inUse(5 * SECOND, 10 * SECOND)).isZero();
    }

    /** However many there were, no more memory is needed, and units come back late rather than early. */
    @Test
    void oldPointsAreJoinedOnTheSafeSide() {
        Random random = new Random(1);
        List<Long> times = new ArrayList<>();
        long window = 60 * SECOND;
        long now = 0;
        for (int i = 0; i < 20_000; i++) {
            now += random.nextLong(20_000_000);
            times.add(now);
            history.add(1, now, window);
            if (i % 97 == 0) {
                long from = now - window;
                long exact = times.stream().filter(time -> time > from).count();
                assertThat(inUse(now, window)).isBetween((double) exact, 1.1 * exact + 2);
            }
        }
        assertThat(history.last(now)).isLessThan(256);
    }
}
