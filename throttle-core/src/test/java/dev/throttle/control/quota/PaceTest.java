package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaceTest {

    private final Pace pace = new Pace(new Surroundings(new PacingSettings(0, 0, 5, 120, 0, 0), () -> 0));

    private double due(double at, long ahead, double factor) {
        return Moment.seconds(pace.dueNanos(ahead, factor, nanos(at)));
    }

    private double due(double at) {
        return due(at, 0, 1);
    }

    @Test
    void withoutAnIntervalNobodyWaits() {
        assertThat(pace.isFree()).isTrue();
        pace.admitted(1, 1, nanos(7), nanos(7));
        assertThat(due(7, 100, 1)).isEqualTo(7);
    }

    @Test
    void requestsAreOneIntervalApart() {
        pace.interval(2);
        assertThat(pace.isFree()).isFalse();
        assertThat(due(7)).isEqualTo(7); // nobody went before
        pace.admitted(1, 1, nanos(7), nanos(7));
        assertThat(due(7)).isEqualTo(9);
        assertThat(due(7, 3, 1)).isEqualTo(15);
        assertThat(due(8)).isEqualTo(9);
        assertThat(due(9)).isEqualTo(9);
        assertThat(due(20)).isEqualTo(20); // what was not used is lost
        assertThat(due(20, 2, 1)).isEqualTo(24);
        pace.admitted(2, 1.25, nanos(20), nanos(20)); // two permits, and a quarter longer at random
        assertThat(due(20)).isEqualTo(25);
        assertThat(due(20, 1, 1)).isEqualTo(27);
    }

    /** A burst that empties a bucket makes an interval long, until the next answer shows what has come back. */
    @Test
    void aLongerIntervalCountsForThoseBehindOnceARequestWasAdmittedUnderIt() {
        pace.interval(2);
        pace.admitted(1, 1, nanos(7), nanos(7));
        pace.interval(4);
        assertThat(due(7)).isEqualTo(11);
        assertThat(due(7, 3, 1)).isEqualTo(17); // 2 s for each of them
        pace.admitted(1, 1, nanos(11), nanos(11));
        assertThat(due(11, 3, 1)).isEqualTo(27);
        pace.interval(1);
        assertThat(due(11, 3, 1)).isEqualTo(15); // a shorter one counts at once
    }

    @Test
    void noFactorMakesAWaitLongerThanTheLongestInterval() {
        pace.interval(2);
        pace.admitted(1, 1, 0, 0);
        assertThat(due(0, 0, 2)).isEqualTo(4);
        assertThat(due(0, 0, 16)).isEqualTo(5);
        assertThat(due(0, 1, 16)).isEqualTo(10);
        assertThat(due(0, 0, 0.5)).isEqualTo(1);
    }

    private double set(double interval) {
        pace.interval(interval);
        return pace.interval();
    }

    @Test
    void intervalsHaveBounds() {
        assertThat(set(6)).isEqualTo(5);
        assertThat(set(1e-5)).isEqualTo(1e-4);
        assertThat(set(2e-4)).isEqualTo(2e-4);
        assertThat(set(1e-4)).isEqualTo(1e-4);
        assertThat(set(5)).isEqualTo(5);
        assertThat(set(Double.NaN)).isEqualTo(1e-4);
    }

    @Test
    void aLimitHoldsFromNowOn() {
        pace.limit(3, nanos(10));
        assertThat(due(11)).isEqualTo(13);
        assertThat(due(11, 2, 1)).isEqualTo(19);
        pace.admitted(4, 1, nanos(20), nanos(20));
        pace.limit(2, nanos(30));
        assertThat(due(30)).isEqualTo(32); // for one request, whatever the last one took
    }

    @Test
    void whoIsHeldWaitsEvenIfThereIsNoInterval() {
        pace.hold(3, nanos(10));
        assertThat(due(11)).isEqualTo(13);
        assertThat(due(11, 50, 1)).isEqualTo(13);
        assertThat(due(14)).isEqualTo(14);
        pace.hold(1, nanos(11)); // a shorter one does not end it
        assertThat(due(11)).isEqualTo(13);
        pace.hold(3, nanos(11));
        assertThat(due(11)).isEqualTo(14);
    }

    @Test
    void whatIsHeldAndTheIntervalPassTogether() {
        pace.interval(2);
        pace.admitted(1, 1, nanos(10), nanos(10));
        pace.hold(1, nanos(10));
        assertThat(due(10)).isEqualTo(12);
        pace.hold(3, nanos(10));
        assertThat(due(10)).isEqualTo(13);
        assertThat(due(10, 1, 1)).isEqualTo(15); // those behind come one interval apart
    }

    @Test
    void aLimitIsLiftedOnlyWhenTheRefusalHasBeenWaitedOut() {
        pace.interval(2);
        pace.hold(3, nanos(10));
        pace.lift(nanos(12.9));
        assertThat(pace.isFree()).isFalse();
        pace.lift(nanos(13));
        assertThat(pace.isFree()).isTrue();
        assertThat(due(11)).isEqualTo(11); // nobody is held any more
        pace.interval(2);
        pace.lift(nanos(0));
        assertThat(pace.isFree()).isTrue();
    }

    @Test
    void whatIsClearedHoldsNobody() {
        pace.interval(2);
        pace.admitted(1, 1, nanos(10), nanos(10));
        pace.hold(3, nanos(10));
        pace.clear();
        assertThat(pace.isFree()).isTrue();
        assertThat(due(10)).isEqualTo(10);
        pace.hold(1, nanos(5)); // as if nobody had been held
        assertThat(due(5)).isEqualTo(6);
    }

    @Test
    void whoDidNotCountIsTakenBack() {
        pace.interval(2);
        pace.admitted(1, 1, nanos(10), nanos(10));
        pace.release(nanos(10)); // the first of all: as if one had gone then
        assertThat(due(10)).isEqualTo(12);
        pace.admitted(1, 1, nanos(14), nanos(14));
        pace.admitted(3, 1, nanos(16), nanos(16));
        pace.release(nanos(14)); // not the last one
        assertThat(due(16)).isEqualTo(22);
        pace.release(nanos(16));
        assertThat(due(16)).isEqualTo(16); // one interval after 14 s
        assertThat(due(15)).isEqualTo(16);
    }

    @Test
    void nobodyIsTakenBackBeforeTheFirst() {
        pace.interval(2);
        pace.release(0);
        assertThat(due(0)).isZero();
    }

    /** Clocks may begin anywhere, so a time that was never set is no time. */
    @ParameterizedTest
    @ValueSource(ints = {-1000, 1000})
    void aRequestFromBeforeThePaceThatIsTakenBackLeavesThePaceAsItIs(int at) {
        pace.limit(2, nanos(at));
        pace.release(0);
        assertThat(due(at)).isEqualTo(at + 2);
    }
}
