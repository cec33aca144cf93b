package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests may be in flight when an asynchronous one of an HTTP client goes. */
class AsyncInFlightTest {

    private final Timeline line = new Timeline();
    private Throttle throttle =
            line.throttle(Strategies.none()).asyncInFlight(3).build();

    private CompletableFuture<Permit> ask() {
        return Calls.of(throttle).newCall().acquireAsync(true);
    }

    private List<CompletableFuture<Permit>> ask(int count) {
        List<CompletableFuture<Permit>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(ask());
        }
        return asked;
    }

    @Test
    void moreWaitUntilOneEnds() {
        List<CompletableFuture<Permit>> asked = ask(5);
        assertThat(asked).filteredOn(CompletableFuture::isDone).hasSize(3);
        assertThat(throttle.explainWait()).contains("2 calls are waiting", "(in-flight)", "3 requests are in flight");
        asked.get(1).join().end(Signal.SUCCESS);
        assertThat(asked.get(3)).isDone();
        assertThat(asked.get(4)).isNotDone();
        asked.get(0).join().release();
        assertThat(asked.get(4)).isDone();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(3);
    }

    @Test
    void blockingCallsAndPermitsOfTheProgramDoNotWait() throws Exception {
        ask(3);
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.acquireAsync()).isDone();
        assertThat(throttle.acquire()).isNotNull();
        assertThat(ask()).isNotDone();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(6);
    }

    @Test
    @Timeout(60)
    void blockingCallsDoNotWaitBehindThoseThatDo() throws Exception {
        List<CompletableFuture<Permit>> asked = ask(4);
        assertThat(asked.get(3)).isNotDone();
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(throttle.acquire()).isNotNull();
        assertThat(throttle.acquireAsync()).isDone();
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).isAtOnce()).isTrue();
        assertThat(throttle.explainWait()).contains("1 call is waiting", "(in-flight)", "6 requests are in flight");
        for (int i = 0; i < 3; i++) {
            assertThat(asked.get(3)).isNotDone();
            asked.get(i).join().end(Signal.SUCCESS);
        }
        assertThat(asked.get(3)).as("six were in flight, and three are left").isNotDone();
        assertThat(ask()).as("a newcomer of its kind waits behind it").isNotDone();
    }

    @Test
    void thoseThatWaitKeepTheirOrderAndTheirPlaceAmongOthers() {
        List<CompletableFuture<Permit>> asked = ask(6);
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(5)));
        CompletableFuture<Permit> unbounded = throttle.acquireAsync();
        asked.get(0).join().end(Signal.SUCCESS);
        asked.get(1).join().end(Signal.SUCCESS);
        line.advanceMillis(4_999);
        assertThat(asked.subList(3, 6)).noneMatch(CompletableFuture::isDone);
        line.advanceMillis(1);
        assertThat(asked.subList(3, 5)).allMatch(CompletableFuture::isDone);
        assertThat(asked.get(5)).isNotDone();
        assertThat(unbounded).as("three are in flight, which does not bound it").isDone();
    }

    @Test
    void theOthersGoOnTimeWhileThoseWait() {
        ask(4);
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(5)));
        CompletableFuture<Permit> unbounded = throttle.acquireAsync();
        line.advanceMillis(4_999);
        assertThat(unbounded).isNotDone();
        line.advanceMillis(1);
        assertThat(unbounded).isDone();
    }

    @Test
    void maxWaitHoldsAlsoBesideOthers() {
        ask(3);
        CompletableFuture<Permit> fourth = Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(2)))
                .acquireAsync(true);
        assertThat(throttle.tryAcquire()).isNotNull();
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(1)));
        CompletableFuture<Permit> unbounded = throttle.acquireAsync();
        line.advanceMillis(1_999);
        assertThat(unbounded).isDone();
        assertThat(fourth).isNotDone();
        line.advanceMillis(1);
        assertThat(Timeline.rejection(fourth).reason()).isEqualTo("in-flight");
    }

    @Test
    void maxWaitHolds() {
        ask(3);
        CompletableFuture<Permit> fourth = Calls.of(throttle)
                .newCall(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(2)))
                .acquireAsync(true);
        line.advanceMillis(1_999);
        assertThat(fourth).isNotDone();
        line.advanceMillis(1);
        assertThat(Timeline.rejection(fourth).reason()).isEqualTo("in-flight");
    }

    @Test
    void aCallThatIsCancelledMakesWay() {
        List<CompletableFuture<Permit>> asked = ask(5);
        asked.get(3).cancel(true);
        asked.get(0).join().end(Signal.SUCCESS);
        assertThat(asked.get(4)).isDone();
    }

    @Test
    void theNumberMayChange() {
        List<CompletableFuture<Permit>> asked = ask(10);
        throttle.reconfigure(settings -> settings.asyncInFlight(5));
        assertThat(asked).filteredOn(CompletableFuture::isDone).hasSize(5);
        assertThatThrownBy(() -> throttle.reconfigure(settings -> settings.asyncInFlight(0)))
                .hasMessageContaining("asyncInFlight");
    }

    @Test
    void byDefaultThereAre512() {
        throttle = line.throttle(Strategies.none()).build();
        assertThat(ask(600)).filteredOn(CompletableFuture::isDone).hasSize(512);
    }

    /** An end that comes between the look at the number and the place in the queue must not be missed. */
    @Test
    @Timeout(60)
    void noEndIsMissed() throws Exception {
        Throttle real = Throttle.builder()
                .strategy(Strategies.none())
                .asyncInFlight(2)
                .executor(Runnable::run)
                .build();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger inFlight = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int j = 0; j < 2_000; j++) {
                    Permit permit = Calls.of(real)
                            .newCall()
                            .acquireAsync(true)
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join();
                    most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    inFlight.decrementAndGet();
                    permit.end(Signal.SUCCESS);
                    done.incrementAndGet();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(done).hasValue(8_000);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(real.snapshot().inFlight()).isZero();
    }
}
