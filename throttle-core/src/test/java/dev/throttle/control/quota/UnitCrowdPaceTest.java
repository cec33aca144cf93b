package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * When the next request of one of several clients goes. The bucket holds 1,000 and gets 100 a second, a request takes
 * 100, and all together take twice as much as this client: so its slot is two seconds.
 */
class UnitCrowdPaceTest {

    private static final long SECOND = 1_000_000_000;
    private static final double LONG = 1_000;
    private static final Offset<Double> ALMOST = within(1e-8);

    private final UnitCrowd crowd = new UnitCrowd();

    UnitCrowdPaceTest() {
        crowd.told(1, 0);
        crowd.fell(500, 1_000);
        crowd.settled(100);
        assertThat(isThere()).isTrue();
    }

    private boolean isThere() {
        return crowd.isThere(100, 100, 1_000);
    }

    private double due(double level, double untold, double asked, double readAt) {
        return crowd.dueNanos(level, untold, asked, (long) (readAt * SECOND), LONG) / 1e9;
    }

    private double due(double level) {
        return due(level, 0, 0, 0);
    }

    /** {@return how long a slot is} Where plenty is left the next one goes after 0.3 of it. */
    private double slot() {
        assertThat(isThere()).isTrue();
        return due(1e9) / 0.3;
    }

    /** {@return what all take for what this client takes, after one reading, while two was believed} */
    private static double after(double news) {
        return Math.exp(Math.log(2) + news - 0.03 * Math.log(2 / 4.0));
    }

    @Test
    void atTheTargetItGoesInItsSlot() {
        assertThat(due(620)).isEqualTo(2);
    }

    @Test
    void mostOfADeviationIsPutRightAtOnce() {
        assertThat(due(520)).isEqualTo(2.8);
        assertThat(due(720)).isEqualTo(1.2);
        assertThat(due(620, 0, 0, 1)).isEqualTo(2.8); // a reading of later tells less
    }

    @Test
    void whatIsOnTheWireIsTakenForThatOfAll() {
        assertThat(due(620, 50, 0, 0)).isEqualTo(2.8);
    }

    @Test
    void oneThatIsKnownToNeedMoreWaitsForItButNotForAFullBucket() {
        assertThat(due(620, 0, 700, 0)).isEqualTo(2);
        assertThat(due(620, 0, 800, 0)).isEqualTo(2.64, ALMOST);
        assertThat(due(620, 0, 5_000, 0)).isEqualTo(3.84, ALMOST);
    }

    @Test
    void itGoesBetweenAThirdOfASlotAndFourSlots() {
        assertThat(due(1e9)).isEqualTo(0.6);
        assertThat(due(-1e9)).isEqualTo(8);
        assertThat(crowd.dueNanos(-1e9, 0, 0, 0, 7)).isEqualTo(7 * SECOND);
    }

    @Test
    void theSlotBeginsWhenTheLastOneLeft() {
        crowd.admitted(SECOND, SECOND);
        crowd.admitted(3 * SECOND, 3 * SECOND);
        assertThat(due(620, 0, 0, 3)).isEqualTo(5);
        crowd.release(2 * SECOND);
        assertThat(due(620, 0, 0, 3)).isEqualTo(5);
        crowd.release(3 * SECOND); // the server never counted it
        assertThat(due(620, 0, 0, 1)).isEqualTo(3);
    }

    @Test
    void noRequestIsTakenForMoreThanAQuarterOfTheLimit() {
        assertThat(crowd.isThere(400, 100, 1_000)).isTrue();
        assertThat(due(1e9)).isEqualTo(0.3 * 2 * 2.5);
    }

    @Test
    void theShareFollowsTheLevelAndLeansTowardsFour() {
        crowd.read(620, false);
        assertThat(slot()).isEqualTo(after(0), ALMOST);
    }

    @Test
    void belowTheTargetTheSlotGrowsAndAboveItShrinks() {
        crowd.read(420, false);
        assertThat(slot()).isEqualTo(after(0.02), ALMOST);
    }

    @Test
    void fromFourFifthsOnTheSlotShrinksFaster() {
        crowd.read(840, false);
        assertThat(slot()).isEqualTo(after(-0.1 * (0.22 + 2 * 0.04)), ALMOST);
    }

    @Test
    void nobodyTakesLessThanNothingNorMoreThanAThousandTimesAsMuch() {
        crowd.read(100_000, false);
        assertThat(slot()).isEqualTo(1, ALMOST);
        crowd.read(-200_000, false);
        assertThat(slot()).isEqualTo(1_000, within(1e-6));
    }

    @Test
    void aRefusalWhereMuchIsLeftTellsNothingOfTheOthers() {
        crowd.read(621, true);
        assertThat(slot()).isEqualTo(2, ALMOST);
        crowd.read(620, true);
        assertThat(slot()).isEqualTo(after(0), ALMOST);
    }

    /** {@return another one, that has seen all take eight times as much as it} */
    private static UnitCrowd ofEight() {
        UnitCrowd eight = new UnitCrowd();
        eight.told(1, 0);
        eight.fell(2_900, 1_000);
        eight.settled(100);
        return eight;
    }

    private static double slot(UnitCrowd of) {
        assertThat(of.isThere(100, 100, 1_000)).isTrue();
        return of.dueNanos(1e9, 0, 0, 0, LONG) / 1e9 / 0.3;
    }

    @Test
    void threeFullCountsInARowHalveTheSlot() {
        UnitCrowd eight = ofEight();
        assertThat(slot(eight)).isEqualTo(8, ALMOST);
        double expected = 8;
        for (double level : new double[] {851, 851, 850, 851, 851, 300, 851, 851}) { // never three in a row
            eight.read(level, false);
            expected = next(expected, level);
        }
        eight.read(851, true);
        eight.read(851, false);
        eight.read(851, false);
        expected = next(next(expected, 851), 851);
        assertThat(slot(eight)).isEqualTo(expected, ALMOST).isGreaterThan(4);
        eight.read(851, false);
        expected = next(expected / 2, 851);
        assertThat(slot(eight)).isEqualTo(expected, ALMOST);
    }

    private static double next(double times, double level) {
        double share = level / 1_000;
        double news = 0.1 * (0.62 - share - 2 * Math.max(0, share - 0.8));
        return Math.exp(Math.log(times) + news - 0.03 * Math.log(times / 4));
    }

    @Test
    void fullCountsBeforeOthersWereSeenDoNotMatter() {
        UnitCrowd eight = ofEight();
        for (int i = 0; i < 9; i++) {
            eight.read(900, false);
        }
        assertThat(slot(eight)).isEqualTo(8, ALMOST);
        eight.read(900, false);
        assertThat(slot(eight)).isEqualTo(next(8, 900), ALMOST);
    }

    @Test
    void aRefusedRequestOfAFewWaitsForWhatWasMissing() {
        assertThat(aside(400, 2, 9, 0)).isEqualTo(4);
        assertThat(aside(50, 2, 9, 0)).as("half a slot at least").isEqualTo(1);
        assertThat(aside(400, 2, 9, 1)).isEqualTo(7.2, ALMOST);
        assertThat(aside(0, 2, 9, 1)).isZero();
    }

    @Test
    void aRefusedRequestOfManyWaitsForWhatOthersTakeToo() {
        assertThat(aside(400, 3, 1, 0)).isEqualTo(8);
        assertThat(aside(50, 3, 1, 0)).as("a slot at least").isEqualTo(2);
        assertThat(aside(400, 3, 3, 0)).isEqualTo(18);
        assertThat(aside(400, 3, 5, 0)).isEqualTo(40.5);
        assertThat(aside(400, 3, 6, 0)).isEqualTo(40.5);
        assertThat(aside(400, 3, 1, 0.5)).isEqualTo(11.2, ALMOST);
    }

    private double aside(double missing, int waiting, int refusals, double random) {
        crowd.refused(missing);
        return crowd.asideNanos(refusals, waiting, random) / 1e9;
    }
}
