package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** A throttle around a client that knows nothing of it. */
class ExecuteTest extends LoopbackTest {

    private static final Signal CLOSED =
            new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(120), List.of()));

    private final VirtualTime time = VirtualTime.autoAdvancing();
    private final Throttle throttle =
            Throttle.builder().time(time).retryAfterJitter(0, Duration.ZERO).build();
    private final List<Response> responses = new ArrayList<>();

    private Response send() throws Exception {
        Response response = plain().newCall(get("/")).execute();
        responses.add(response);
        return response;
    }

    @Test
    void aRefusalIsLearnedFromAndClosed() throws Exception {
        server.enqueue(status(429)
                .newBuilder()
                .addHeader("Retry-After", 60)
                .body("later")
                .build());
        server.enqueue(status(200).newBuilder().body("now").build());
        long start = time.nanoTime();
        try (Response response = throttle.execute(this::send)) {
            assertThat(response.body().string()).isEqualTo("now");
        }
        assertThat(Duration.ofNanos(time.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(60));
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
        assertThatThrownBy(() -> responses.get(0).body().string()).hasMessage("closed");
    }

    @Test
    void aRejectionTellsTheStatusOfTheRefusalBefore() {
        server.enqueue(status(429).newBuilder().addHeader("Retry-After", 60).build());
        CallOptions patience = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(90));
        Permit another = throttle.tryAcquire();
        assertThat(another).isNotNull();
        time.schedule(Duration.ofSeconds(30).toNanos(), () -> another.complete(CLOSED));
        assertThatThrownBy(() -> throttle.execute(patience, this::send))
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        rejected -> assertThat(rejected.lastStatus()).isEqualTo(429));
    }
}
