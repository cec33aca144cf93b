package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A controller whose permits come from elsewhere wakes its throttle. */
class NudgeTest {

    private final Timeline line = new Timeline();
    private final List<ControllerHost> hosts = new ArrayList<>();
    private int permits;

    private final Strategy elsewhere = new Strategy() {
        @Override
        public String name() {
            return "elsewhere";
        }

        @Override
        public Controller newController(ControllerHost host) {
            hosts.add(host);
            return new Stock();
        }
    };

    private final class Stock extends OpenController {

        @Override
        public boolean isForgettable(long nowNanos) {
            return true;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
            return ahead.requests() + cost.requests() <= permits ? nowNanos : UNTIL_SIGNAL;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long nowNanos) {
            permits -= (int) cost.requests();
            hosts.get(0).nudge(); // of no use here, and harmless
        }
    }

    @Test
    void asManyGoAsHaveCome() {
        Throttle throttle = line.throttle(Strategies.none()).limit(elsewhere).build();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "c");
        assertThat(line.events).isEmpty();
        line.advanceMillis(10);
        permits = 2;
        assertThat(line.events).isEmpty();
        hosts.get(0).nudge();
        assertThat(line.events).containsExactly("a@10", "b@10");
        line.advanceMillis(10);
        permits = 1;
        hosts.get(0).nudge();
        assertThat(line.events).containsExactly("a@10", "b@10", "c@20");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aThreadThatWaitsIsWoken() throws InterruptedException {
        Throttle throttle =
                Throttle.builder().strategy(Strategies.none()).limit(elsewhere).build();
        Thread caller = new Thread(() -> {
            try {
                throttle.acquire();
            } catch (InterruptedException | ThrottleRejectedException e) {
                throw new IllegalStateException(e);
            }
        });
        caller.start();
        await().until(() -> throttle.snapshot().waiting() == 1);
        permits = 1;
        hosts.get(0).nudge();
        caller.join();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
    }

    @Test
    void theHostIsKnownByNameAndKeyUntilItIsDropped() {
        ThrottleRegistry registry = line.registry(Strategies.none())
                .name("api")
                .limit(elsewhere)
                .maxKeys(1)
                .idleExpiry(Duration.ofSeconds(1))
                .build();
        permits = 3;
        registry.get("k").tryAcquire().release();
        ControllerHost host = hosts.get(0);
        assertThat(host.name()).isEqualTo("api");
        assertThat(host.key()).isEqualTo("k");
        assertThat(host.isGone()).isFalse();
        line.advanceMillis(2000);
        for (int i = 0; i < 10; i++) {
            registry.get("other" + i);
        }
        assertThat(host.isGone()).isTrue();
        host.nudge();
    }

    @Test
    void aControllerKnowsHowManyWait() {
        Throttle throttle = line.throttle(Strategies.none()).limit(elsewhere).build();
        assertThat(hosts.get(0).waiting()).isZero();
        line.ask(throttle, "a");
        line.ask(throttle, "b").cancel(false);
        line.ask(throttle, "c");
        assertThat(hosts.get(0).waiting()).isEqualTo(2);
    }
}
