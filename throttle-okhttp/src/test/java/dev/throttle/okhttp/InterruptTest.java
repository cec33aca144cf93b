package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An attempt that ends while its thread is interrupted, as by {@code shutdownNow} of an executor, is the last one. */
class InterruptTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();

    @AfterEach
    void clearsTheInterrupt() {
        Thread.interrupted();
    }

    private static void interrupt() {
        Thread.currentThread().interrupt();
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsThatOfTheBareClient(RefusalTest.Door door) {
        AtomicInteger attempts = new AtomicInteger();
        OkHttpClient client = plain().newBuilder()
                .dns(host -> {
                    attempts.incrementAndGet();
                    interrupt();
                    throw new UnknownHostException("interrupted");
                })
                .build();
        Object outcome = outcomeOf(() -> door.status(client, throttles, getFrom("a.test", "/")))
                .join();
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        UnknownHostException.class, e -> assertThat(e).hasMessage("interrupted"));
        assertThat(attempts).hasValue(1);
        Throttle throttle = throttles.get(keyOf(getFrom("a.test", "/")));
        assertThat(throttle.count(Outcome.FAILED)).isZero();
        assertThat(throttle.count(Outcome.UNREACHABLE)).isZero();
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalIsReturnedAsTheBareClientReturnsIt(RefusalTest.Door door) {
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        OkHttpClient client = plain().newBuilder()
                .addNetworkInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    interrupt();
                    return response;
                })
                .build();
        Object outcome =
                outcomeOf(() -> door.status(client, throttles, get("/"))).join();
        assertThat(outcome).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertIdle(throttles);
    }
}
