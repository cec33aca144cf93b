package dev.throttle.control.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sleeps that go on when a running throttle gets another strategy, or another setting of the same. */
class SleepSuccessionTest {

    private static ResponsiveBackoff.Builder exact() {
        return Strategies.responsiveBackoff()
                .initialInterval(Duration.ofSeconds(1))
                .upMultiplier(2)
                .downMultiplier(0.5)
                .downMultiplierThreshold(4)
                .randomizationFactor(0);
    }

    private static SleepController controller(Strategy strategy) {
        return (SleepController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
    }

    private static SleepController after(SleepController before, Strategy strategy) {
        SleepController controller = controller(strategy);
        controller.takeOver(before, 0);
        return controller;
    }

    private static SleepController refused(Strategy strategy, int times) {
        SleepController controller = controller(strategy);
        for (int i = 1; i <= times; i++) {
            controller.onSignal(Signal.RATE_LIMITED, i, 0);
        }
        return controller;
    }

    private static double succeed(SleepController controller, int times) {
        for (int i = 0; i < times; i++) {
            controller.onSignal(Signal.SUCCESS, 0, 0);
        }
        return controller.sleepSeconds();
    }

    @Test
    void successesSoFarCountForALowerThreshold() {
        SleepController before = refused(exact().build(), 3);
        assertThat(succeed(before, 3)).isEqualTo(4);
        SleepController after = after(before, exact().downMultiplierThreshold(2).build());
        assertThat(after.sleepSeconds()).isEqualTo(4);
        assertThat(succeed(after, 1)).isEqualTo(2);
        assertThat(succeed(after, 1)).isEqualTo(2);
        assertThat(succeed(after, 1)).isEqualTo(1);
    }

    @Test
    void anIntervalIsCutToTheNewMaximum() {
        SleepController before = refused(exact().build(), 3);
        assertThat(after(before, exact().maxInterval(Duration.ofSeconds(3)).build())
                        .sleepSeconds())
                .isEqualTo(3);
    }

    @Test
    void theSleepOfAnotherStrategyIsTheIntervalWithinTheBounds() {
        SleepController linear = refused(
                Strategies.linearBackoff().interval(Duration.ofMillis(2500)).build(), 1);
        assertThat(after(linear, exact().build()).sleepSeconds()).isEqualTo(2.5);
        assertThat(after(linear, exact().initialInterval(Duration.ofSeconds(5)).build())
                        .sleepSeconds())
                .isEqualTo(5);
        assertThat(after(linear, exact().maxInterval(Duration.ofSeconds(2)).build())
                        .sleepSeconds())
                .isEqualTo(2);
    }

    @Test
    void whereNobodySleptNobodySleepsNow() {
        assertThat(after(controller(Strategies.none()), exact().build()).sleepSeconds())
                .isZero();
        SleepController linear = after(null, Strategies.linearBackoff().build());
        assertThat(linear.sleepSeconds()).isZero();
        Strategy starting = Strategies.exponentialIncreaseGradualDecrease()
                .startingSleep(Duration.ofSeconds(2))
                .build();
        assertThat(after(null, starting).sleepSeconds()).isEqualTo(2);
    }

    @Test
    void anIntervalThatShrinksBelowTheFirstOneIsOver() {
        SleepController controller = refused(exact().build(), 2);
        assertThat(succeed(controller, 3)).isEqualTo(2);
        assertThat(succeed(controller, 1)).isEqualTo(1); // the first one itself still counts
        assertThat(succeed(controller, 4)).isZero();
        assertThat(succeed(controller, 7)).isZero();
        controller.onSignal(Signal.RATE_LIMITED, 1, 0);
        assertThat(succeed(controller, 3)).isEqualTo(1); // successes without an interval do not count
        assertThat(succeed(controller, 1)).isZero();
    }
}
