package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers that arrive while the controllers learn from another one are in flight until the controllers hear of them.
 */
@Timeout(60)
class EndingsAtOnceTest {

    /** Takes its time over the first answer. */
    private static final class Slow extends OpenController {

        private final boolean idle;
        private final CountDownLatch learning = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        /** What was in flight at each answer. */
        private final List<Integer> inFlight = new ArrayList<>();

        Slow(boolean idle) {
            this.idle = idle;
        }

        @Override
        public boolean isIdle() {
            return idle;
        }

        @Override
        public void onSignal(Signal signal, Load load, long nowNanos) {
            inFlight.add(load.inFlight());
            learning.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private final List<Thread> threads = new ArrayList<>();

    private Throttle throttle(Slow controller) {
        Strategy slow = TestStrategies.named("slow", () -> controller);
        return Throttle.builder().strategy(slow).build();
    }

    private void inThread(Runnable ending) {
        Thread thread = new Thread(ending);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Four answers: three of them arrive while the controller still looks at the first. */
    private void endFour(Slow controller, List<Permit> permits, Consumer<Permit> how) throws InterruptedException {
        inThread(() -> how.accept(permits.get(0)));
        controller.learning.await();
        for (Permit permit : permits.subList(1, 4)) {
            inThread(() -> how.accept(permit));
        }
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        controller.goOn.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static List<Permit> acquireFour(Throttle throttle) throws Exception {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            permits.add(throttle.acquire());
        }
        return permits;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answersThatTellOfAQuota(boolean idle) throws Exception {
        Slow controller = new Slow(idle);
        Throttle throttle = throttle(controller);
        endFour(
                controller,
                acquireFour(throttle),
                permit -> permit.complete(Heads.status(200, "RateLimit-Remaining", "5")));
        assertThat(controller.inFlight).containsExactly(3, 2, 1, 0);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void answersThatTellNothing() throws Exception {
        Slow controller = new Slow(false);
        Throttle throttle = throttle(controller);
        endFour(controller, acquireFour(throttle), permit -> permit.complete(Signal.SUCCESS));
        assertThat(controller.inFlight).containsExactly(3, 2, 1, 0);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusals(boolean idle) throws Exception {
        Slow controller = new Slow(idle);
        Throttle throttle = throttle(controller);
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ThrottledCall call = Calls.of(throttle).newCall();
            permits.add(call.acquire());
        }
        endFour(controller, permits, permit -> permit.complete(Heads.status(429)));
        assertThat(controller.inFlight).containsExactly(3, 2, 1, 0);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
