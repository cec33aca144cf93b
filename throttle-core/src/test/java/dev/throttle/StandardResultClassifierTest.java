package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Results and exceptions that are read by their methods, in the shapes that clients give them. */
class StandardResultClassifierTest {

    private static final BiPredicate<String, String> ALL = (name, value) -> true;

    private final Timeline line = new Timeline();
    private final Throttle throttle =
            line.throttle(TestStrategies.free()).retryPolicy(RetryPolicy.none()).build();

    /** As the JDK's client answers. */
    public record JdkResponse(int statusCode, java.net.http.HttpHeaders headers) {}

    /** As OkHttp's headers. */
    public record NamedHeaders(Map<String, List<String>> all) {
        public Set<String> names() {
            return all.keySet();
        }

        public List<String> values(String name) {
            return all.getOrDefault(name, List.of());
        }
    }

    /** As OkHttp and Retrofit answer. */
    public record CodeResponse(int code, NamedHeaders headers) {}

    /** As Spring says what the status is. */
    public record StatusCode(int value) {}

    /** As Spring's clients throw. */
    public static final class SpringException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient @Nullable Map<String, List<String>> headers;

        SpringException(@Nullable Map<String, List<String>> headers) {
            this.headers = headers;
        }

        public StatusCode getStatusCode() {
            return new StatusCode(429);
        }

        public @Nullable Map<String, List<String>> getResponseHeaders() {
            return headers;
        }
    }

    /** As Feign throws. */
    public static final class FeignLikeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public int status() {
            return 429;
        }

        public Map<String, Collection<String>> responseHeaders() {
            return Map.of("retry-after", List.of("60"));
        }
    }

    /** As Retrofit throws. */
    public static final class RetrofitLikeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public int code() {
            return 429;
        }

        public CodeResponse response() {
            return new CodeResponse(429, new NamedHeaders(Map.of("Retry-After", List.of("60"))));
        }
    }

    /** As SDKs that are made from a description throw. */
    public static final class SdkException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public int statusCode() {
            return 429;
        }

        public NamedHeaders headers() {
            return new NamedHeaders(Map.of("Retry-After", List.of("60")));
        }
    }

    static Stream<Object> refusals() {
        Map<String, List<String>> headers = Map.of("Retry-After", List.of("60"));
        return Stream.of(
                new JdkResponse(429, java.net.http.HttpHeaders.of(headers, ALL)),
                new CodeResponse(429, new NamedHeaders(headers)),
                new SpringException(headers),
                new FeignLikeException(),
                new RetrofitLikeException(),
                new SdkException());
    }

    private void execute(Object outcome) throws Exception {
        throttle.execute(() -> {
            if (outcome instanceof Exception failure) {
                throw failure;
            }
            return outcome;
        });
    }

    /** Five refusals used to be five successes. */
    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusalIsSeenWithItsRetryAfter(Object refusal) {
        try {
            execute(refusal);
        } catch (Exception expected) {
            assertThat(expected).isSameAs(refusal);
        }
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(60));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void alsoWhereItIsAFuture(Object refusal) {
        CompletableFuture<?> unused = throttle.executeAsync(() -> refusal instanceof Exception failure
                        ? CompletableFuture.failedFuture(failure)
                        : CompletableFuture.completedFuture(refusal))
                .exceptionally(failure -> null);
        assertThat(unused).isDone();
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void headersThatAreMissingAreNone() {
        assertThatThrownBy(() -> execute(new SpringException(null))).isInstanceOf(SpringException.class);
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle.snapshot().blocked()).isZero();
    }

    /** As AWS's SDK throws. */
    public static class ServiceException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int status;

        ServiceException(int status) {
            this.status = status;
        }

        public int statusCode() {
            return status;
        }
    }

    /** As others throw that have no more than a status. */
    public static final class CodeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public int getStatusCode() {
            return 429;
        }
    }

    @Test
    void ofAnExceptionTheStatusIsEnough() {
        for (RuntimeException refusal :
                List.of(new ServiceException(429), new ServiceException(503), new CodeException())) {
            assertThatThrownBy(() -> execute(refusal)).isSameAs(refusal);
        }
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(2);
        assertThat(throttle.count(Outcome.BUSY)).isEqualTo(1);
    }

    @Test
    void unlessItsStatusIsNoError() {
        for (int status : new int[] {0, 200, 304, 700}) {
            assertThatThrownBy(() -> execute(new ServiceException(status))).isInstanceOf(ServiceException.class);
        }
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(4);
        assertThat(throttle.count(Outcome.SUCCESS)).isZero();
    }

    /** It has a code, but no headers. */
    public record Country(int code) {}

    @Test
    void whatIsNoResponseIsASuccess() throws Exception {
        for (Object result : List.of("done", 429, new Country(429), List.of(), Map.of("status", 429))) {
            execute(result);
        }
        throttle.execute(() -> null);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(6);
    }

    @Test
    void otherExceptionsAreAsBefore() {
        assertThatThrownBy(() -> execute(new IOException("reset"))).hasMessage("reset");
        assertThatThrownBy(() -> execute(new IllegalStateException("bug"))).hasMessage("bug");
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(1);
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(1);
    }

    /** As a response that holds a connection. */
    public static final class Held implements AutoCloseable {
        private final List<String> closed;
        private final int status;

        Held(List<String> closed, int status) {
            this.closed = closed;
            this.status = status;
        }

        public int code() {
            return status;
        }

        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public void close() {
            closed.add("closed " + status);
        }
    }

    private Throttle repeating() {
        return Throttle.builder()
                .strategy(TestStrategies.free())
                .retryPolicy(RetryPolicy.builder()
                        .rateLimitedFloor(Duration.ofNanos(1))
                        .backoff((attempt, random) -> 0)
                        .build())
                .executor(Runnable::run)
                .build();
    }

    @Test
    void aRefusedResultIsClosedAndTheLastOneIsNot() throws Exception {
        List<String> closed = new ArrayList<>();
        List<Integer> answers = new ArrayList<>(List.of(429, 503, 200));
        Held last = repeating().execute(() -> new Held(closed, answers.remove(0)));
        assertThat(last.code()).isEqualTo(200);
        assertThat(closed).containsExactly("closed 429", "closed 503");
    }

    @Test
    void aRefusedResultIsClosedWhereItIsAFuture() throws Exception {
        List<String> closed = new ArrayList<>();
        List<Integer> answers = new ArrayList<>(List.of(429, 503, 200));
        Held last = repeating()
                .executeAsync(() -> CompletableFuture.completedFuture(new Held(closed, answers.remove(0))))
                .get(10, java.util.concurrent.TimeUnit.SECONDS);
        assertThat(last.code()).isEqualTo(200);
        assertThat(closed).containsExactly("closed 429", "closed 503");
    }

    @Test
    void aResultThatComesAfterTheCallerHasGoneIsClosed() {
        List<String> closed = new ArrayList<>();
        CompletableFuture<Held> attempt = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false; // it comes nevertheless
            }
        };
        CompletableFuture<Held> call = repeating().executeAsync(() -> attempt);
        call.cancel(true);
        attempt.complete(new Held(closed, 200));
        assertThat(closed).containsExactly("closed 200");
    }

    @Test
    void theCallerMayKeepRefusedResultsOpen() throws Exception {
        List<String> closed = new ArrayList<>();
        List<Integer> answers = new ArrayList<>(List.of(429, 200));
        Throttle repeating = repeating();
        ResultClassifier<Object> standard = repeating.resultClassifier();
        repeating.execute(CallOptions.DEFAULT, () -> new Held(closed, answers.remove(0)), new ResultClassifier<Held>() {
            @Override
            public dev.throttle.signal.Signal onResult(Held result) {
                return standard.onResult(result);
            }

            @Override
            public void discard(Held result) {}
        });
        assertThat(closed).isEmpty();
    }

    @Test
    void aRejectionTellsTheStatusOfTheRefusalBefore() {
        Throttle impatient = line.throttle(TestStrategies.free()).build();
        Object refusal = new CodeResponse(429, new NamedHeaders(Map.of("Retry-After", List.of("60"))));
        CallOptions patience = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(90));
        ArrayList<Permit> meanwhile = new ArrayList<>();
        CompletableFuture<Object> call = impatient.executeAsync(patience, () -> {
            meanwhile.add(Calls.of(impatient).newCall().acquireForced());
            return CompletableFuture.completedFuture(refusal);
        });
        meanwhile.get(0).end(Timeline.retryAfter(Duration.ofSeconds(120)));
        line.advanceMillis(90_000);
        assertThatThrownBy(call::join)
                .cause()
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        rejected -> assertThat(rejected.lastStatus()).isEqualTo(429));
    }
}
