package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Who hears of the end of a request that is not repeated, and what a guard has to do with it. */
class EndedPermitsTest {

    private final Timeline line = new Timeline();
    private final List<Outcome> learned = new ArrayList<>();
    private final List<Signal> told = new ArrayList<>();
    private boolean refuses;

    /** Counts nothing, so that nothing is booked. */
    private final class AtRest extends OpenController {

        @Override
        public boolean isIdle() {
            return true;
        }

        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {
            learned.add(signal.outcome());
        }
    }

    private final class Refusing implements AdmissionGuard, AdmissionGuard.Pass {

        @Override
        public String name() {
            return "refusing";
        }

        @Override
        public Pass tryEnter() {
            return this;
        }

        @Override
        public boolean isRefusing() {
            return refuses;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {}

        @Override
        public void onLeft() {}
    }

    private final Throttle.Builder builder = line.throttle(TestStrategies.named("at-rest", AtRest::new))
            .listener(new ThrottleListener() {
                @Override
                public void onSignal(Source source, Signal signal) {
                    told.add(signal);
                }
            });

    @Test
    void atRestOnlyWhatIsNewsIsLearnedAndTold() { // such as the first success after an overload
        Throttle throttle = builder.build();
        Signal hints = Timeline.remaining(3);
        for (Signal signal : List.of(Signal.SUCCESS, Signal.BUSY, Signal.SUCCESS, Signal.FAILED, hints)) {
            Objects.requireNonNull(throttle.tryAcquire()).end(signal);
        }
        assertThat(learned).containsExactly(Outcome.BUSY, Outcome.SUCCESS, Outcome.FAILED, Outcome.SUCCESS);
        assertThat(told).containsExactly(Signal.BUSY, Signal.FAILED, hints);
    }

    /** Listeners pass on what they hear, to gauges and to other processes: it must be what the throttle goes by. */
    @Test
    void whatIsNotLearnedFromIsNotTold() {
        Throttle throttle = builder.build();
        RateHints old = Timeline.exhausted(Outcome.SUCCESS, Duration.ofHours(1)).hints();
        Objects.requireNonNull(throttle.tryAcquire()).end(new Signal(Outcome.IGNORED, old)); // as a cache kept them
        Objects.requireNonNull(throttle.tryAcquire()).end(Signal.CANCELLED);
        Objects.requireNonNull(throttle.tryAcquire()).release();
        assertThat(told).isEmpty();
        Objects.requireNonNull(throttle.tryAcquire()).complete(new Signal(Outcome.DENIED, old));
        assertThat(told).containsExactly(Signal.of(Outcome.DENIED));
        assertThat(throttle.snapshot().quotas()).isEmpty();
    }

    @Test
    void aGuardKeepsWhatWouldBeRepeatedFromIt() {
        Throttle throttle = builder.guard(new Refusing()).build();
        refuses = true;
        Permit busy = Calls.of(throttle).newCall().acquireForced();
        Permit denied = Calls.of(throttle).newCall().acquireForced();
        assertThat(busy.complete(Signal.BUSY)).isEqualTo(StopReason.GUARD.decision());
        assertThat(denied.complete(Signal.of(Outcome.DENIED))).isEqualTo(StopReason.PERMANENT.decision());
    }
}
