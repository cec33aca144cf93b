package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    private void learn() {
        replica.begin(now);
        run(20, LIMIT, 10 * SECOND, 0);
        assertThat(replica.isKnown()).isTrue();
    }

    @Test
    void whatWasUsedComesBackOneWindowLater() {
        learn();
        long oldest = served.element(); // of a hundred, a tenth of a second apart
        assertThat(oldest).isEqualTo(now - 99 * SECOND / 10);
        long back = oldest + 10 * SECOND;
        // Three are kept: the next one fits when four have come back.
        assertThat(replica.dueNanos(1, now)).isEqualTo(back + 3 * SECOND / 10);
        assertThat(replica.dueNanos(2, now)).isEqualTo(back + 4 * SECOND / 10);
        assertThat(replica.dueNanos(-2, now)).isEqualTo(back);
        assertThat(replica.dueNanos(-3, now)).isEqualTo(now);
        long later = now + SECOND;
        assertThat(replica.dueNanos(97, later)).isEqualTo(now + 10 * SECOND);
        assertThat(replica.dueNanos(98, later)).isEqualTo(later + 10 * SECOND); // as if all left now
    }

    /** After 5 s a half has come back. */
    @ParameterizedTest
    @CsvSource({
        "48, 0, false, true", // two are an error
        "47, 0, true, false",
        "47, 1, false, true", // one on the wire may have been counted
        "53, 0, false, true", // two, and one that may come back just now
        "54, 0, false, false", // more than there can be is nobody else, but no such window
        "54, 1, false, true"
    })
    void lessThanThatWasUsedByOthersAndMoreIsNoWindow(double count, double wire, boolean others, boolean known) {
        learn();
        assertThat(replica.read(count, LIMIT, wire, now + 5 * SECOND)).isEqualTo(others);
        assertThat(replica.isKnown()).isEqualTo(known);
    }

    /** A thousand in ten seconds are more than are remembered one by one: after a second, points are 2 % apart. */
    @Test
    void ofManyRequestsTheLaterOnesAreKnownExactly() {
        replica.begin(now);
        for (int i = 1; i <= 4000; i++) {
            now += SECOND / 100;
            replica.served(1, now);
            replica.read(0, 1000, 0, now);
        }
        assertThat(replica.isKnown()).isTrue();
        for (int more = 1; more <= 997; more++) {
            long ideal = now - 10 * SECOND + (more + 3) * SECOND / 100;
            long late = replica.dueNanos(more, now) - 10 * SECOND - ideal;
            assertThat(late).isBetween(0L, Math.max(0, (now - ideal) / 50));
        }
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

    /** What remained and was served is the same all the time, but so it is in a bucket at its pace. */
    @Test
    void withoutALimitAndWithoutMovementNothingIsKnown() {
        replica.begin(now);
        run(60, Double.NaN, 20 * SECOND, 0); // a hundred in ten seconds, and nothing in the next ten
        replica.begin(now);
        served.clear();
        for (int i = 0; i < 600; i++) {
            now += SECOND / 10;
            replica.served(1, now);
            replica.read(5, Double.NaN, 0, now);
        }
        assertThat(replica.isKnown()).isFalse();
    }

    /** Twenty a second for three seconds, and nothing for the next four. */
    private void lumps(int seconds) {
        for (int i = 0; i < 20 * seconds; i++) {
            now += SECOND / 20;
            while (!served.isEmpty() && now - served.element() >= 10 * SECOND) {
                served.remove();
            }
            if (i % 140 < 60 && served.size() < LIMIT) {
                served.add(now);
                replica.served(1, now);
                replica.read(LIMIT - served.size(), Double.NaN, 0, now);
            }
        }
    }

    @Test
    void withoutALimitItIsKnownByWhatStaysTheSameWhileTheCountMoves() {
        replica.begin(now);
        lumps(14);
        assertThat(replica.isKnown()).isFalse();
        lumps(28);
        assertThat(replica.isKnown()).isTrue();
        int free = LIMIT - served.size();
        assertThat(replica.dueNanos(free - 4, now)).isEqualTo(now);
        assertThat(replica.dueNanos(free + 1, now)).isGreaterThan(now);
    }

    /** It gets ten a second, and holds a hundred: what remained and was served moves one window after the count. */
    @Test
    void aBucketIsNeverTakenForAWindow() {
        replica.begin(now);
        double level = 100;
        for (int i = 0; i < 20 * 600; i++) {
            now += SECOND / 20;
            level = Math.min(100, level + 0.5);
            boolean isBusy = i < 400 || i / 100 % 3 > 0; // steady at first, then in lumps
            if (level >= 1 && isBusy) {
                level--;
                replica.served(1, now);
                replica.read(Math.floor(level), Double.NaN, 0, now);
                assertThat(replica.isKnown()).isFalse();
            }
        }
    }

    /** A whole window is used within a moment: only what is left after each such flight tells anything. */
    @Test
    void whatIsLeftAfterAFlightTellsEnough() {
        replica.begin(now);
        for (int flight = 0; flight < 6; flight++) {
            now += 11 * SECOND;
            for (int i = 0; i < LIMIT - 1; i++) {
                now += SECOND / 100;
                replica.served(1, now);
                replica.read(LIMIT - 1 - i, Double.NaN, LIMIT, now);
            }
            replica.rest(1, Double.NaN, now);
        }
        assertThat(replica.isKnown()).isTrue();
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
