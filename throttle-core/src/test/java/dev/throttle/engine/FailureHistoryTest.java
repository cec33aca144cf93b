package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import org.junit.jupiter.api.Test;

/** What a call remembers of its attempts. */
class FailureHistoryTest {

    private final CallState call = new CallState(CallOptions.DEFAULT, 0);

    private void fails(Outcome... outcomes) {
        for (Outcome outcome : outcomes) {
            call.failed(outcome, 500);
        }
    }

    private RetryFacts facts() {
        return call.facts(Signal.FAILED, true, 0, 0, 0.5);
    }

    @Test
    void refusalsByAQuotaAreNoFaults() {
        fails(Outcome.RATE_LIMITED, Outcome.RATE_LIMITED, Outcome.BUSY);
        assertThat(facts().failures()).isEqualTo(3);
        assertThat(facts().faults()).isEqualTo(1);
        assertThat(call.refusals()).isEqualTo(3);
    }

    @Test
    void aFaultEndsARowOfRefusals() {
        fails(Outcome.BUSY, Outcome.FAILED);
        assertThat(call.refusals()).isZero();
        assertThat(facts().faults()).isEqualTo(2);
        fails(Outcome.RATE_LIMITED);
        assertThat(call.refusals()).isEqualTo(1);
    }
}
