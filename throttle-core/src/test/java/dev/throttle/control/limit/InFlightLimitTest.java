package dev.throttle.control.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ten requests in flight at most. */
class InFlightLimitTest {

    private final RateController controller =
            new InFlightLimit.Builder().build().newController(ControllerHost.detached(new SplittableRandom(1)));

    private boolean isFree(double reserve) {
        long due = controller.dueNanos(Cost.NONE, Cost.ONE, reserve, 7);
        assertThat(due).isIn(7L, RateController.UNTIL_SIGNAL);
        return due == 7;
    }

    @Test
    void theEleventhWaitsForAnEnd() {
        for (int i = 0; i < 10; i++) {
            assertThat(controller.dueNanos(Cost.NONE, Cost.ONE, 7)).isEqualTo(7);
            controller.onAdmitted(Cost.ONE, 0, 7);
        }
        assertThat(controller.dueNanos(Cost.NONE, Cost.ONE, 7)).isEqualTo(RateController.UNTIL_SIGNAL);
        controller.onSignal(Signal.SUCCESS, Traffic.QUIET.inFlight(9), 8);
        assertThat(controller.dueNanos(Cost.NONE, Cost.ONE, 8)).isEqualTo(8);
    }

    @Test
    void aShareOfThePlacesCanBeKeptForOthersButNotTheLast() {
        controller.takeOver(null, Traffic.QUIET.inFlight(6), 0);
        assertThat(isFree(0.3)).isTrue();
        assertThat(isFree(0.4)).isFalse();
        assertThat(isFree(0.39)).isTrue(); // whole places
        controller.takeOver(null, Traffic.QUIET.inFlight(0), 0);
        assertThat(isFree(1)).isTrue();
        controller.takeOver(null, Traffic.QUIET.inFlight(1), 0);
        assertThat(isFree(1)).isFalse();
    }

    @Test
    void itTellsItsLimitAndIsNeverIdle() {
        assertThat(controller.limitInFlight()).isEqualTo(10);
        assertThat(controller.limitPerSecond()).isInfinite();
        assertThat(controller.isIdle()).isFalse();
        assertThat(controller.isAdaptive()).isFalse();
    }
}
