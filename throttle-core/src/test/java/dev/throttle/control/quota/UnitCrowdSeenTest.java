package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Whether others use a bucket of 1,000 too, by how far it falls against what own requests took. */
class UnitCrowdSeenTest {

    private static final double KEPT = 31 / 32.0;

    private final UnitCrowd crowd = new UnitCrowd();

    private boolean isThere() {
        return crowd.isThere(100, 100, 1_000);
    }

    /** {@return how many times as much all take as this client, by how long its slot is} */
    private double times() {
        assertThat(isThere()).isTrue();
        return crowd.dueNanos(1e9, 0, 0, 0, 1_000) / 1e9 / 0.3;
    }

    /** One own request took 100, and three that nobody else was there for are believed in. */
    private void fell(double units) {
        crowd.told(1, 0);
        crowd.fell(units, 1e9);
        crowd.settled(100);
    }

    @Test
    void othersAreThereFromThreeTenthsMoreOn() {
        fell(220); // 520 of 400
        assertThat(isThere()).isFalse();
        crowd.fell(1, 1e9);
        assertThat(isThere()).isTrue();
    }

    @Test
    void othersAreGoneOnceLittleMoreIsSeen() {
        fell(500);
        assertThat(times()).isEqualTo(2, within(1e-8));
        crowd.fell(-339, 1e9); // 461 of 400
        assertThat(isThere()).isTrue();
        crowd.fell(-1, 1e9);
        assertThat(isThere()).isFalse();
        crowd.fell(50, 1e9); // 510 of 400
        assertThat(isThere()).isFalse();
    }

    @Test
    void noMoreThanTwentyTimesAsMuchIsBelieved() {
        fell(100_000);
        assertThat(times()).isEqualTo(20, within(1e-8));
    }

    @Test
    void whatIsKnownOfAnotherOfItsOwnRequestsIsTakenOffOnce() {
        crowd.told(0, 200);
        fell(700);
        crowd.fell(100, 1e9);
        assertThat(times()).isEqualTo(2.25, within(1e-8));
    }

    @Test
    void whatWasSeenBeforeIsForgottenWithEachOwnRequest() {
        fell(500);
        crowd.told(32, 0);
        crowd.fell(5_000, 1e9);
        double kept = Math.pow(KEPT, 32);
        double expected = (500 * kept + 5_000 + 300) / (100 * (kept + 32) + 300);
        assertThat(times()).isEqualTo(expected, within(1e-8));
    }

    @Test
    void ownRequestsTakeTheMeanOfWhatTheLastWereSettledWith() {
        fell(2_000);
        crowd.settled(300);
        double own = (100 * KEPT + 300) / (KEPT + 1);
        assertThat(times()).isEqualTo((2_000 + 3 * own) / (4 * own), within(1e-8));
    }

    @Test
    void aServerThatGaveBackThreeTimesOfLateTellsNothing() {
        fell(5_000);
        crowd.fell(-100, 1_000);
        crowd.fell(-101, 1_000);
        crowd.fell(-101, 1_000);
        assertThat(isThere()).isTrue();
        crowd.fell(-101, 1_000);
        assertThat(isThere()).isFalse();
        crowd.told(12, 0); // 3 is 2.05 now
        crowd.fell(100_000, 1e9);
        assertThat(isThere()).isFalse();
        crowd.told(1, 0);
        assertThat(isThere()).isTrue();
    }

    @Test
    void withoutARefillNobodyIsThere() {
        fell(5_000);
        assertThat(crowd.isThere(100, 0, 1_000)).isFalse();
        assertThat(crowd.asideNanos(1, 9, 0)).isZero();
    }
}
