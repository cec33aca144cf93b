package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whatever one thread has done to a throttle, another can use it afterwards. */
class NothingStaysLockedTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle =
            line.throttle(TestStrategies.pace(Duration.ofMillis(10))).build();

    private Permit permit() {
        line.advanceMillis(10_000);
        return Objects.requireNonNull(throttle.tryAcquire());
    }

    private void after(Runnable use) throws Exception {
        use.run();
        CompletableFuture.runAsync(() -> throttle.observe(Signal.SUCCESS)).get(5, TimeUnit.SECONDS);
    }

    @Test
    void afterTheEndsOfPermits() throws Exception {
        after(() -> permit().complete(Signal.SUCCESS));
        after(() -> permit().complete(Timeline.remaining(5)));
        after(() -> permit().complete(Timeline.retryAfter(Duration.ofSeconds(1))));
        after(() -> permit().end(Signal.FAILED));
        after(() -> permit().release());
        after(() -> permit().settle(Cost.of("tokens", 5)));
    }

    @Test
    void afterWaits() throws Exception {
        permit().complete(Signal.SUCCESS);
        after(() -> line.ask(throttle, "a").cancel(true));
        after(() -> line.ask(throttle, "b"));
        after(() -> line.advanceMillis(100));
        after(() -> assertThat(Calls.of(throttle).newCall().acquireForced()).isNotNull());
        after(() -> Calls.of(throttle).newCall().cancel());
    }

    @Test
    void afterForesight() throws Exception {
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = Objects.requireNonNull(call.tryAcquire());
        after(() -> {
            Runnable lift = call.holdWhileUnknown(Signal.RATE_LIMITED);
            lift.run();
        });
        after(() -> assertThat(permit.complete(Signal.BUSY).isRetry()).isTrue());
    }

    @Test
    void afterAPauseADrainAndTheEnd() throws Exception {
        Permit permit = permit();
        after(throttle::pause);
        after(throttle::resume);
        CompletableFuture<Void> quiet = throttle.drain();
        after(() -> permit.complete(Signal.of(Outcome.BUSY)));
        assertThat(quiet).isNotDone(); // it may be repeated
        after(() -> line.advanceMillis(60_000));
        assertThat(quiet).isCompleted();
        after(throttle::resume);
        after(throttle::close);
    }

    @Test
    void afterAChange() throws Exception {
        after(() -> throttle.reconfigure(settings -> settings.maxWait(Duration.ofSeconds(1))));
        after(() -> throttle.reportSharers(3, 1));
        after(throttle::snapshot);
    }
}
