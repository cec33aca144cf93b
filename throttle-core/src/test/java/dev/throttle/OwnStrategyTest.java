package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateLimit;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Strategies of a user's own, which implement no more than they must. */
class OwnStrategyTest {

    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger made = new AtomicInteger();

    /** So many requests may be sent, and no more. */
    private final class Stock implements RateLimit {

        private long left = 3;

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return left > 0 ? nowNanos : UNTIL_SIGNAL;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            left -= cost.requests();
        }

        @Override
        public void onReleased(Cost cost, long admittedAtNanos, long nowNanos) {
            left += cost.requests();
        }
    }

    private Strategy strategy() {
        return new Strategy() {
            @Override
            public String name() {
                return "stock";
            }

            @Override
            public Controller newController(ControllerHost host) {
                made.incrementAndGet();
                return new Stock();
            }
        };
    }

    private Throttle.Builder throttle() {
        return Throttle.builder().time(time).executor(Runnable::run);
    }

    @Test
    void aLimitDecidesAndTakesBackWhatWasNotSent() {
        Throttle throttle = throttle().strategy(strategy()).build();
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            permits.add(throttle.tryAcquire());
        }
        assertThat(permits).doesNotContainNull();
        assertThat(throttle.tryAcquire()).isNull();
        permits.get(0).end(Signal.SUCCESS);
        assertThat(throttle.tryAcquire()).isNull();
        permits.get(1).end(Signal.of(Outcome.IGNORED));
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(throttle.snapshot().rateLimit()).isInfinite();
    }

    @Test
    void aThrottleMakesOneControllerOfEachStrategy() {
        throttle().strategy(strategy()).build();
        assertThat(made).hasValue(1);
        throttle().strategy(Strategies.none()).limit(strategy()).build();
        assertThat(made).hasValue(2);
    }

    @Test
    void atMostOneStrategySleeps() {
        assertThatThrownBy(() -> throttle()
                        .strategy(Strategies.linearBackoff().build())
                        .limit(new Nap())
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("linear-backoff")
                .hasMessageContaining("nap");
    }

    @Test
    void aSleepIsCountedFromTheArrivalOfEachCaller() {
        Throttle throttle = throttle().strategy(new Nap()).build();
        List<Long> went = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            throttle.acquireAsync().thenAccept(permit -> went.add(time.nanoTime()));
        }
        long arrived = time.nanoTime();
        time.advance(Duration.ofSeconds(5));
        assertThat(went).containsExactly(arrived + 2_000_000_000L, arrived + 2_000_000_000L);
    }

    /** Its strategy would have to say that it sleeps. */
    @Test
    void aSleepOfAStrategyThatDoesNotSleepIsRefused() {
        Strategy hidden = new Strategy() {
            @Override
            public String name() {
                return "hidden";
            }

            @Override
            public Controller newController(ControllerHost host) {
                return new Nap().newController(host);
            }
        };
        assertThatThrownBy(() -> throttle().strategy(hidden).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hidden")
                .hasMessageContaining("SleepStrategy");
    }

    private static final class Nap implements SleepStrategy {

        @Override
        public String name() {
            return "nap";
        }

        @Override
        public SleepController newController(ControllerHost host) {
            return new SleepController() {
                @Override
                public double sleepSeconds() {
                    return 2;
                }

                @Override
                public double onSignal(Signal signal, int refusals, long nowNanos) {
                    return 2;
                }
            };
        }
    }
}
