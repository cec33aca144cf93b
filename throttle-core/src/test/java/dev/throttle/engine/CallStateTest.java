package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a call remembers of its attempts. */
class CallStateTest {

    private final CallState call = new CallState(CallOptions.DEFAULT, 0);

    private void fails(Outcome... outcomes) {
        for (Outcome outcome : outcomes) {
            call.failed(outcome, 500);
        }
    }

    private RetryFacts facts() {
        return call.facts(Signal.FAILED, true, false, 0, 0, 0.5);
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

    @Test
    void theFactsTellWhatTheServerAndTheCallerSaid() {
        RetryFacts silent = facts();
        assertThat(silent.serverNamedWait()).isFalse();
        assertThat(silent.shouldRetry()).isNull();
        assertThat(silent.idempotent()).isTrue();
        assertThat(silent.replayable()).isTrue();
        assertThat(silent.maxAttempts()).isNull();
        CallState careful = new CallState(
                CallOptions.DEFAULT.idempotent(false).replayable(false).maxAttempts(2), 0);
        Signal told = Signal.of(Outcome.BUSY, new RateHints(Duration.ofSeconds(3), List.of()));
        RetryFacts facts = careful.facts(told, false, false, 1, 2, 0.5);
        assertThat(facts.serverNamedWait()).isTrue();
        assertThat(facts.idempotent()).isFalse();
        assertThat(facts.replayable()).isFalse();
        assertThat(facts.maxAttempts()).isEqualTo(2);
        assertThat(facts.outcome()).isEqualTo(Outcome.BUSY);
        assertThat(facts.spaced()).isFalse();
        assertThat(facts.random()).isEqualTo(0.5);
    }

    @Test
    void theStatusOfTheLastAttemptIsRememberedIfItHadOne() {
        assertThat(call.lastStatus()).isNull();
        fails(Outcome.BUSY);
        assertThat(call.lastStatus()).isEqualTo(500);
        call.failed(Outcome.FAILED, 0);
        assertThat(call.lastStatus()).isNull();
    }
}
