package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import org.junit.jupiter.api.Test;

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
}
