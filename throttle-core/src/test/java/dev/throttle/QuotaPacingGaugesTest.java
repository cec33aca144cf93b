package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What the gauges show for the next request is what that request then waits, and what the exception tells a caller who
 * cannot wait for so long.
 */
class QuotaPacingGaugesTest {

    private static final Duration HALF_LATENCY = Duration.ofMillis(80);

    private final Timeline line = new Timeline();
    private final VirtualTime time = line.time;
    private final Throttle throttle = line.throttle(Strategies.quotaPacing().build())
            .maxWait(Duration.ofHours(5))
            .build();
    private final List<Duration> waits = new ArrayList<>();

    /** One request after the other: between the look at the gauges and the request nothing is heard. */
    private void requests(int count, Callers.Server server) {
        for (int i = 0; i < count; i++) {
            ThrottledCall call = Calls.of(throttle).newCall();
            boolean repeated = true;
            for (int attempt = 0; repeated; attempt++) {
                repeated = attempt == 0 ? firstAttempt(call, server) : retry(call, server);
            }
        }
    }

    private boolean firstAttempt(ThrottledCall call, Callers.Server server) {
        ThrottleSnapshot shown = throttle.snapshot();
        Duration wait = shown.sleep().compareTo(shown.blocked()) > 0 ? shown.sleep() : shown.blocked();
        if (!wait.isZero()) {
            CompletableFuture<Permit> impatient = Calls.of(throttle)
                    .newCall(CallOptions.DEFAULT.maxWait(Duration.ZERO))
                    .acquireAsync();
            assertThat(impatient).isCompletedExceptionally();
            assertThat(impatient.handle((permit, rejection) -> ((ThrottleRejectedException) rejection).neededWait()))
                    .isCompletedWithValue(wait);
        }
        long asked = time.nanoTime();
        CompletableFuture<Permit> permit = call.acquireAsync();
        time.advance(wait.minusNanos(wait.isZero() ? 0 : 1));
        assertThat(permit.isDone()).isEqualTo(wait.isZero());
        time.advance(Duration.ofNanos(wait.isZero() ? 0 : 1));
        assertThat(permit).isCompleted();
        waits.add(Duration.ofNanos(time.nanoTime() - asked));
        return answer(permit.join(), server);
    }

    private boolean retry(ThrottledCall call, Callers.Server server) {
        CompletableFuture<Permit> permit = call.acquireAsync();
        for (int i = 0; i < 36_000 && !permit.isDone(); i++) {
            time.advance(Duration.ofMillis(100));
        }
        return answer(permit.join(), server);
    }

    private boolean answer(Permit permit, Callers.Server server) {
        time.advance(HALF_LATENCY);
        ResponseHead head = server.answer();
        time.advance(HALF_LATENCY);
        return permit.complete(head).isRetry();
    }

    private void othersUse(Callers.Server server, Duration interval) {
        time.schedule(interval.toNanos(), () -> {
            server.answer();
            othersUse(server, interval);
        });
    }

    @Test
    void atABucketThatOthersUseToo() {
        Bucket bucket = new Bucket(time, 4500, 1.25, 100);
        othersUse(bucket, Duration.ofMillis(1700));
        requests(300, bucket);
        assertThat(waits).anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofMillis(300)));
    }

    @Test
    void inAWindowThatOthersUseToo() {
        Window window = new Window(time, 300, 300);
        othersUse(window, Duration.ofSeconds(2));
        requests(600, window);
        assertThat(waits).anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofSeconds(1)));
    }

    @Test
    void aloneInAWindow() {
        requests(700, new Window(time, 300, 60));
        assertThat(waits).anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofSeconds(1)));
    }

    @Test
    void atAServerThatSaysNothing() {
        Bucket bucket = new Bucket(time, 20, 2, 20);
        requests(200, () -> Heads.status(bucket.answer().status()));
        assertThat(waits).anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofMillis(300)));
    }
}
