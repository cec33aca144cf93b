package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResetUnit;
import java.io.IOException;
import java.time.Duration;
import mockwebserver3.MockResponse;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which key a request is charged to, and what becomes of one that has none or can never go. */
class WrongKeyTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();

    /** Sends everything to another host, as service discovery does. */
    private static final Interceptor REWRITING = chain -> {
        HttpUrl url = chain.request().url().newBuilder().host("real.test").build();
        return chain.proceed(chain.request().newBuilder().url(url).build());
    };

    /** The rewriting interceptor stands inside of the throttle, as the documents ask for. */
    private int rewritten(RefusalTest.Door door, ThrottleRegistry registry, Request request) throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(registry);
        OkHttpClient.Builder builder = plain().newBuilder();
        Call call = switch (door) {
            case INTERCEPTOR_ALONE ->
                builder.addInterceptor(throttling)
                        .addInterceptor(REWRITING)
                        .build()
                        .newCall(request);
            case INTERCEPTOR_AND_OBSERVER ->
                throttled(plain(), throttling)
                        .newBuilder()
                        .addInterceptor(REWRITING)
                        .build()
                        .newCall(request);
            case FACTORY_EXECUTE, FACTORY_ENQUEUE ->
                throttling
                        .callFactory(builder.addInterceptor(REWRITING).build())
                        .newCall(request);
        };
        try (Response response = door.execute(call)) {
            return response.code();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRewrittenRequestUsesThePermitThatItWaitedFor(RefusalTest.Door door) throws IOException {
        ThrottleRegistry paced =
                throttle().strategy(new TestPace(Duration.ofMillis(60))).build();
        answerAlways(200);
        long start = System.nanoTime();
        for (int i = 0; i < 6; i++) {
            assertThat(rewritten(door, paced, getFrom("logical.test", "/"))).isEqualTo(200);
        }
        assertThat(since(start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        String own = keyOf(getFrom("logical.test", "/"));
        assertThat(paced.get(own).count(Outcome.SUCCESS)).isEqualTo(6);
        assertThat(paced.all()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalOfARewrittenRequestHoldsTheNextOneBack(RefusalTest.Door door) throws IOException {
        Request once = getFrom("logical.test", "/")
                .newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1).maxWait(Duration.ZERO))
                .build();
        server.enqueue(refusal(429, 30_000));
        assertThat(rewritten(door, throttles, once)).isEqualTo(429);
        assertThatThrownBy(() -> rewritten(door, throttles, once))
                .isInstanceOf(dev.throttle.ThrottleRejectedException.class);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void inALaterAttemptARefusalByTheTargetOfARedirectIsTheTargets(RefusalTest.Door door) throws IOException {
        Request origin = getFrom("origin.test", "/");
        Request target = getFrom("target.test", "/t");
        server.enqueue(refusal(429, 1));
        server.enqueue(new MockResponse.Builder()
                .code(302)
                .addHeader("Location", target.url().toString())
                .build());
        server.enqueue(refusal(503, 3_600_000));
        assertThatThrownBy(() -> door.status(plain(), throttles, origin))
                .isInstanceOf(dev.throttle.ThrottleRejectedException.class);
        assertThat(throttles.get(keyOf(origin)).snapshot().blocked()).isLessThan(Duration.ofSeconds(1));
        assertThat(throttles.get(keyOf(target)).snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
    }

    @ParameterizedTest
    @EnumSource
    void aKeyResolverThatThrowsFailsTheCall(RefusalTest.Door door) {
        for (Throwable mistake : new Throwable[] {new IllegalStateException("no key"), new AssertionError("no key")}) {
            ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                    .keyResolver(request -> {
                        if (mistake instanceof Error e) {
                            throw e;
                        }
                        throw (IllegalStateException) mistake;
                    })
                    .build();
            assertThatThrownBy(() -> door.execute(door.call(plain(), throttling, get("/"))))
                    .isInstanceOf(IOException.class)
                    .hasCause(mistake);
        }
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aKeyResolverThatThrowsAtARedirectStopsTheRedirect() {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .keyResolver(request -> {
                    if (request.url().host().equals("target.test")) {
                        throw new IllegalStateException("no key");
                    }
                    return "origin";
                })
                .build();
        server.enqueue(new MockResponse.Builder()
                .code(302)
                .addHeader("Location", getFrom("target.test", "/t").url().toString())
                .build());
        assertThatThrownBy(
                        () -> throttled(plain(), throttling).newCall(get("/")).execute())
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("no key");
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void aCostThatNoLimitCanGrantFailsTheCall(RefusalTest.Door door) {
        ThrottleRegistry limited = throttle()
                .strategy(Strategies.tokenBucket()
                        .rate(1, Duration.ofHours(1))
                        .burst(10)
                        .build())
                .build();
        Request costly = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.permits(11))
                .build();
        answerAlways(200);
        assertThatThrownBy(() -> door.status(plain(), limited, costly))
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(server.getRequestCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theHostOfAResponseDecidesHowItsHeadersAreRead(RefusalTest.Door door) throws IOException {
        ThrottleRegistry byHost = throttle()
                .hintReader(HintReader.builder()
                        .resetUnit("api.test", ResetUnit.MILLIS)
                        .build())
                .build();
        Request request = getFrom("api.test", "/")
                .newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                .build();
        server.enqueue(new MockResponse.Builder()
                .code(429)
                .addHeader("X-RateLimit-Limit", "10")
                .addHeader("X-RateLimit-Remaining", "0")
                .addHeader("X-RateLimit-Reset", "60000")
                .build());
        assertThat(door.status(plain(), byHost, request)).isEqualTo(429);
        assertThat(byHost.get(keyOf(request)).snapshot().blocked())
                .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(70));
    }

    @Test
    void anInterceptorInTheWrongPlaceSaysSo() {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient network =
                plain().newBuilder().addNetworkInterceptor(throttling).build();
        assertThatThrownBy(() -> network.newCall(get("/")).execute())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("addInterceptor")
                .hasCauseInstanceOf(IllegalStateException.class);
        OkHttpClient application =
                plain().newBuilder().addInterceptor(throttling.observer()).build();
        assertThatThrownBy(() -> application.newCall(get("/")).execute())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("addNetworkInterceptor");
        assertThat(server.getRequestCount()).isZero();
        assertThat(throttling.toString()).isEqualTo("ThrottlingInterceptor[default]");
    }
}
