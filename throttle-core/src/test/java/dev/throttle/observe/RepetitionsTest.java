package dev.throttle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.engine.RecordedCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which requests a program would not have sent, had others not been refused. */
class RepetitionsTest {

    private static final long SECOND = 1_000_000_000L;

    private static RecordedCall call(long second, Outcome outcome, int print) {
        return new RecordedCall(
                second * SECOND, SECOND / 10, CallOptions.DEFAULT, Cost.ONE, outcome, null, List.of(), print);
    }

    private static RecordedCall refused(long second, int print) {
        return call(second, Outcome.RATE_LIMITED, print);
    }

    private static RecordedCall granted(long second, int print) {
        return call(second, Outcome.SUCCESS, print);
    }

    @Test
    void theNextSameRequestAfterARefusalIsItsRepetition() {
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), granted(2, 8), granted(3, 7), granted(4, 7))))
                .containsExactly(refused(1, 7), granted(2, 8), granted(4, 7));
    }

    @Test
    void aRepetitionThatIsRefusedIsRepeatedToo() {
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), refused(2, 7), granted(3, 7))))
                .containsExactly(refused(1, 7));
    }

    @Test
    void whatIsSentBeforeTheRefusalIsThereRepeatsNothing() {
        RecordedCall atOnce = new RecordedCall(
                SECOND + 1, SECOND / 10, CallOptions.DEFAULT, Cost.ONE, Outcome.SUCCESS, null, List.of(), 7);
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), atOnce))).hasSize(2);
    }

    @Test
    void afterTenMinutesItIsAnotherCall() {
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), granted(601, 7))))
                .hasSize(1);
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), granted(602, 7))))
                .hasSize(2);
    }

    @Test
    void callsOfWhichNothingIsKnownRepeatNothing() {
        assertThat(Repetitions.removedFrom(List.of(refused(1, 0), granted(2, 0))))
                .hasSize(2);
    }

    @Test
    void aUrlOfManyCallsTellsNoRepetitions() {
        List<RecordedCall> calls =
                List.of(granted(1, 7), granted(2, 7), granted(3, 7), granted(4, 7), refused(5, 7), granted(6, 7));
        assertThat(Repetitions.removedFrom(calls)).isEqualTo(calls);
    }

    @Test
    void callsThatAreEqualAreCallsOfTheirOwn() {
        assertThat(Repetitions.removedFrom(List.of(refused(1, 7), refused(1, 7), granted(2, 7))))
                .containsExactly(refused(1, 7), refused(1, 7));
    }
}
