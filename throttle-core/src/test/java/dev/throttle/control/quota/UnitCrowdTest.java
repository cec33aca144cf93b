package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnitCrowdTest {

    private static final double LIMIT = 30_000;
    private static final double PER_SECOND = 10_000;
    private static final double MEAN = 4000;
    private static final double LONG = 120;

    private final UnitCrowd crowd = new UnitCrowd();

    /** So many own requests, for each of which the count falls by some times what it took. */
    private void requests(int count, double times) {
        for (int i = 0; i < count; i++) {
            crowd.told(1, 0);
            crowd.fell(times * MEAN, LIMIT);
            crowd.settled(MEAN);
        }
    }

    private boolean isThere() {
        return crowd.isThere(MEAN, PER_SECOND, LIMIT);
    }

    /** {@return after how many seconds the next one goes, at a level that was read when the last one left} */
    private double interval(double level) {
        crowd.admitted(0, 0);
        return crowd.dueNanos(level, 0, 0, 0, LONG) / 1e9;
    }

    @Test
    void othersAreSeenByWhatTheyTakeAndForgottenOnceTheyTakeNothing() {
        requests(30, 1);
        assertThat(isThere()).isFalse();
        requests(10, 4);
        assertThat(isThere()).isTrue();
        requests(200, 1);
        assertThat(isThere()).isFalse();
    }

    @Test
    void whereNothingWasSettledOrTheRefillIsNotKnownNobodyIsSeen() {
        crowd.told(10, 0);
        crowd.fell(10 * LIMIT, LIMIT);
        assertThat(isThere()).isFalse();
        requests(10, 4);
        assertThat(crowd.isThere(MEAN, 0, LIMIT)).isFalse();
    }

    @Test
    void aServerThatGivesBackLaterIsNoCrowd() {
        requests(10, 4);
        for (int i = 0; i < 3; i++) {
            crowd.fell(-0.2 * LIMIT, LIMIT);
        }
        assertThat(isThere()).isFalse();
    }

    @Test
    void theLessIsLeftTheLongerItWaits() {
        requests(40, 4);
        assertThat(isThere()).isTrue();
        assertThat(interval(5000)).isGreaterThan(interval(15_000) + 0.5);
        assertThat(interval(15_000)).isGreaterThan(interval(25_000) + 0.5);
        assertThat(interval(0)).isLessThanOrEqualTo(4 * 4 * MEAN / PER_SECOND);
    }

    @Test
    void noIntervalIsLongerThanTheLongestThatIsSet() {
        requests(40, 4);
        isThere();
        crowd.admitted(0, 0);
        assertThat(crowd.dueNanos(0, 0, 0, 0, 0.5)).isEqualTo(500_000_000);
    }

    @Test
    void aServerThatGaveBackOnceInAWhileDoesNotHideACrowdForEver() {
        for (int i = 0; i < 3; i++) {
            crowd.fell(-0.2 * LIMIT, LIMIT);
            requests(1, 4);
        }
        assertThat(isThere()).isFalse();
        requests(40, 4);
        assertThat(isThere()).isTrue();
    }

    @Test
    void clientsThatReadTheSameLevelComeToTheSameInterval() {
        UnitCrowd other = new UnitCrowd();
        requests(40, 8);
        isThere();
        for (int i = 0; i < 40; i++) {
            other.told(1, 0);
            other.fell(2 * MEAN, LIMIT);
            other.settled(MEAN);
        }
        other.isThere(MEAN, PER_SECOND, LIMIT);
        for (int i = 0; i < 150; i++) {
            crowd.read(15_000, false);
            other.read(15_000, false);
        }
        isThere();
        other.isThere(MEAN, PER_SECOND, LIMIT);
        assertThat(other.dueNanos(15_000, 0, 0, 0, LONG) / 1e9)
                .isBetween(0.97 * interval(15_000), 1.03 * interval(15_000));
    }

    @Test
    void whoFindsABucketFullAgainAndAgainIsAloneSoon() {
        requests(40, 6);
        isThere();
        double before = interval(15_000);
        for (int i = 0; i < 5; i++) {
            crowd.read(29_000, false);
        }
        isThere();
        assertThat(interval(15_000)).isLessThan(before / 2);
    }

    @Test
    void aRefusedRequestStandsAsideLongerEachTime() {
        assertThat(crowd.asideNanos(1, 9, 0)).isZero();
        requests(40, 5);
        isThere();
        long first = aside(1, 9, 0);
        assertThat(first).isGreaterThan(2_000_000_000L);
        assertThat(aside(2, 9, 0)).isBetween(first * 3 / 2 - 2, first * 3 / 2 + 2);
        assertThat(aside(9, 9, 0)).isEqualTo(aside(5, 9, 0));
        assertThat(aside(1, 9, 1)).isBetween(first * 9 / 5 - 2, first * 9 / 5 + 2);
        assertThat(aside(4, 0, 0)).as("nobody is behind it").isLessThan(first);
        assertThat(crowd.asideNanos(1, 9, 0)).as("it belonged to another").isZero();
    }

    private long aside(int refusals, int waiting, double random) {
        crowd.refused(8000);
        return crowd.asideNanos(refusals, waiting, random);
    }
}
