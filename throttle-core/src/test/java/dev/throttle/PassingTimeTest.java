package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.OpenController;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.signal.Cost;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time that passes between the throttle's look at the clock and the beginning of a wait belongs to the wait. */
class PassingTimeTest {

    private final Timeline line = new Timeline();
    private boolean slow;

    @Test
    void aThreadDoesNotOversleepWhatPassesBeforeItParks() throws Exception {
        Blocking blocking = new Blocking();
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofMillis(100)))
                .listener(blocking)
                .time(new SlowToPark(line.time))
                .build();
        throttle.acquire();
        throttle.acquire();
        assertThat(blocking.waits).containsExactly(100L);
    }

    @Test
    void theTimerIsNotLateByWhatPassesBeforeItIsSet() {
        Throttle throttle =
                line.throttle(TestStrategies.named("slow", SlowPace::new)).build();
        line.ask(throttle, "first");
        slow = true;
        line.ask(throttle, "second");
        slow = false;
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("first@0", "second@100");
    }

    /** A hundred milliseconds pass while a thread is on its way to park. */
    private static final class SlowToPark extends OtherTime {

        private final VirtualTime virtual;

        SlowToPark(VirtualTime time) {
            super(time);
            this.virtual = time;
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
            virtual.advance(Duration.ofMillis(100));
            super.parkUntil(blocker, instant);
        }
    }

    /** One permit in a hundred milliseconds, by a controller that can take its time to tell how long that is. */
    private final class SlowPace extends OpenController {

        private long due = line.time.nanoTime();

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            if (slow) {
                line.advanceMillis(3);
            }
            return due;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            due += Duration.ofMillis(100).toNanos();
        }

        @Override
        public double limitPerSecond() {
            return 10;
        }
    }
}
