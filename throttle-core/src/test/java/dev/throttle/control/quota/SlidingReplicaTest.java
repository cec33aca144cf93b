package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** A window of 100 in ten seconds, of which everything that is there is used every half a second. */
class SlidingReplicaTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int LIMIT = 100;

    private final SlidingReplica replica = new SlidingReplica();
    private final ArrayDeque<Long> served = new ArrayDeque<>();
    private long now;

    /** Ten requests a second for so many seconds, each alone on the wire; {@return whether others were noticed} */
    private boolean run(int seconds, double limit, long window, int others) {
        boolean noticed = false;
        for (int i = 0; i < 10 * seconds; i++) {
            now += SECOND / 10;
            while (!served.isEmpty() && now - served.element() >= window) {
                served.remove();
            }
            if (served.size() + others < LIMIT) {
                served.add(now);
                replica.served(1, now);
                noticed |= replica.read(LIMIT - others - served.size(), limit, 0, now);
            }
        }
        return noticed;
    }

    @Test
    void itIsKnownOnceHalfOfItsTimeHasFitted() {
        replica.begin(now);
        run(10, LIMIT, 9 * SECOND + SECOND / 2, 0);
        assertThat(replica.isKnown()).isFalse();
        replica.begin(now);
        served.clear();
        assertThat(run(20, LIMIT, 10 * SECOND, 0)).isFalse();
        assertThat(replica.isKnown()).isTrue();
    }

    @Test
    void whatWasUsedComesBackOneWindowLater() {
        replica.begin(now);
        run(20, LIMIT, 10 * SECOND, 0);
        long oldest = served.element();
        // 100 are in use, and three are kept: the next one fits when four have come back
        assertThat(replica.dueNanos(1, now)).isBetween(oldest + 10 * SECOND, oldest + 11 * SECOND);
        assertThat(replica.dueNanos(-3, now)).isEqualTo(now);
    }

    @Test
    void lessThanThatWasUsedByOthers() {
        replica.begin(now);
        run(20, LIMIT, 10 * SECOND, 0);
        assertThat(run(1, LIMIT, 10 * SECOND, 0)).isFalse();
        assertThat(run(2, LIMIT, 10 * SECOND, 5)).isTrue();
        assertThat(replica.isKnown()).isFalse();
    }

    @Test
    void moreThanThatOrARefusalEndsTheBelief() {
        replica.begin(now);
        run(20, LIMIT, 10 * SECOND, 0);
        assertThat(replica.read(60, LIMIT, 0, now)).isFalse();
        assertThat(replica.isKnown()).isFalse();

        replica.begin(now);
        served.clear();
        run(20, LIMIT, 10 * SECOND, 0);
        replica.refused();
        run(20, LIMIT, 10 * SECOND, 0);
        assertThat(replica.isKnown()).isFalse();
    }

    @Test
    void withoutALimitNothingIsKnown() {
        replica.begin(now);
        run(30, Double.NaN, 10 * SECOND, 0);
        assertThat(replica.isKnown()).isFalse();
    }

    @Test
    void manyRequestsLeaveRoomForTheNext() {
        replica.begin(now);
        for (int i = 0; i < 100_000; i++) {
            replica.served(1, i * 1_000_000L);
        }
        now = 100 * SECOND;
        assertThat(run(1, LIMIT, 10 * SECOND, 0)).isFalse();
    }

    /** Answers that come at the same time, or out of order, do not keep it busy for ever. */
    @Test
    void aThousandAnswersAtTheSameTimeAreOnePoint() {
        replica.begin(now);
        for (int i = 0; i < 1000; i++) {
            replica.served(1, now);
            replica.served(1, now - 1);
        }
        run(20, LIMIT, 10 * SECOND, 0);
        assertThat(replica.isKnown()).isTrue();
    }
}
