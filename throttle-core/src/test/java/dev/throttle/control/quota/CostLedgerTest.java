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
        ledger.admit(10, false, 1, 1);
        ledger.admit(CostLedger.UNKNOWN, false, 2, 2);
        ledger.admit(20, true, 3, 3);
    }

    @Test
    void whatIsNotToldIsAddedUp() {
        admitThree();
        ledger.untold(sum);
        assertSum(20, 10, 1, 2);
        ledger.settle(1, 7, 9);
        ledger.settle(2, 5, 9);
        ledger.untold(sum);
        assertSum(32, 0, 0, 0);
    }

    @Test
    void anAnswerTellsOfThoseBeforeItAndOfItself() {
        admitThree();
        ledger.end(2, 9);
        ledger.tell(2, sum);
        assertSum(0, 10, 1, 2);
        ledger.tell(2, sum); // each once
        assertSum(0, 0, 0, 0);
        ledger.untold(sum);
        assertSum(20, 0, 0, 0);
    }

    @Test
    void ofTwoThatLeftAtOnceAnAnswerTellsOfTheOneThatHasEnded() {
        ledger.admit(10, false, 1, 1);
        ledger.admit(10, false, 1, 1);
        ledger.end(1, 9);
        ledger.tell(1, sum);
        assertSum(0, 10, 0, 1);
        ledger.end(1, 9);
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
    void aRequestIsForgottenOnce() {
        admitThree();
        ledger.forget(3);
        ledger.forget(3);
        assertThat(ledger.size()).isEqualTo(2);
    }

    @Test
    void ofManyOneInTheMiddleIsForgotten() {
        for (int i = 0; i < 512; i++) {
            ledger.admit(i, false, i, i);
        }
        ledger.forget(300);
        assertThat(ledger.size()).isEqualTo(511);
        assertThat(ledger.get(299).asked).isEqualTo(299);
        assertThat(ledger.get(300).asked).isEqualTo(301);
        assertThat(ledger.get(510).asked).isEqualTo(511);
    }

    @Test
    void whoIsOnTheWireSinceAlmostTheSameTimeMakesACrowd() {
        admitThree();
        ledger.end(2, 9);
        assertThat(ledger.isCrowdedAt(2, 0)).isFalse();
        assertThat(ledger.isCrowdedAt(2, 1)).isTrue();
        assertThat(ledger.isCrowdedAt(5, 2)).isTrue();
        assertThat(ledger.isCrowdedAt(5, 1)).isFalse();
        assertThat(ledger.isCrowdedAt(1, 0)).isTrue();
    }

    @Test
    void whatIsToldOfAndEndedIsKeptUntilItIsSettledAndThatIsTold() {
        admitThree();
        ledger.end(1, 9);
        ledger.end(2, 9);
        ledger.end(3, 9);
        ledger.tell(3, sum);
        ledger.compact(0);
        assertThat(ledger.size()).isEqualTo(2); // the third one was known exactly
        ledger.settle(2, 5, 9);
        ledger.compact(0);
        assertThat(ledger.size()).isEqualTo(2);
        ledger.get(1).settlementTold = true;
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
        ledger.tell(99, sum);
        ledger.compact(-1);
        assertThat(ledger.size()).isEqualTo(64);
        assertThat(ledger.get(0).admittedAt).isEqualTo(36);
        ledger.settle(36, 10, 100);
        for (int i = 100; i < 200; i++) {
            ledger.admit(10, false, i, i);
            ledger.end(i, i);
        }
        ledger.tell(199, sum);
        ledger.compact(-1);
        assertThat(ledger.size()).isEqualTo(164);
    }

    @Test
    void ofMoreThan512TheOldestIsDropped() {
        for (int i = 0; i < 513; i++) {
            ledger.admit(i, false, i, i);
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
