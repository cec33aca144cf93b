package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a guard gave an attempt that is not sent goes back to it, once, however the attempt ends. */
class GuardPassesTest {

    private final Timeline line = new Timeline();
    private final List<String> told = new ArrayList<>();
    private boolean admits = true;

    private final class Recorder implements AdmissionGuard, AdmissionGuard.Pass {

        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public Pass tryEnter() {
            told.add("enter");
            return this;
        }

        @Override
        public boolean onAdmitted() {
            return admits;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {
            told.add("end");
        }

        @Override
        public void onLeft() {
            told.add("left");
        }
    }

    private final Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofSeconds(1)))
            .maxWait(Duration.ofMillis(1_500))
            .guard(new Recorder())
            .build();

    /** The next has to wait for a second. */
    private void letOneGo() {
        Objects.requireNonNull(throttle.tryAcquire()).end(Signal.SUCCESS);
        assertThat(told).containsExactly("enter", "end");
        told.clear();
    }

    @Test
    void whoDoesNotWantToWait() {
        letOneGo();
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(told).containsExactly("enter", "left");
    }

    @Test
    void whoWouldHaveToWaitForTooLong() {
        letOneGo();
        line.ask(throttle, "a");
        told.clear();
        line.ask(throttle, "b");
        assertThat(line.events).containsExactly("b rejected@0");
        assertThat(told).containsExactly("enter", "left");
    }

    @Test
    void whoIsTurnedAwayWhileItWaits() {
        letOneGo();
        line.ask(throttle, "a");
        line.advanceMillis(900);
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(2)));
        assertThat(line.events).containsExactly("a rejected@900");
        assertThat(told).containsExactly("enter", "left");
    }

    @Test
    void whoGivesUpWhileItWaits() {
        letOneGo();
        CompletableFuture<Permit> waiting = line.ask(throttle, "a");
        waiting.cancel(false);
        line.advanceMillis(2_000);
        assertThat(told).containsExactly("enter", "left");
    }

    @Test
    void whoGivesItsPermitBack() {
        Permit permit = Objects.requireNonNull(throttle.tryAcquire());
        permit.release();
        permit.release();
        assertThat(told).containsExactly("enter", "left");
    }

    @Test
    void whomItRefusesWhenTheThrottleWouldLetItGo() {
        admits = false;
        assertThatThrownBy(throttle::acquire)
                .isInstanceOf(ThrottleRejectedException.class)
                .hasMessageEndingWith("refused by the recorder");
        assertThat(told).containsExactly("enter", "left");
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void whomTheNextGuardRefuses() {
        Throttle two = line.throttle(TestStrategies.free())
                .guard(new Recorder())
                .guard(new AdmissionGuard() {
                    @Override
                    public String name() {
                        return "closed";
                    }

                    @Override
                    public @Nullable Pass tryEnter() {
                        return null;
                    }
                })
                .build();
        assertThat(two.tryAcquire()).isNull();
        assertThat(told).containsExactly("enter", "left");
    }
}
