package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What guards are told, and where. */
class GuardedCallsTest {

    private final Timeline line = new Timeline();
    private final List<String> told = new ArrayList<>();
    private final List<Integer> locksHeld = new ArrayList<>();
    private boolean refuses;

    private final class Recorder implements AdmissionGuard, AdmissionGuard.Pass {

        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public @Nullable Pass tryEnter() {
            note("enter");
            return refuses ? null : this;
        }

        @Override
        public boolean onAdmitted() {
            note("admitted");
            return true;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {
            note("end after " + duration.toMillis());
        }

        @Override
        public void onLeft() {
            note("left");
        }

        private void note(String event) {
            told.add(event);
            long[] self = {Thread.currentThread().getId()};
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(self, true, true)[0];
            // A thread of a pool owns its own worker while it runs a test.
            long synchronizers = Arrays.stream(info.getLockedSynchronizers())
                    .filter(lock -> !lock.getClassName().endsWith("ThreadPoolExecutor$Worker"))
                    .count();
            locksHeld.add(info.getLockedMonitors().length + (int) synchronizers);
        }
    }

    private Throttle throttle() {
        return line.throttle(TestStrategies.pace(Duration.ofMillis(10)))
                .guard(new Recorder())
                .build();
    }

    /** It used to be the time since the call had first asked: 30.1 s. */
    @Test
    void theTimeBetweenAReleaseAndTheNextPermitIsNoDuration() throws Exception {
        Throttle throttle =
                line.throttle(TestStrategies.free()).guard(new Recorder()).build();
        Throttle atRest = line.throttle(TestStrategies.sleep(Duration.ZERO))
                .guard(new Recorder())
                .build();
        for (Throttle each : List.of(throttle, atRest)) {
            told.clear();
            ThrottledCall call = Calls.of(each).newCall();
            call.acquire().release();
            line.time.advance(Duration.ofSeconds(30));
            Permit permit = call.acquire();
            line.advanceMillis(100);
            permit.complete(Signal.SUCCESS);
            assertThat(told).contains("left").endsWith("end after 100");
        }
    }

    @Test
    void guardsAreAskedAndToldUnderNoLock() throws Exception {
        Throttle throttle = throttle();
        throttle.acquire().complete(Signal.SUCCESS);
        throttle.acquireAsync().cancel(true);
        throttle.acquireAsync();
        line.advanceMillis(10);
        Calls.of(throttle).newCall().acquireAsync().cancel(true);
        assertThat(told).contains("enter", "admitted", "left");
        assertThat(locksHeld).containsOnly(0);
    }

    @Test
    void aRefusalSaysNothingOfWaits() {
        refuses = true;
        assertThatThrownBy(() -> throttle().acquire())
                .isInstanceOf(ThrottleRejectedException.class)
                .hasMessage("Throttle \"default\": refused by the recorder");
    }
}
