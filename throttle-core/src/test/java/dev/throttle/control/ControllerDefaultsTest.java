package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What holds for controllers and strategies of one's own that say no more than they must. */
class ControllerDefaultsTest {

    private static final long NOW = -7;

    /** Lets everybody go at a time. */
    private record DueAt(long due, long maxUnits) implements RateController {

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return cost.requests() <= 10 ? due : UNTIL_SIGNAL;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {}
    }

    private record Sleeps(double sleepSeconds) implements SleepController {

        @Override
        public double onSignal(Signal signal, int refusals, long nowNanos) {
            return 0;
        }
    }

    private static RateController due(long due) {
        return new DueAt(due, Long.MAX_VALUE);
    }

    @Test
    void aRateIsLearnedAndCountsRequestsWithoutBounds() {
        RateController rate =
                Strategies.busyRps().build().newController(ControllerHost.detached(new SplittableRandom(1)));
        assertThat(rate.unit()).isEqualTo(Quota.REQUESTS);
        assertThat(rate.maxUnits()).isEqualTo(Long.MAX_VALUE);
        assertThat(due(NOW).maxWaitNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(due(NOW).isAdaptive()).isTrue();
        assertThat(due(NOW).plansResets()).isFalse();
        assertThat(due(NOW).limitInFlight()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void nothingIsKeptBackAndNobodyStandsAside() {
        assertThat(due(3).dueNanos(Cost.NONE, Cost.ONE, 0.9, NOW)).isEqualTo(3);
        assertThat(due(NOW).costAfterRefusal(Cost.requests(4))).isEqualTo(Cost.requests(4));
        assertThat(due(NOW).standAsideNanos(5)).isZero();
    }

    @Test
    void aRateIsForgottenOnceItGrantsAllThatItCan() {
        assertThat(due(NOW).isForgettable(NOW)).isTrue();
        assertThat(due(NOW - 1).isForgettable(NOW)).isTrue();
        assertThat(due(NOW + 1).isForgettable(NOW)).isFalse();
        assertThat(due(RateController.UNTIL_SIGNAL).isForgettable(NOW)).isFalse();
        assertThat(new DueAt(NOW, 10).isForgettable(NOW)).isTrue();
        assertThat(new DueAt(NOW, 11).isForgettable(NOW)).isFalse();
    }

    @Test
    void aSleepIsTheSameForAllAndIdleWhileThereIsNone() {
        assertThat(new Sleeps(2).firstSleepSeconds()).isEqualTo(2);
        assertThat(new Sleeps(2).retrySleepSeconds(3)).isEqualTo(3);
        assertThat(new Sleeps(2).jitter()).isZero();
        assertThat(new Sleeps(2).isAdaptive()).isTrue();
        assertThat(new Sleeps(2).isIdle()).isFalse();
        assertThat(new Sleeps(0).isIdle()).isTrue();
    }

    @Test
    void aStrategyHasNoSettingsAndNeedsNoThrottle() {
        RandomGenerator random = new SplittableRandom(1);
        Controller controller = new Sleeps(0);
        Strategy strategy = new Strategy() {
            @Override
            public String name() {
                return "own";
            }

            @Override
            public Controller newController(ControllerHost host) {
                assertThat(host.random()).isSameAs(random);
                return controller;
            }
        };
        assertThat(strategy.settings()).isEmpty();
        assertThat(strategy.newController(ControllerHost.detached(random))).isSameAs(controller);
    }
}
