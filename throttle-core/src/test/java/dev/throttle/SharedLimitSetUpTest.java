package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which limits can be shared, and keys within several of them. */
class SharedLimitSetUpTest extends SharedLimitStory {

    @Test
    void aGroupWithinACompany() {
        SharedLimit group = SharedLimit.of("group", oneEvery(300));
        Throttle one = within(tenths, group);
        Throttle two = within(group, tenths);
        Throttle other = within(tenths);
        for (int i = 1; i <= 2; i++) {
            line.ask(one, "one" + i);
            line.ask(two, "two" + i);
        }
        for (int i = 1; i <= 8; i++) {
            line.ask(other, "o" + i);
        }
        line.advanceMillis(1_200);
        assertThat(line.events)
                .containsExactly(
                        "one1@0",
                        "o1@100",
                        "o2@200",
                        "two1@300",
                        "o3@400",
                        "o4@500",
                        "one2@600",
                        "o5@700",
                        "o6@800",
                        "two2@900",
                        "o7@1000",
                        "o8@1100");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void twoLimitsOfRequestsInFlightAreTakenTogether() {
        SharedLimit other =
                SharedLimit.of("other", Strategies.inFlight().limit(1).build());
        Throttle both = within(wire, other);
        CompletableFuture<Permit> a = line.ask(within(wire), "a");
        CompletableFuture<Permit> b = line.ask(within(other), "b");
        CompletableFuture<Permit> c = line.ask(both, "c");
        line.advanceMillis(1);
        free(a);
        CompletableFuture<Permit> d = line.ask(within(wire), "d"); // c does not keep what it cannot use
        line.advanceMillis(1);
        free(b);
        assertThat(c).isNotDone();
        line.advanceMillis(1);
        free(d);
        assertThat(line.events).containsExactly("a@0", "b@0", "d@1", "c@3");
    }

    @Test
    void aLimitGivenTwiceCountsOnce() {
        Throttle twice = within(tenths, tenths);
        line.ask(twice, "a");
        line.ask(twice, "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @Test
    void onlyAFixedLimitCanBeShared() {
        for (Strategy strategy :
                List.of(Strategies.standard(), Strategies.linearBackoff().build())) {
            assertThatThrownBy(() -> SharedLimit.of("shared", strategy)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> SharedLimit.of(" ", oneEvery(1))).isInstanceOf(IllegalArgumentException.class);
        assertThat(tenths).hasToString("tenths(token-bucket{unit=requests, rate=1/100ms, burst=1})");
    }

    @Test
    void aLimitGivenTwiceByAChangeCountsOnce() {
        Throttle throttle = within(tenths);
        throttle.reconfigure(key -> key.clearLimits().limit(tenths).limit(tenths));
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    /** As when settings are read anew: what makes the limit is another object. */
    @Test
    void aLimitStaysThoughAnotherStrategyNamesIt() {
        Strategy again = new Strategy() {
            @Override
            public String name() {
                return "again";
            }

            @Override
            public Controller newController(ControllerHost host) {
                return tenths.newController(host);
            }
        };
        Throttle throttle = within(tenths);
        Throttle other = within(tenths);
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        throttle.reconfigure(key -> key.clearLimits().limit(again));
        line.ask(other, "c");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100", "c@200");
    }
}
