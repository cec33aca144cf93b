package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.quota.CostLedger.Sum;
import org.junit.jupiter.api.Test;

/** Which own requests a server has not told of yet, and what they take. */
class CostLedgerTest {

    private final CostLedger ledger = new CostLedger();
    private final Sum sum = new Sum();

    private void assertSum(double known, double estimated, int unknown, int count) {
        assertThat(new double[] {sum.known, sum.estimated, sum.unknown, sum.count})
                .containsExactly(known, estimated, unknown, count);
    }

    /** What one asked for 10, one for nothing that is known, and one for exactly 20. */
    private void admitThree() {
        ledger.admit(10, false, 1);
        ledger.admit(CostLedger.UNKNOWN, false, 2);
        ledger.admit(20, true, 3);
    }

    @Test
    void whatIsNotToldIsAddedUp() {
        admitThree();
        ledger.untold(sum);
        assertSum(20, 10, 1, 2);
        ledger.settle(1, 7);
        ledger.settle(2, 5);
        ledger.untold(sum);
        assertSum(32, 0, 0, 0);
    }

    @Test
    void anAnswerTellsOfThoseBeforeItAndOfItself() {
        admitThree();
        ledger.end(2);
        ledger.tell(2, sum);
        assertSum(0, 10, 1, 2);
        ledger.tell(2, sum); // each once
        assertSum(0, 0, 0, 0);
        ledger.untold(sum);
        assertSum(20, 0, 0, 0);
    }

    @Test
    void ofTwoThatLeftAtOnceAnAnswerTellsOfTheOneThatHasEnded() {
        ledger.admit(10, false, 1);
        ledger.admit(10, false, 1);
        ledger.end(1);
        ledger.tell(1, sum);
        assertSum(0, 10, 0, 1);
        ledger.end(1);
        ledger.tell(1, sum);
        assertSum(0, 10, 0, 1);
    }

    @Test
    void aRequestThatTookNothingIsForgotten() {
        admitThree();
        ledger.forget(1);
        ledger.forget(9);
        ledger.untold(sum);
        assertSum(20, 0, 1, 1);
        ledger.forget(3);
        ledger.forget(2);
        ledger.untold(sum);
        assertSum(0, 0, 0, 0);
    }

    @Test
    void whoIsOnTheWireSinceAlmostTheSameTimeMakesACrowd() {
        admitThree();
        ledger.end(2);
        assertThat(ledger.isCrowdedAt(2, 0)).isFalse();
        assertThat(ledger.isCrowdedAt(2, 1)).isTrue();
        assertThat(ledger.isCrowdedAt(5, 2)).isTrue();
        assertThat(ledger.isCrowdedAt(5, 1)).isFalse();
    }

    @Test
    void whatIsToldOfAndEndedIsDroppedUnlessItWillBeSettled() {
        admitThree();
        ledger.end(1);
        ledger.end(2);
        ledger.tell(2, sum);
        ledger.compact(0);
        ledger.settle(2, 5); // it is not there any more
        ledger.untold(sum);
        assertSum(20, 0, 0, 0);

        ledger.admit(30, false, 4); // from now on they are settled
        ledger.admit(40, false, 5);
        ledger.end(4);
        ledger.end(5);
        ledger.tell(5, sum);
        ledger.compact(4);
        assertThat(ledger.isCrowdedAt(4, 0)).isFalse();
        ledger.forget(3);
        ledger.untold(sum);
        assertSum(0, 0, 0, 0);
    }

    @Test
    void ofMoreThan512TheOldestIsDropped() {
        for (int i = 0; i < 513; i++) {
            ledger.admit(i, false, i);
        }
        ledger.untold(sum);
        assertSum(0, 512 * 513 / 2, 0, 512);
    }

    @Test
    void sumsAreAddedAndCleared() {
        Sum other = new Sum();
        other.add(3, CostLedger.UNKNOWN);
        other.add(CostLedger.UNKNOWN, CostLedger.UNKNOWN);
        other.add(3, 8);
        sum.add(other);
        sum.add(other);
        assertSum(16, 6, 2, 4);
        sum.clear();
        assertSum(0, 0, 0, 0);
    }
}
