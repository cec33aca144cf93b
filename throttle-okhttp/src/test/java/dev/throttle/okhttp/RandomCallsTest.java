package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of every kind with every ending: each ends once, and nothing is left of any. */
class RandomCallsTest extends LoopbackTest {

    private static final int CALLS = 600;
    private static final int HOSTS = 6;

    private MockResponse answer(Random random) {
        return switch (random.nextInt(14)) {
            case 0 -> refusal(429, random.nextInt(10));
            case 1 -> refusal(503, random.nextInt(10));
            case 2 -> status(503);
            case 3 ->
                new MockResponse.Builder()
                        .code(302)
                        .addHeader(
                                "Location",
                                getFrom("h" + random.nextInt(HOSTS) + ".test", "/")
                                        .url()
                                        .toString())
                        .build();
            case 4 ->
                new MockResponse.Builder()
                        .onResponseStart(new SocketEffect.CloseSocket())
                        .build();
            case 5 -> new MockResponse.Builder().code(403).body("no").build();
            case 6 ->
                status(200)
                        .newBuilder()
                        .headersDelay(random.nextInt(5), TimeUnit.MILLISECONDS)
                        .build();
            default -> new MockResponse.Builder().code(200).body("whole").build();
        };
    }

    private static CallOptions options(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> CallOptions.exempt();
            case 1 -> CallOptions.DEFAULT.maxWait(Duration.ofMillis(random.nextInt(8)));
            case 2 -> CallOptions.DEFAULT.maxAttempts(1);
            case 3 -> CallOptions.DEFAULT.permits(3);
            default -> CallOptions.DEFAULT;
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void eachCallEndsOnceAndNothingIsLeft(long seed) throws Exception {
        Random random = new Random(seed);
        ThrottleRegistry throttles = throttle()
                .strategy(new TestPace(Duration.ofNanos(200_000)))
                .maxWait(Duration.ofSeconds(5))
                .build();
        OkHttpClient client =
                plain().newBuilder().readTimeout(Duration.ofSeconds(10)).build();
        client.dispatcher().setMaxRequests(seed == 1 ? 1 : 5);
        client.dispatcher().setMaxRequestsPerHost(2);
        ThrottlingCallFactory calls = ThrottlingCallFactory.builder(client, throttles)
                .keyResolver(request -> request.url().host() + request.url().fragment())
                .build();
        Random ofServer = new Random(seed);
        answer(request -> {
            synchronized (ofServer) {
                return answer(ofServer);
            }
        });
        AtomicIntegerArray ends = new AtomicIntegerArray(CALLS);
        AtomicInteger answered = new AtomicInteger();
        CountDownLatch left = new CountDownLatch(CALLS);
        ScheduledExecutorService cancels = Executors.newScheduledThreadPool(1);
        try {
            for (int i = 0; i < CALLS; i++) {
                int number = i;
                Request request = new Request.Builder()
                        .url(getFrom("h" + random.nextInt(HOSTS) + ".test", "/#" + random.nextInt(2))
                                .url())
                        .tag(CallOptions.class, options(random))
                        .build();
                Call call = calls.newCall(request);
                call.enqueue(new Callback() {
                    @Override
                    public void onResponse(Call c, Response response) {
                        response.close();
                        answered.incrementAndGet();
                        end();
                    }

                    @Override
                    public void onFailure(Call c, IOException e) {
                        end();
                    }

                    private void end() {
                        ends.incrementAndGet(number);
                        left.countDown();
                    }
                });
                if (random.nextInt(4) == 0) {
                    cancels.schedule(call::cancel, random.nextInt(20_000), TimeUnit.MICROSECONDS);
                }
                if (random.nextInt(400) == 0) {
                    client.dispatcher().cancelAll();
                }
            }
            assertThat(left.await(30, TimeUnit.SECONDS))
                    .as("%s have not ended, %s", left.getCount(), calls)
                    .isTrue();
        } finally {
            cancels.shutdownNow();
        }
        for (int i = 0; i < CALLS; i++) {
            assertThat(ends.get(i)).isEqualTo(1);
        }
        assertThat(answered.get()).isPositive(); // how many there is time for is the machine's affair
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
        awaitThat(() -> client.dispatcher().runningCallsCount() == 0
                && client.dispatcher().queuedCallsCount() == 0);
        awaitThat(calls.slots()::isIdle);
        answer(request -> status(200));
        for (int i = 0; i < 2 * HOSTS; i++) {
            Request request = getFrom("h" + i / 2 + ".test", "/#" + i % 2)
                    .newBuilder()
                    .tag(CallOptions.class, CallOptions.DEFAULT.maxWait(Duration.ofMinutes(1)))
                    .build();
            assertThat(statusOf(calls.newCall(request))).isEqualTo(200);
        }
    }
}
