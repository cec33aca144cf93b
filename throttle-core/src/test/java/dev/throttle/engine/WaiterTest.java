package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a caller in the queue knows about its wait. */
class WaiterTest {

    private static final long ARRIVED = 1_000;

    private static Waiter waiter(long allowedNanos) {
        return new Waiter(new CallState(CallOptions.DEFAULT, ARRIVED), Cost.ONE, w -> {}, allowedNanos);
    }

    @Test
    void itsReasonIsTheFirstOfTheLongestWait() {
        Waiter waiter = waiter(Waiter.NEVER);
        waiter.waitsFor(new Wait(50, "quota"), ARRIVED);
        assertThat(waiter.reason).isEqualTo("quota");
        waiter.waitsFor(new Wait(40, "rate"), ARRIVED + 10);
        assertThat(waiter.reason).isEqualTo("quota"); // until the same instant
        waiter.waitsFor(new Wait(41, "rate"), ARRIVED + 10);
        assertThat(waiter.reason).isEqualTo("rate");
        waiter.waitsFor(new Wait(Wait.UNTIL_SIGNAL, "answer"), ARRIVED + 20);
        assertThat(waiter.reason).isEqualTo("answer");
        waiter.waitsFor(new Wait(1_000, "quota"), ARRIVED + 30);
        assertThat(waiter.reason).isEqualTo("answer");
    }

    @Test
    void itLooksAgainWhenTheWaitIsOverOrItsPatience() {
        Waiter waiter = waiter(100);
        assertThat(waiter.wakeAfterNanos).isEqualTo(100);
        waiter.lookAgainAfter(new Wait(30, "quota"), ARRIVED + 20);
        assertThat(waiter.wakeAfterNanos).isEqualTo(50);
        waiter.lookAgainAfter(new Wait(81, "quota"), ARRIVED + 20);
        assertThat(waiter.wakeAfterNanos).isEqualTo(100);
        waiter.lookAgainAfter(new Wait(Wait.UNTIL_SIGNAL, "answer"), ARRIVED + 20);
        assertThat(waiter.wakeAfterNanos).isEqualTo(100);
    }

    @Test
    void theTimeOfAPauseIsAddedToItsPatience() {
        Waiter waiter = waiter(100);
        waiter.prolong(ARRIVED + 10, ARRIVED + 40);
        assertThat(waiter.leftNanos(ARRIVED + 40)).isEqualTo(90);
        waiter.prolong(ARRIVED - 500, ARRIVED + 40); // it came during the pause
        assertThat(waiter.leftNanos(ARRIVED + 40)).isEqualTo(130);
        Waiter forEver = waiter(Waiter.NEVER);
        forEver.prolong(ARRIVED, ARRIVED + 40);
        assertThat(forEver.leftNanos(ARRIVED + 40)).isEqualTo(Waiter.NEVER);
    }

    @Test
    void whileEverythingStandsStillItsPatienceDoesNotRunOut() {
        Waiter waiter = waiter(100);
        waiter.revise(200, Waiter.NEVER, Cost.requests(3), true);
        assertThat(waiter.wakeAfterNanos).isEqualTo(Waiter.NEVER);
        assertThat(waiter.costInLine()).isEqualTo(Cost.requests(3));
        waiter.prolong(ARRIVED, ARRIVED + 40);
        assertThat(waiter.wakeAfterNanos).isEqualTo(240);
        waiter.revise(70, Waiter.NEVER, Cost.ONE, false);
        assertThat(waiter.wakeAfterNanos).isEqualTo(70);
    }

    @Test
    void itsRestIsOverWhenItIs() {
        Waiter waiter = waiter(100);
        waiter.rest = new Wait(30, "backoff");
        assertThat(waiter.restLeft(ARRIVED + 10)).isEqualTo(new Wait(20, "backoff"));
        assertThat(waiter.restLeft(ARRIVED + 30)).isEqualTo(Wait.NONE);
    }

    @Test
    void oneDecidesWhatBecomesOfItsPermit() {
        Waiter waiter = waiter(100);
        assertThat(waiter.claim()).isTrue();
        assertThat(waiter.claim()).isFalse();
    }

    /** A blocked caller on this thread. */
    private static Waiter blocked(long allowedNanos) {
        return new Waiter(new CallState(CallOptions.DEFAULT, ARRIVED), Cost.ONE, null, allowedNanos);
    }

    /** Runs on another thread, as an engine at work does. */
    private static void elsewhere(Runnable action) throws InterruptedException {
        Thread thread = new Thread(action);
        thread.start();
        thread.join();
    }

    @Test
    @Timeout(20)
    void aThreadThatIsToLookSoonerIsWoken() throws InterruptedException {
        Waiter waiter = blocked(100);
        elsewhere(() -> waiter.lookAgainAfter(new Wait(30, "quota"), ARRIVED));
        LockSupport.park(waiter);
        elsewhere(() -> waiter.revise(20, Waiter.NEVER, Cost.ONE, false));
        LockSupport.park(waiter);
        assertThat(waiter.wakeAfterNanos).isEqualTo(20);
    }

    @Test
    @Timeout(20)
    void aThreadWhoseBoundCountsAgainIsWoken() throws InterruptedException {
        Waiter waiter = blocked(100);
        waiter.revise(100, Waiter.NEVER, Cost.ONE, true);
        elsewhere(() -> waiter.prolong(ARRIVED, ARRIVED + 40));
        LockSupport.park(waiter);
        assertThat(waiter.wakeAfterNanos).isEqualTo(140);
    }

    @Test
    @Timeout(20)
    void aThreadIsWokenWhenItsWaitEnds() throws InterruptedException {
        Waiter waiter = blocked(100);
        elsewhere(() -> waiter.settle(Waiter.Place.GRANTED, "quota", 30));
        LockSupport.park(waiter);
        assertThat(waiter.place).isEqualTo(Waiter.Place.GRANTED);
        assertThat(waiter.reason).isEqualTo("quota");
        assertThat(waiter.waitNanos).isEqualTo(30);
    }
}
