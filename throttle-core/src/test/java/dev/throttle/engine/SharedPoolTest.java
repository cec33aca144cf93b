package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One limit of a request each 100 ns, and two engines that keep to it. */
class SharedPoolTest {

    private final Steady limit = new Steady();
    private final SharedPool pool = new SharedPool("shared", strategy(limit));
    private final List<String> woken = new ArrayList<>();
    private final SharedPool.Share a = share("a");
    private final SharedPool.Share b = share("b");

    private SharedPool.Share share(String engine) {
        SharedPool.Share share = (SharedPool.Share) pool.newShare();
        share.belongsTo(Runnable::run, Runnable::run, () -> woken.add(engine));
        return share;
    }

    private static Strategy strategy(Controller controller) {
        return new Strategy() {
            @Override
            public String name() {
                return "steady";
            }

            @Override
            public Controller newController(ControllerHost host) {
                return controller;
            }
        };
    }

    @Test
    void whoIsFirstInLineTakesAndTheOtherHearsWhenItsTurnIs() {
        assertThat(a.tryTake(Cost.ONE, 0)).isTrue();
        assertThat(a.stand(Cost.ONE, 0)).isEqualTo(100);
        assertThat(b.stand(Cost.ONE, 0)).isEqualTo(200);
        assertThat(b.tryTake(Cost.ONE, 100)).isFalse(); // there is room, which is that of a
        assertThat(woken).containsExactly("a");
        assertThat(a.tryTake(Cost.ONE, 100)).isTrue();
        a.leave(100);
        assertThat(b.stand(Cost.ONE, 100)).isEqualTo(100);
        assertThat(b.tryTake(Cost.ONE, 199)).isFalse();
        assertThat(b.tryTake(Cost.ONE, 200)).isTrue();
    }

    @Test
    void whereThereIsRoomForAnotherOneIsToldWhenToLook() {
        assertThat(a.stand(Cost.ONE, 0)).isZero();
        assertThat(b.stand(Cost.ONE, 0)).isEqualTo(100);
        limit.makeRoom();
        assertThat(b.stand(Cost.ONE, 0)).isEqualTo(Wait.UNTIL_SIGNAL);
    }

    @Test
    void whoLeavesTellsTheNextIfThatWouldLookTooLate() {
        a.tryTake(Cost.ONE, 0);
        a.stand(Cost.ONE, 0);
        b.stand(Cost.ONE, 0);
        a.leave(0);
        assertThat(woken).containsExactly("b");
        woken.clear();
        a.leave(0); // it has no place any more
        assertThat(woken).isEmpty();
    }

    @Test
    void whoIsToldOnceIsNotToldAgainUntilItHasLooked() {
        a.tryTake(Cost.ONE, 0);
        a.stand(Cost.ONE, 0);
        b.stand(Cost.ONE, 0);
        a.letPass(0);
        a.onAdmitted(Cost.NONE, 0, 0);
        a.onSignal(Signal.SUCCESS, load(Cost.ONE), 0);
        assertThat(woken).containsExactly("b");
        assertThat(b.stand(Cost.ONE, 0)).isEqualTo(100);
        a.onSignal(Signal.SUCCESS, load(Cost.ONE), 0);
        assertThat(woken).containsExactly("b"); // it looks in time by itself
        a.onSignal(Signal.SUCCESS, load(Cost.ONE), 100);
        assertThat(woken).containsExactly("b", "b");
    }

    @Test
    void whoLetsOthersPassKeepsItsPlace() {
        a.tryTake(Cost.ONE, 0);
        a.stand(Cost.ONE, 0);
        b.stand(Cost.ONE, 0);
        a.letPass(0);
        assertThat(b.tryTake(Cost.ONE, 100)).isTrue();
        assertThat(a.stand(Cost.ONE, 100)).isEqualTo(100);
        assertThat(b.dueNanos(Cost.NONE, Cost.ONE, 100)).isEqualTo(300);
        assertThat(b.dueNanos(Cost.requests(2), Cost.ONE, 100)).isEqualTo(500);
    }

    @Test
    void aSettledCostMayLetTheNextGoSooner() {
        a.tryTake(Cost.requests(5), 0);
        b.stand(Cost.ONE, 0);
        a.onSettled(Cost.requests(5), Cost.ONE, 0, 0, 50);
        assertThat(woken).containsExactly("b");
        assertThat(b.stand(Cost.ONE, 50)).isEqualTo(50);
    }

    @Test
    void whatWasTakenInVainComesBack() {
        assertThat(a.tryTake(Cost.ONE, 0)).isTrue();
        a.undo(Cost.ONE, 0);
        assertThat(limit.last).isEqualTo(new TrafficLoad(0, Cost.ONE, 0, 0, 1, 0, 0));
        assertThat(a.tryTake(Cost.ONE, 0)).isTrue();
    }

    @Test
    void theLimitSeesTheTrafficOfAllEngines() {
        a.onAdmitted(Cost.ONE, 0, 0);
        b.onAdmitted(Cost.ONE, 0, 0);
        b.onAdmitted(Cost.ONE, 0, 0);
        a.stand(Cost.ONE, 0);
        b.onSignal(Signal.SUCCESS, load(Cost.ONE), 0);
        assertThat(limit.last).isEqualTo(new TrafficLoad(0, Cost.ONE, 0, 2, 3, 1, 0));
    }

    @Test
    void theLimitSeesNoTimeBeforeTheLast() {
        a.onAdmitted(Cost.ONE, 0, -70);
        b.onAdmitted(Cost.ONE, 0, -80);
        b.onAdmitted(Cost.ONE, 0, 5);
        a.onAdmitted(Cost.ONE, 0, 4);
        assertThat(limit.times).containsExactly(-70L, -70L, 5L, 5L);
    }

    @Test
    void itShowsTheLimitFromTheBeginningAndAfterEachSignal() {
        assertThat(a.limitPerSecond()).isEqualTo(1e7);
        assertThat(a.limitInFlight()).isEqualTo(9);
        limit.interval = 200;
        assertThat(a.limitPerSecond()).isEqualTo(1e7);
        b.onSignal(Signal.SUCCESS, load(Cost.ONE), 0);
        assertThat(a.limitPerSecond()).isEqualTo(5e6);
        assertThat(a.isIdle()).isFalse();
        assertThat(a.isAdaptive()).isFalse();
        assertThat(a.unit()).isEqualTo("requests");
        assertThat(a.maxUnits()).isEqualTo(50);
        assertThat(a.maxWaitNanos()).isEqualTo(7_000);
        assertThat(a.name()).isEqualTo("shared");
        assertThat(a.isOf(b)).isTrue();
        assertThat(a.isOf((SharedPool.Share) new SharedPool("shared", strategy(new Steady())).newShare()))
                .isFalse();
    }

    @Test
    void aLimitThatFailsLetsEverybodyGo() {
        limit.fails = true;
        assertThat(a.tryTake(Cost.ONE, 0)).isTrue();
        limit.fails = false;
        assertThat(b.tryTake(Cost.ONE, 0)).isFalse();
    }

    @Test
    void nothingStaysLocked() throws Exception {
        List<Runnable> uses = List.of(
                () -> a.stand(Cost.ONE, 0),
                () -> a.letPass(0),
                () -> a.leave(0),
                () -> a.tryTake(Cost.ONE, 0),
                () -> a.undo(Cost.ONE, 0),
                () -> a.onAdmitted(Cost.ONE, 0, 0),
                () -> a.onSignal(Signal.SUCCESS, load(Cost.ONE), 0),
                () -> a.onSettled(Cost.ONE, Cost.ONE, 0, 0, 0),
                () -> a.dueNanos(Cost.NONE, Cost.ONE, 0));
        for (Runnable use : uses) {
            use.run();
            CompletableFuture.runAsync(() -> b.dueNanos(Cost.NONE, Cost.ONE, 0)).get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void onlyAFixedLimitOfARateCanBeShared() {
        assertThatThrownBy(
                        () -> new SharedPool("shared", Strategies.quotaPacing().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a fixed one");
        assertThatThrownBy(() ->
                        new SharedPool("shared", Strategies.linearBackoff().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a limit of a rate");
    }

    private static TrafficLoad load(Cost cost) {
        return new TrafficLoad(0, cost, 0, 99, 99, 99, 0);
    }

    /** One request per interval, in whatever order they come. */
    private static final class Steady implements RateController {

        private final List<Long> times = new ArrayList<>();
        private RateLimit.Load last = load(Cost.NONE);
        private long interval = 100;
        private long due;
        private boolean isOpen;
        private boolean fails;

        void makeRoom() {
            due = -3 * interval;
            isOpen = true;
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public boolean isAdaptive() {
            return false;
        }

        @Override
        public long maxUnits() {
            return 50;
        }

        @Override
        public long maxWaitNanos() {
            return 7_000;
        }

        @Override
        public int limitInFlight() {
            return 9;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            if (fails) {
                throw new IllegalStateException("on purpose");
            }
            return (isOpen ? due : Math.max(due, now)) + ahead.requests() * interval;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            times.add(now);
            due = Math.max(due, now) + cost.requests() * interval;
        }

        @Override
        public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
            due -= (admitted.requests() - actual.requests()) * interval;
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            last = load;
            if (signal.equals(Signal.IGNORED)) {
                due -= load.cost().requests() * interval;
            }
        }

        @Override
        public double limitPerSecond() {
            return 1e9 / interval;
        }
    }
}
