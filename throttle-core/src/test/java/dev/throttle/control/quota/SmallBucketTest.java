package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A bucket of five that is refilled by one a second and tells neither its size nor a reset. */
class SmallBucketTest {

    private static final long SECOND = 1_000_000_000L;

    private final RateController controller =
            Strategies.quotaPacing().build().newController(ControllerHost.detached(new SplittableRandom(1)));
    private double level = 5;
    private long leveledAt;
    private long now;
    private int refused;

    private void ask() {
        now = Math.max(now, controller.dueNanos(Cost.NONE, Cost.ONE, now));
        controller.onAdmitted(Cost.ONE, now, now);
        level = Math.min(5, level + (now - leveledAt) / 1e9);
        leveledAt = now;
        boolean accepted = level >= 1;
        level -= accepted ? 1 : 0;
        refused += accepted ? 0 : 1;
        Quota quota = new Quota("a", null, (long) level, null, null);
        Outcome outcome = accepted ? Outcome.SUCCESS : Outcome.RATE_LIMITED;
        controller.onSignal(
                new Signal(outcome, new RateHints(null, List.of(quota))),
                Traffic.QUIET.admittedAt(now).waiting(1).perSecond(1),
                now);
    }

    @Test
    void threePausesAfterWhichNothingHasGrownTellThatItIsFull() {
        for (int i = 0; i < 4; i++) {
            ask();
        }
        assertThat(now).isBetween(7 * SECOND, 15 * SECOND); // three pauses of up to twice 2.4 s
        assertThat(controller.dueNanos(Cost.requests(2), Cost.ONE, now)).isEqualTo(now); // what is there may go at once
        for (int i = 0; i < 60; i++) {
            ask();
        }
        assertThat(refused).isZero();
        assertThat(now).isLessThan(75 * SECOND);
    }
}
