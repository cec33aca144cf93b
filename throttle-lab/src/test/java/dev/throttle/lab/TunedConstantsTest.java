package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.Traffic;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TunedConstantsTest {

    @Test
    void theConstantsOfTheLibraryAreFound() {
        assertThat(TunedConstants.usual())
                .containsKeys("tolerance", "steepness")
                .allSatisfy((name, value) -> assertThat(value).as(name).isPositive());
    }

    @Test
    void eachIsSwitchedOffHalvedAndDoubled() {
        assertThat(TunedConstants.alternatives("cut", 0.2)).containsExactly(0.0, 0.1, 0.4);
        assertThat(TunedConstants.alternatives("join", 1.9)).containsExactly(1.0, 0.95, 3.8);
    }

    private static String behaviour(String constants) {
        String before = System.getProperty(TunedConstants.PROPERTY, "");
        System.setProperty(TunedConstants.PROPERTY, constants);
        try {
            Strategy strategy = Contestant.named(BarReport.OURS, "0s").strategy();
            RateController controller =
                    (RateController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
            controller.onAdmitted(Cost.ONE, 0, 0);
            controller.onSignal(Signal.RATE_LIMITED, Traffic.QUIET.admitted(1), 0);
            return "due " + controller.dueNanos(Cost.NONE, Cost.ONE, 0);
        } finally {
            System.setProperty(TunedConstants.PROPERTY, before);
        }
    }

    @Test
    void thePropertyChangesTheStrategyOfTheLab() {
        assertThat(behaviour("firstProbe=3")).isNotEqualTo(behaviour(""));
        assertThatThrownBy(() -> behaviour("firstPrbe=0.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("firstPrbe")
                .hasMessageContaining("firstProbe");
        assertThatThrownBy(() -> behaviour("cut=much")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theLibraryDoesNotReadTheProperty() {
        String before = System.getProperty(TunedConstants.PROPERTY, "");
        System.setProperty(TunedConstants.PROPERTY, "cut=much");
        try {
            assertThat(Throttle.builder().build().tryAcquire()).isNotNull();
        } finally {
            System.setProperty(TunedConstants.PROPERTY, before);
        }
    }
}
