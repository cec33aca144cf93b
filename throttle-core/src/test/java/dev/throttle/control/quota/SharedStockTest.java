package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stock of 10,000 of which another client uses one each second. */
class SharedStockTest {

    private static final long SECOND = 1_000_000_000L;

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 60, 5 * SECOND, 0.1);
    private final SharedStock stock = new SharedStock(settings);
    private double own;
    private long now;

    private double left() {
        return 10_000 - own - Math.floor(now / 1e9);
    }

    private void answer() {
        own++;
        stock.ended(1);
        stock.read(left(), false, now, 0, now);
    }

    /** Sixty requests a second until it holds one back. */
    private void useAtFullSpeed() {
        stock.begin(10_000, 0);
        while (stock.dueNanos(0, 1, 0, now) == now && left() >= 1) {
            now += SECOND / 60;
            answer();
        }
    }

    @Test
    void leavesWhatTheOtherOneWillUseInTheHour() {
        useAtFullSpeed();
        assertThat(left()).isBetween(3400.0, 4400.0);
        assertThat(stock.dueNanos(0, 1, 1, now)).isEqualTo(RateController.UNTIL_SIGNAL);
        assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now + settings.firstPatienceNanos());
    }

    @Test
    void takesLittleOfThatByAskingAgain() {
        useAtFullSpeed();
        while (now < 3550 * SECOND) {
            now = Math.max(now + SECOND / 60, stock.dueNanos(0, 1, 0, now));
            answer();
        }
        assertThat(left()).isGreaterThan(0.3 * (3600 - 3550)); // of the 3,600 that the other one needs, it misses 1 %
    }

    @Test
    void nobodyElseIsSeenAndNothingIsKept() {
        stock.begin(10_000, 0);
        for (int i = 1; i < 9_000; i++) {
            now += SECOND / 60;
            stock.ended(1);
            stock.read(10_000 - i, false, now, 0, now);
            assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
        }
    }

    @Test
    void aCountThatRisesBelongsToABucket() {
        useAtFullSpeed();
        now += 5 * SECOND;
        stock.read(left() + 20, false, now, 0, now);
        assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
    }

    @Test
    void endsWithARefusalWithTheLastUnitAndWithTheHour() {
        useAtFullSpeed();
        stock.read(left(), true, now, 0, now);
        assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
        own = 0;
        now = 0;
        useAtFullSpeed();
        stock.read(0, false, now, 0, now);
        assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
        own = 0;
        now = 0;
        useAtFullSpeed();
        now = 3600 * SECOND;
        stock.read(100, false, now, 0, now);
        assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
    }

    /** A request that timed out was counted by the server all the same. */
    @Test
    void ownRequestsWithoutAnAnswerAreNotThoseOfOthers() {
        stock.begin(10_000, 0);
        for (int i = 1; i < 9_000; i++) {
            now += SECOND / 60;
            stock.ended(1);
            if (i % 10 != 0) {
                stock.read(10_000 - i, false, now, 0, now);
            }
            assertThat(stock.dueNanos(0, 1, 0, now)).isEqualTo(now);
        }
    }

    /** So many own requests have ended by a time, the last of which tells the count. */
    private void use(double at, int ended, double count, int wire) {
        stock.ended(ended);
        stock.read(count, false, nanos(at - 0.1), wire, nanos(at));
    }

    private double due(double at, int ahead, int wire) {
        return Moment.seconds(stock.dueNanos(ahead, 1, wire, nanos(at)));
    }

    @Test
    void whatOthersUseIsLeftForTheRestOfTheHour() {
        stock.begin(10_000, 0);
        use(100, 200, 9_700, 0); // a hundred of others in 100 s: 1.2 a second to be sure, 4,200 in the rest of the hour
        assertThat(due(100, 5_499, 0)).isEqualTo(100);
        assertThat(due(100, 5_500, 0)).isEqualTo(105);
        assertThat(due(100, 5_498, 1)).isEqualTo(100);
        assertThat(due(100, 5_499, 1)).isEqualTo(Moment.SIGNAL);
        assertThat(due(3600, 9_699, 0)).isEqualTo(3600);
        assertThat(due(3601, 9_700, 0)).isEqualTo(105);
    }

    /** A tenth of the time since it was held back, from the last answer on. */
    @Test
    void whoWaitsLongerAsksLessOften() {
        stock.begin(10_000, 0);
        use(100, 200, 9_700, 0);
        use(200, 7_658, 2_042, 0); // nobody else came: 0.6 a second are kept, which is 2,040
        use(300, 1_042, 1_000, 0);
        assertThat(due(300, 0, 0)).isEqualTo(310);
        use(400, 1, 900, 0);
        assertThat(due(400, 0, 0)).isEqualTo(420);
    }

    @ParameterizedTest
    @CsvSource({"98, 0, false", "97, 0, true", "96, 2, false", "96, 1, true"})
    void othersAreThoseWhoUsedThreeAndMore(double left, int wire, boolean kept) {
        stock.begin(100, 0);
        stock.ended(50);
        use(1, 0, left - 50, wire);
        assertThat(due(1, (int) left - 51 - wire, wire) != 1).isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource({
        "22, 2, true", // two more may be answers that overtook each other
        "23, 1.9, true", // it left before the lowest count was known
        "23, 2, false",
        "1, 3, true",
        "0.9, 3, false"
    })
    void itHoldsUntilTheCountRisesOrIsUsedUp(double count, double sent, boolean holds) {
        stock.begin(100, 0);
        stock.ended(60);
        stock.read(20, false, 0, 0, nanos(2));
        stock.read(count, false, nanos(sent), 0, nanos(4));
        assertThat(due(4, 100, 0) > 4).isEqualTo(holds);
    }

    @Test
    void itHoldsForAnHour() {
        stock.begin(100, 0);
        stock.ended(40);
        stock.read(40, false, 0, 0, nanos(3599.9));
        assertThat(due(3599.9, 100, 0)).isGreaterThan(3599.9);
        stock.read(40, false, 0, 0, nanos(3600));
        assertThat(due(3600, 100, 0)).isEqualTo(3600);
    }

    @Test
    void whatIsForgottenHoldsNothingBack() {
        stock.begin(10_000, 0);
        use(100, 200, 9_700, 0);
        stock.forget();
        assertThat(due(100, 9_000, 0)).isEqualTo(100);
        use(101, 200, 9_400, 0);
        assertThat(due(101, 9_000, 0)).isEqualTo(101);
    }
}
