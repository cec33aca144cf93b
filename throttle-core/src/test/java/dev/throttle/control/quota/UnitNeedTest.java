package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostLedger.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.quota.CostLedger.Sum;
import dev.throttle.fixtures.Traffic;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** How much of 1,000 has to be left before a request goes. */
class UnitNeedTest {

    private static final double LIMIT = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final Offset<Double> ALMOST = within(1e-9);

    private final CostModel costs = new CostModel();
    private final Booking booking = new Booking(costs);
    private final UnitRefill refill = new UnitRefill();
    private final UnitNeed needs = new UnitNeed(costs, booking, refill);

    private double need(double asked) {
        return needs.of(asked, asked, 0, 0, 0, LIMIT);
    }

    private void learn(double asked, double took, int times) {
        Sum sum = new Sum();
        sum.add(asked, UNKNOWN);
        for (int i = 0; i < times; i++) {
            costs.fell(took, sum, true);
        }
    }

    private void fillsBy100ASecond(int readings) {
        for (int i = 0; i < readings; i++) {
            refill.read(500, LIMIT, 5, Double.NaN, i);
        }
    }

    private void window() {
        refill.read(900, LIMIT, 60, Double.NaN, 0);
        refill.read(600, LIMIT, 50, Double.NaN, 10 * SECOND);
        assertThat(refill.isWindow()).isTrue();
    }

    private void callers(int onTheWire, int waiting) {
        needs.read(Traffic.QUIET.inFlight(onTheWire).waiting(waiting));
    }

    @Test
    void aBucketKeepsAQuarterOfItsLimitButNoMoreThanThreeQuarters() {
        assertThat(need(0)).isEqualTo(250);
        assertThat(need(100)).isEqualTo(350);
        assertThat(need(600)).isEqualTo(750);
        assertThat(need(900)).isEqualTo(900);
        assertThat(need(2_000)).isEqualTo(LIMIT);
    }

    @Test
    void aRequestThatMayTakeMoreThanMostNeedsMore() {
        learn(100, 200, 1);
        double high = 100 * Math.exp(3.5 * 0.4); // it takes twice what it asks for
        assertThat(need(50)).isEqualTo(high, ALMOST);
        assertThat(need(10)).isEqualTo(costs.mean(10) + 250, ALMOST);
        assertThat(need(300)).isEqualTo(750);
        assertThat(need(350)).isEqualTo(costs.mean(350), ALMOST).isGreaterThan(750);
    }

    @Test
    void whatIsKnownExactlyKeepsWhatOthersMayTake() {
        learn(100, 200, 1);
        costs.tell(120);
        costs.tell(500);
        costs.tell(800);
        double high = 100 * Math.exp(3.5 * 0.4);
        assertThat(needs.of(120, 50, 0, 0, 0, LIMIT)).isEqualTo(high, ALMOST);
        assertThat(needs.of(500, 50, 0, 0, 0, LIMIT)).isEqualTo(750);
        assertThat(needs.of(800, 50, 0, 0, 0, LIMIT)).isEqualTo(800);
    }

    @Test
    void whereNobodySaysWhatRequestsTakeAThreeQuartersFullBucketIsEnough() {
        learn(UNKNOWN, 900, 1);
        assertThat(need(UNKNOWN)).isEqualTo(750);
        costs.tell(900);
        assertThat(needs.of(900, UNKNOWN, 0, 0, 0, LIMIT)).isEqualTo(900); // this one has been told
        learn(UNKNOWN, 900, 99);
        assertThat(need(UNKNOWN))
                .as("all are alike")
                .isEqualTo(costs.mean(UNKNOWN))
                .isGreaterThan(899);
        learn(100, 950, 1);
        assertThat(need(100)).as("somebody has said it").isEqualTo(LIMIT);
    }

    @Test
    void whatIsBookedLaterLeavesHalfOfTheLimitAsAStock() {
        for (int i = 0; i < 3; i++) {
            booking.arrived(true);
        }
        assertThat(booking.isAtEnd()).isTrue();
        assertThat(need(100)).isEqualTo(600);
        assertThat(need(200)).isEqualTo(700);
        assertThat(need(300)).isEqualTo(750);
    }

    @Test
    void aWindowKeepsRoomForARequestThatTakesMoreThanMost() {
        window();
        assertThat(need(100)).isEqualTo(100);
        learn(100, 200, 1);
        assertThat(need(100)).isEqualTo(200 * Math.exp(2.2 * 0.4), ALMOST);
        assertThat(need(200)).isEqualTo(750);
    }

    @Test
    void aWindowKeepsTheLessTheMoreIsUncertainOnTheWire() {
        window();
        learn(100, 200, 1);
        assertThat(needs.of(200, 200, 400, 4, 0, LIMIT)).isEqualTo(750 - 400 * 0.4 / 2, ALMOST);
        assertThat(needs.of(200, 200, 400, 1, 0, LIMIT)).isEqualTo(750 - 400 * 0.4, ALMOST);
        assertThat(needs.of(200, 200, 400, 0, 0, LIMIT)).isEqualTo(750 - 400 * 0.4, ALMOST);
    }

    @Test
    void aBucketIsLessThanFullByWhatMayBeOnTheWire() {
        fillsBy100ASecond(1);
        learn(UNKNOWN, 150, 1);
        double mean = costs.mean(UNKNOWN);
        double two = Math.sqrt(Math.expm1(0.64) * mean * 200); // 200 come back in two ways of a second
        assertThat(needs.of(UNKNOWN, UNKNOWN, 0, 0, SECOND, LIMIT)).isEqualTo(1_000 - 1.3 * two, ALMOST);
        double all = Math.sqrt(Math.expm1(0.64) * mean * 1_000);
        assertThat(needs.of(UNKNOWN, UNKNOWN, 0, 0, 9 * SECOND, LIMIT)).isEqualTo(1_000 - 1.3 * all, ALMOST);
        assertThat(need(UNKNOWN)).isEqualTo(750);
    }

    @Test
    void howeverMuchIsOnTheWireARequestNeedsWhatItTakes() {
        fillsBy100ASecond(1);
        learn(UNKNOWN, 300, 1);
        assertThat(needs.of(UNKNOWN, UNKNOWN, 0, 0, 9 * SECOND, LIMIT)).isEqualTo(costs.mean(UNKNOWN));
    }

    @Test
    void theLastCallsOfAProgramUseTheStockUp() {
        fillsBy100ASecond(4);
        callers(17, 3);
        assertThat(need(100)).isEqualTo(350);
        callers(15, 3);
        assertThat(need(100)).isEqualTo(300); // what it takes itself, and the two behind it
        needs.admitted();
        assertThat(needs.waiting()).isEqualTo(2);
        assertThat(need(100)).isEqualTo(200);
        callers(17, 0);
        assertThat(need(100)).isEqualTo(100);
    }

    @Test
    void aProgramComesToItsEndWhenATwentiethOfItsCallersIsGone() {
        fillsBy100ASecond(4);
        callers(20, 0);
        callers(19, 0);
        assertThat(need(100)).isEqualTo(350);
        callers(18, 0);
        assertThat(need(100)).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            callers(18, 0);
        }
        assertThat(need(100)).as("20 are forgotten by and by").isEqualTo(350);
        callers(2_000, 0);
        callers(1_000, 0); // 1,990 are remembered
        callers(1_881, 0);
        assertThat(need(100)).isEqualTo(100);
    }

    @Test
    void aWindowOrABucketThatIsNotSureIsNotUsedUp() {
        fillsBy100ASecond(3);
        callers(20, 0);
        callers(10, 0);
        assertThat(need(100)).isEqualTo(350);
        fillsBy100ASecond(1);
        assertThat(need(100)).isEqualTo(100);
        learn(100, 200, 1);
        assertThat(need(100)).isEqualTo(200 * Math.exp(0.4), ALMOST); // as sure as one deviation
    }
}
