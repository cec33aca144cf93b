package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.retry.Backoff;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server on loopback, and throttles whose waits are short enough for tests on real time. */
abstract class LoopbackTest {

    /** The tag of a test that uses what calls, timeouts or the server of its tests have only with OkHttp 5. */
    static final String NEEDS_OKHTTP5 = "okhttp5";

    /** A delay finer than the seconds of {@code Retry-After}; only {@link #hints()} reads it. */
    static final String MILLIS = "Test-Retry-After-Millis";

    final MockWebServer server = new MockWebServer();
    private OkHttpClient plain = new OkHttpClient();

    @BeforeEach
    void startServer() throws IOException {
        server.start(InetAddress.getLoopbackAddress(), 0);
        plain = new OkHttpClient.Builder()
                .dns(host -> List.of(InetAddress.getLoopbackAddress()))
                .build();
    }

    @AfterEach
    void stopServer() {
        plain.dispatcher().cancelAll();
        plain.dispatcher().executorService().shutdown();
        plain.connectionPool().evictAll();
        server.close();
    }

    /** A client without throttle that finds every host on loopback. */
    OkHttpClient plain() {
        return plain;
    }

    static ThrottleRegistry.Builder throttle() {
        return ThrottleRegistry.builder()
                .strategy(Strategies.exponentialIncreaseProportionalRemainingDecrease()
                        .minSleep(Duration.ofMillis(1))
                        .decreaseDivisor(1)
                        .jitter(0)
                        .build())
                .retryPolicy(policy().build())
                .hintReader(hints())
                .retryAfterJitter(0, Duration.ZERO)
                .seed(1);
    }

    static RetryPolicy.Builder policy() {
        return RetryPolicy.builder()
                .backoff(Backoff.exponentialFullJitter(Duration.ofMillis(1), Duration.ofMillis(2)))
                .rateLimitedFloor(Duration.ofMillis(1));
    }

    /** The standard reader's hints, the test header's delay, and {@code RateLimit-Remaining}. */
    static HintReader hints() {
        return (response, at) -> {
            RateHints standard = HintReader.standard().read(response, at);
            List<String> millis = response.headers(MILLIS);
            List<String> remaining = response.headers("Test-Remaining");
            return new RateHints(
                    millis.isEmpty() ? standard.retryAfter() : Duration.ofMillis(Long.parseLong(millis.get(0))),
                    remaining.isEmpty()
                            ? standard.quotas()
                            : List.of(new Quota(null, null, Long.valueOf(remaining.get(0)), null, null)));
        };
    }

    static OkHttpClient throttled(OkHttpClient client, ThrottlingInterceptor throttling) {
        return client.newBuilder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
    }

    OkHttpClient throttled(ThrottleRegistry throttles) {
        return throttled(plain(), ThrottlingInterceptor.create(throttles));
    }

    Request get(String path) {
        return new Request.Builder().url(server.url(path)).build();
    }

    /** The same server under another name. */
    Request getFrom(String host, String path) {
        return new Request.Builder()
                .url(server.url(path).newBuilder().host(host).build())
                .build();
    }

    static String keyOf(Request request) {
        String key = KeyResolver.origin().keyOf(request);
        assertThat(key).isNotNull();
        return key;
    }

    /** Closes the gate of a key, as a {@code Retry-After} would. */
    static void block(ThrottleRegistry throttles, String key, Duration time) {
        Calls.of(throttles.get(key))
                .newCall()
                .acquireForced()
                .complete(new Signal(Outcome.RATE_LIMITED, new RateHints(time, List.of())));
    }

    /** Lets the server give one answer to everything. */
    void answerAlways(int code) {
        answer(request -> status(code));
    }

    void answer(Function<RecordedRequest, MockResponse> handler) {
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                return handler.apply(request);
            }
        });
    }

    static MockResponse status(int code) {
        return new MockResponse.Builder().code(code).build();
    }

    static MockResponse refusal(int code, long millis) {
        return new MockResponse.Builder().code(code).addHeader(MILLIS, millis).build();
    }

    static int statusOf(Call call) throws IOException {
        try (Response response = call.execute()) {
            return response.code();
        }
    }

    /** What a call ends with on a thread of its own: the status, or the exception. */
    static CompletableFuture<Object> outcomeOf(Call call) {
        return outcomeOf(() -> statusOf(call));
    }

    /** What something ends with on a thread of its own: the result, or the exception. */
    static CompletableFuture<Object> outcomeOf(Callable<?> action) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        outcome.complete(action.call());
                    } catch (Throwable e) {
                        outcome.complete(e);
                    }
                },
                "caller");
        thread.setDaemon(true);
        thread.start();
        return outcome;
    }

    /** A callback that completes with the status or the exception, and fails if it is called twice. */
    static final class Answer extends CompletableFuture<Object> implements Callback {

        @Override
        public void onResponse(Call call, Response response) {
            response.close();
            once(response.code());
        }

        @Override
        public void onFailure(Call call, IOException e) {
            once(e);
        }

        private void once(Object value) {
            if (!complete(value)) {
                throw new IllegalStateException("called twice");
            }
        }

        Object await() {
            return orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    static Answer enqueue(Call call) {
        Answer answer = new Answer();
        call.enqueue(answer);
        return answer;
    }

    static void awaitThat(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(condition);
    }

    /** Waits until so many callers of a key wait for their throttle. */
    static void awaitWaiting(ThrottleRegistry throttles, String key, int callers) {
        awaitThat(() -> throttles.get(key).snapshot().waiting() == callers);
    }

    /** Nothing may be left of calls that have ended. */
    static void assertIdle(ThrottleRegistry throttles) {
        for (Throttle throttle : throttles.all()) {
            awaitThat(() ->
                    throttle.snapshot().inFlight() == 0 && throttle.snapshot().waiting() == 0);
        }
    }

    /** Attempts that came to the wire: a permit that ages on a busy machine is given back, and counts as ignored. */
    static long charged(Throttle throttle) {
        return throttle.snapshot().outcomes().entrySet().stream()
                .filter(entry -> entry.getKey() != Outcome.IGNORED)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
