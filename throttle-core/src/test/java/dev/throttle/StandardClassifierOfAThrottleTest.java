package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What {@code execute} does with the options and the classifier that it is given. */
class StandardClassifierOfAThrottleTest {

    private final Timeline line = new Timeline();

    /** A response of some client. */
    public record Response(int statusCode, Map<String, List<String>> headers) {}

    private static final Callable<Response> CALM = () -> new Response(499, Map.of());

    @Test
    void theStandardClassifierReadsAsTheThrottleDoes() throws Exception {
        Throttle throttle = line.throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.none())
                .classifier((head, hints) -> head.status() == 499
                        ? Outcome.RATE_LIMITED
                        : Classifier.standard().classify(head, hints))
                .build();
        throttle.execute(CALM);
        throttle.execute(CallOptions.DEFAULT, CALM);
        throttle.executeAsync(CallOptions.DEFAULT, () -> CompletableFuture.completedFuture(new Response(499, Map.of())))
                .join();
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(3);
    }

    @Test
    void anExemptCallBypassesTheThrottle() throws Exception {
        Throttle throttle =
                line.throttle(TestStrategies.free()).maxWait(Duration.ZERO).build();
        throttle.pause();
        CallOptions exempt = CallOptions.exempt();
        assertThat(throttle.execute(exempt, () -> "there")).isEqualTo("there");
        CompletableFuture<String> pending = new CompletableFuture<>();
        CompletableFuture<String> result = throttle.executeAsync(exempt, () -> pending);
        result.cancel(true);
        assertThat(pending).isCancelled();
        assertThatThrownBy(() -> throttle.executeAsync(exempt, () -> {
                            throw new IllegalStateException("no connection");
                        })
                        .join())
                .hasRootCauseMessage("no connection");
        assertThat(throttle.snapshot().rejected()).isZero();
        assertThat(throttle.count(Outcome.SUCCESS)).isZero();
    }
}
