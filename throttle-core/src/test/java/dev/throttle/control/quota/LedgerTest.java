package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.quota.Ledger.Sum;
import org.junit.jupiter.api.Test;

/** Which own requests a server has not told of yet, and what they take. */
class LedgerTest {

    private final Ledger ledger = new Ledger();
    private final Sum sum = new Sum();

    private void assertSum(double known, double estimated, int unknown, int count) {
        assertSum(sum, known, estimated, unknown, count);
    }

    private static void assertSum(Sum sum, double known, double estimated, int unknown, int count) {
        assertThat(new double[] {sum.known, sum.estimated, sum.unknown, sum.count})
                .containsExactly(known, estimated, unknown, count);
    }

    /** What one asked for 10, one for nothing that is known, and one for exactly 20. */
    private void admitThree() {
        ledger.admit(10, false, 1, 1);
        ledger.admit(Ledger.UNKNOWN, false, 2, 2);
        ledger.admit(20, true, 3, 3);
    }

    @Test
    void whatIsNotToldIsAddedUp() {
        admitThree();
        assertSum(ledger.untold(), 20, 10, 1, 2);
        ledger.settle(1, 7, 9);
        ledger.settle(2, 5, 9);
        assertSum(ledger.untold(), 32, 0, 0, 0);
    }

    /** One without an estimate once counted for less than nothing. */
    @Test
    void whatIsInFlightIsAddedUpAsFarAsItIsKnown() {
        admitThree();
        assertThat(ledger.inFlight()).isEqualTo(30);
        ledger.end(3, 9);
        assertThat(ledger.inFlight()).isEqualTo(10);
    }

    @Test
    void anAnswerTellsOfThoseBeforeItAndOfItself() {
        admitThree();
        ledger.end(2, 9);
        ledger.tell(-1, 2, 0, sum);
        assertSum(0, 10, 1, 2);
        ledger.tell(-1, 2, 0, sum); // each once
        assertSum(0, 0, 0, 0);
        assertSum(ledger.untold(), 20, 0, 0, 0);
    }

    @Test
    void ofTwoThatLeftAtOnceAnAnswerTellsOfTheOneThatHasEnded() {
        ledger.admit(10, false, 1, 1);
        ledger.admit(10, false, 1, 1);
        ledger.end(1, 9);
        ledger.tell(-1, 1, 0, sum);
        assertSum(0, 10, 0, 1);
        ledger.end(1, 9);
        ledger.tell(-1, 1, 0, sum);
        assertSum(0, 10, 0, 1);
    }

    @Test
    void aRequestThatTookNothingIsForgotten() {
        admitThree();
        ledger.drop(1);
        ledger.drop(9);
        assertSum(ledger.untold(), 20, 0, 1, 1);
        ledger.drop(3);
        ledger.drop(2);
        assertSum(ledger.untold(), 0, 0, 0, 0);
    }

    @Test
    void aRequestIsForgottenOnce() {
        admitThree();
        ledger.drop(3);
        ledger.drop(3);
        assertThat(ledger.size()).isEqualTo(2);
    }

    @Test
    void ofManyOneInTheMiddleIsForgotten() {
        for (int i = 0; i < 512; i++) {
            ledger.admit(i, false, i, i);
        }
        ledger.drop(300);
        assertThat(ledger.size()).isEqualTo(511);
        assertThat(ledger.get(299).asked).isEqualTo(299);
        assertThat(ledger.get(300).asked).isEqualTo(301);
        assertThat(ledger.get(510).asked).isEqualTo(511);
    }

    @Test
    void whoIsOnTheWireSinceAlmostTheSameTimeMayHaveComeBefore() {
        admitThree();
        ledger.end(2, 9);
        assertThat(ledger.rivals(2, 0)).isZero();
        assertThat(ledger.rivals(2, 1)).isEqualTo(2);
        assertThat(ledger.rivals(5, 2)).isEqualTo(1);
        assertThat(ledger.rivals(5, 1)).isZero();
        assertThat(ledger.rivals(1, 0)).isEqualTo(1);
    }

    @Test
    void whatIsToldOfAndEndedIsKeptUntilItIsSettledAndThatIsTold() {
        admitThree();
        ledger.end(1, 9);
        ledger.end(2, 9);
        ledger.end(3, 9);
        ledger.tell(-1, 3, 0, sum);
        ledger.compact(0);
        assertThat(ledger.size()).isEqualTo(2); // the third one was known exactly
        ledger.settle(2, 5, 9);
        ledger.compact(0);
        assertThat(ledger.size()).isEqualTo(2);
        ledger.get(1).truth = Ledger.Truth.SETTLED_AND_TOLD;
        ledger.compact(0);
        assertThat(ledger.size()).isEqualTo(1);
        assertThat(ledger.get(0).admittedAt).isEqualTo(1);
        ledger.compact(1); // nobody waits for ever
        assertThat(ledger.size()).isZero();
    }

    @Test
    void beforeAnythingWasSettledNoMoreThan64AreKept() {
        for (int i = 0; i < 100; i++) {
            ledger.admit(10, false, i, i);
            ledger.end(i, i);
        }
        ledger.tell(-1, 99, 0, sum);
        ledger.compact(-1);
        assertThat(ledger.size()).isEqualTo(64);
        assertThat(ledger.get(0).admittedAt).isEqualTo(36);
        ledger.settle(36, 10, 100);
        for (int i = 100; i < 200; i++) {
            ledger.admit(10, false, i, i);
            ledger.end(i, i);
        }
        ledger.tell(-1, 199, 0, sum);
        ledger.compact(-1);
        assertThat(ledger.size()).isEqualTo(1 + 2 * 64); // it was settled after 63 others, so twice as many are awaited
    }

    @Test
    void ofMoreThanSixtyFiveThousandTheOldestIsDropped() {
        for (int i = 0; i <= 1 << 16; i++) {
            ledger.admit(i == 0 ? 7 : 1, false, i, i);
        }
        assertSum(ledger.untold(), 0, 1 << 16, 0, 1 << 16);
    }

    @Test
    void sumsAreAddedAndCleared() {
        Sum other = new Sum();
        other.add(3, Ledger.UNKNOWN);
        other.add(Ledger.UNKNOWN, Ledger.UNKNOWN);
        other.add(3, 8);
        sum.add(other);
        sum.add(other);
        assertSum(16, 6, 2, 4);
        sum.clear();
        assertSum(0, 0, 0, 0);
    }
}
