package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of refused requests. */
class RefusalTest extends LoopbackTest {

    /** The ways through the throttle; all must do the same. */
    enum Door {
        INTERCEPTOR_ALONE,
        INTERCEPTOR_AND_OBSERVER,
        FACTORY_EXECUTE,
        FACTORY_ENQUEUE;

        Call call(OkHttpClient client, ThrottleRegistry throttles, Request request) {
            return call(client, ThrottlingInterceptor.create(throttles), request);
        }

        Call call(OkHttpClient client, ThrottlingInterceptor throttling, Request request) {
            return switch (this) {
                case INTERCEPTOR_ALONE ->
                    client.newBuilder().addInterceptor(throttling).build().newCall(request);
                case INTERCEPTOR_AND_OBSERVER -> throttled(client, throttling).newCall(request);
                case FACTORY_EXECUTE, FACTORY_ENQUEUE ->
                    throttling.callFactory(client).newCall(request);
            };
        }

        Response execute(Call call) throws IOException {
            if (this != FACTORY_ENQUEUE) {
                return call.execute();
            }
            CompletableFuture<Response> response = new CompletableFuture<>();
            call.enqueue(new okhttp3.Callback() {
                @Override
                public void onResponse(Call c, Response r) {
                    response.complete(r);
                }

                @Override
                public void onFailure(Call c, IOException e) {
                    response.completeExceptionally(e);
                }
            });
            try {
                return response.orTimeout(20, TimeUnit.SECONDS).join();
            } catch (java.util.concurrent.CompletionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e);
            }
        }

        Response execute(OkHttpClient client, ThrottleRegistry throttles, Request request) throws IOException {
            return execute(call(client, throttles, request));
        }

        int status(OkHttpClient client, ThrottleRegistry throttles, Request request) throws IOException {
            try (Response response = execute(client, throttles, request)) {
                return response.code();
            }
        }
    }

    private final ThrottleRegistry throttles = throttle().build();

    private Request post(String body) {
        return get("/").newBuilder()
                .post(RequestBody.create(body, MediaType.get("text/plain")))
                .build();
    }

    /** All attempts that a throttle has let go and that have ended, but for those that never came to the wire. */
    private long charged(Request request) {
        return charged(throttles.get(keyOf(request)));
    }

    @ParameterizedTest
    @EnumSource
    void a429IsWaitedOutAndNeverSeen(Door door) throws IOException {
        server.enqueue(refusal(429, 100));
        server.enqueue(refusal(429, 100));
        server.enqueue(status(200));
        long start = System.nanoTime();
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(200);
        assertThat(since(start)).isGreaterThan(Duration.ofMillis(200));
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.RATE_LIMITED)).isEqualTo(2);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void theRefusalIsClosedBeforeTheWait(Door door) {
        AtomicBoolean isClosed = new AtomicBoolean();
        OkHttpClient client = plain().newBuilder()
                .addNetworkInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    return response.newBuilder()
                            .body(noticing(response.body(), isClosed))
                            .build();
                })
                .build();
        server.enqueue(refusal(429, 30_000).newBuilder().body("slow down").build());
        Call call = door.call(client, throttles, get("/"));
        CompletableFuture<Object> outcome = CompletableFuture.supplyAsync(() -> {
            try {
                return door.execute(call).code();
            } catch (IOException e) {
                return e;
            }
        });
        awaitWaiting(throttles, keyOf(get("/")), 1);
        assertThat(isClosed).isTrue();
        call.cancel();
        assertThat(outcome.join()).isInstanceOf(IOException.class);
        assertIdle(throttles);
    }

    private static ResponseBody noticing(ResponseBody body, AtomicBoolean isClosed) {
        BufferedSource source = Okio.buffer(new ForwardingSource(body.source()) {
            @Override
            public void close() throws IOException {
                isClosed.set(true);
                super.close();
            }
        });
        return ResponseBody.create(source, body.contentType(), body.contentLength());
    }

    @Test
    void theFactoryFreesTheConnectionWhileItWaits() throws Exception {
        OkHttpClient client = plain().newBuilder()
                .connectionPool(new ConnectionPool(5, 1, TimeUnit.MINUTES))
                .build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, throttles);
        server.enqueue(refusal(429, 900));
        server.enqueue(status(200));
        server.enqueue(status(200));
        Answer busy = enqueue(calls.newCall(get("/busy")));
        awaitWaiting(throttles, keyOf(get("/")), 1);
        awaitThat(() -> client.connectionPool().idleConnectionCount() == 1);
        assertThat(statusOf(client.newCall(get("/other")))).isEqualTo(200);
        assertThat(busy.await()).isEqualTo(200);
        for (String path : List.of("/busy", "/other", "/busy")) {
            RecordedRequest request = server.takeRequest();
            assertThat(request.getTarget()).isEqualTo(path);
            assertThat(request.getConnectionIndex()).isZero();
        }
    }

    @Test
    void aWaitBeforeTheFirstRequestHoldsNoConnection() {
        OkHttpClient client = throttled(throttles);
        block(throttles, keyOf(get("/")), Duration.ofSeconds(30));
        Call call = client.newCall(get("/"));
        CompletableFuture<Object> outcome = outcomeOf(call);
        awaitWaiting(throttles, keyOf(get("/")), 1);
        assertThat(client.connectionPool().connectionCount()).isZero();
        call.cancel();
        assertThat(outcome.join()).isInstanceOf(IOException.class);
    }

    @Test
    void theObserverNeverWaitsNorRepeats() throws IOException {
        OkHttpClient client = plain().newBuilder()
                .addNetworkInterceptor(ThrottlingInterceptor.create(throttles).observer())
                .build();
        block(throttles, keyOf(get("/")), Duration.ofSeconds(30));
        server.enqueue(refusal(429, 10_000));
        assertThat(statusOf(client.newCall(get("/")))).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    private void hops(Door door, OkHttpClient client, int expectedStatus, MockResponse... responses)
            throws IOException {
        int before = server.getRequestCount();
        long chargedBefore = charged(get("/"));
        for (MockResponse response : responses) {
            server.enqueue(response);
        }
        Request request = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                .build();
        assertThat(door.status(client, throttles, request)).isEqualTo(expectedStatus);
        assertThat(server.getRequestCount() - before).isEqualTo(responses.length);
        assertThat(charged(request) - chargedBefore).isEqualTo(responses.length);
    }

    @ParameterizedTest
    @EnumSource
    void everyRequestThatOkHttpSendsByItselfIsCharged(Door door) throws IOException {
        MockResponse again =
                status(503).newBuilder().addHeader("Retry-After", 0).build();
        OkHttpClient authenticating = plain().newBuilder()
                .authenticator((route, response) -> response.request()
                        .newBuilder()
                        .header("Authorization", "let me in")
                        .build())
                .build();
        hops(door, plain(), 200, again, status(200));
        hops(door, plain(), 200, status(408), status(200));
        hops(door, authenticating, 200, status(401), status(200));
        OkHttpClient proxied = plain().newBuilder()
                .proxy(server.getProxyAddress())
                .proxyAuthenticator((route, response) -> response.request()
                        .newBuilder()
                        .header("Proxy-Authorization", "let me through")
                        .build())
                .build();
        hops(door, proxied, 200, status(407), status(200));
        hops(
                door,
                plain(),
                200,
                status(302).newBuilder().addHeader("Location", "/2").build(),
                status(302).newBuilder().addHeader("Location", "/3").build(),
                status(200));
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.BUSY)).isEqualTo(1);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource(names = "INTERCEPTOR_ALONE", mode = EnumSource.Mode.EXCLUDE)
    void aRequestThatOkHttpSendsAgainAfterAFailureIsCharged(Door door) throws IOException {
        server.enqueue(status(200));
        assertThat(statusOf(plain().newCall(get("/")))).isEqualTo(200);
        // The pooled connection breaks, and OkHttp sends the request again on a new one.
        server.enqueue(new MockResponse.Builder()
                .onResponseStart(new SocketEffect.CloseSocket())
                .build());
        server.enqueue(status(200));
        Request request = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                .build();
        assertThat(door.status(plain(), throttles, request)).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(3);
        assertThat(charged(get("/"))).isEqualTo(2);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource(names = "INTERCEPTOR_ALONE", mode = EnumSource.Mode.EXCLUDE)
    void anEndlessRetryAfterIsAnOrdinary503(Door door) throws IOException {
        for (int code : new int[] {503, 408}) {
            ThrottleRegistry fresh = throttle().build();
            server.enqueue(status(code)
                    .newBuilder()
                    .addHeader("Retry-After", "99999999999")
                    .build());
            Request request = get("/").newBuilder()
                    .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                    .build();
            try (Response response = door.execute(plain(), fresh, request)) {
                assertThat(response.code()).isEqualTo(code);
                assertThat(response.header("Retry-After")).isEqualTo("2147483647");
            }
        }
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void aRetryAfterThatOkHttpCanReadIsLeftAsItIs() throws IOException {
        for (String value : List.of("2147483647", "00000000000000007", "0, 120", "soon", "-99999999999")) {
            ThrottleRegistry fresh = throttle().build();
            server.enqueue(
                    status(503).newBuilder().addHeader("Retry-After", value).build());
            Request request = get("/").newBuilder()
                    .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                    .build();
            try (Response response = throttled(fresh).newCall(request).execute()) {
                assertThat(response.headers("Retry-After")).containsExactly(value);
            }
        }
    }

    private static Stream<Arguments> retryAfters() {
        ZonedDateTime served =
                ZonedDateTime.of(2020, 2, 3, 4, 5, 6, 0, ZoneOffset.UTC); // years off this machine's clock
        String date = imf(served);
        String none = "";
        return Stream.of(
                Arguments.of(List.of("0"), none, 0),
                Arguments.of(List.of("120"), none, 120),
                Arguments.of(List.of("  5  "), none, 5),
                Arguments.of(List.of("1.5"), none, 1.5),
                Arguments.of(List.of("0,120"), none, 120),
                Arguments.of(List.of("31,120"), none, 120),
                Arguments.of(List.of("31", "120"), none, 120),
                Arguments.of(List.of(imf(served.plusSeconds(60))), date, 60),
                Arguments.of(List.of(format("EEEE, dd-MMM-yy HH:mm:ss 'GMT'", served.plusSeconds(60))), date, 60),
                Arguments.of(List.of(format("EEE MMM  d HH:mm:ss yyyy", served.plusSeconds(60))), date, 60),
                Arguments.of(List.of(imf(served.minusSeconds(60))), date, 0),
                Arguments.of(List.of(imf(served.plusSeconds(60))), none, 0), // long past by this machine's clock
                Arguments.of(List.of("-5"), none, 0),
                Arguments.of(List.of(""), none, 0),
                Arguments.of(List.of("soon"), none, 0),
                Arguments.of(List.of("99999999999"), none, 2147483648.0)); // more than any wait
    }

    private static String imf(ZonedDateTime time) {
        return format("EEE, dd MMM yyyy HH:mm:ss 'GMT'", time);
    }

    private static String format(String pattern, ZonedDateTime time) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time);
    }

    @ParameterizedTest
    @MethodSource("retryAfters")
    void everyFormOfRetryAfterIsUnderstoodOrAbsent(List<String> values, String date, double seconds)
            throws IOException {
        MockResponse.Builder refusal = status(429).newBuilder();
        values.forEach(value -> refusal.addHeaderLenient("Retry-After", value));
        if (!date.isEmpty()) {
            refusal.addHeader("Date", date);
        }
        server.enqueue(refusal.build());
        AtomicReference<Duration> read = new AtomicReference<>();
        ThrottleRegistry listening = throttle()
                .listener(new ThrottleListener() {
                    @Override
                    public void onSignal(Source throttle, Signal signal) {
                        read.set(signal.hints().retryAfter());
                    }
                })
                .build();
        Request request = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.maxAttempts(1))
                .build();
        assertThat(Door.INTERCEPTOR_AND_OBSERVER.status(plain(), listening, request))
                .isEqualTo(429);
        assertThat(read.get() == null ? Duration.ZERO : read.get())
                .isEqualTo(Duration.ofMillis((long) (seconds * 1000)));
    }

    @ParameterizedTest
    @EnumSource
    void aRetryAfterBeyondMaxWaitRejectsTheFirstCallAsItDoesTheNext(Door door) throws IOException {
        ThrottleRegistry impatient = throttle()
                .time(new VirtualTime())
                .maxWait(Duration.ofSeconds(50))
                .build();
        server.enqueue(refusal(429, 60_000).newBuilder().body("not read").build());
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> door.status(plain(), impatient, get("/")))
                    .isInstanceOfSatisfying(dev.throttle.ThrottleRejectedException.class, e -> {
                        assertThat(e.reason()).isEqualTo("retry-after");
                        assertThat(e.lastStatus()).isEqualTo(429);
                    });
        }
        assertThat(impatient.get(keyOf(get("/"))).snapshot().blocked()).isEqualTo(Duration.ofSeconds(60));
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    private static RequestBody streaming(String content, boolean isOneShot, boolean isDuplex) {
        return new RequestBody() {
            private boolean isSpent;

            @Override
            public MediaType contentType() {
                return MediaType.get("text/plain");
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                if (!isSpent) {
                    sink.writeUtf8(content);
                }
                isSpent = isOneShot || isDuplex;
            }

            @Override
            public boolean isOneShot() {
                return isOneShot;
            }

            @Override
            public boolean isDuplex() {
                return isDuplex;
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void aOneShotBodyIsSentOnceThoughAfterAWait(Door door) throws Exception {
        block(throttles, keyOf(get("/")), Duration.ofMillis(100));
        server.enqueue(refusal(429, 5));
        Request request =
                get("/").newBuilder().post(streaming("payload", true, false)).build();
        assertThat(door.status(plain(), throttles, request)).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(server.takeRequest().getBody().utf8()).isEqualTo("payload");
        assertThat(throttles.get(keyOf(get("/"))).snapshot().notRetried().get(StopReason.NOT_REPLAYABLE))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aReplayableChunkedBodyIsSentAgain(Door door) throws Exception {
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        Request request =
                get("/").newBuilder().post(streaming("payload", false, false)).build();
        assertThat(door.status(plain(), throttles, request)).isEqualTo(200);
        assertThat(server.takeRequest().getBody().utf8()).isEqualTo("payload");
        assertThat(server.takeRequest().getBody().utf8()).isEqualTo("payload");
    }

    @ParameterizedTest
    @EnumSource
    void aDuplexBodyIsSentOnce(Door door) throws Exception {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        OkHttpClient client = h2();
        server.enqueue(refusal(429, 5).newBuilder().doNotReadRequestBody().build());
        RequestBody duplex = new RequestBody() {
            @Override
            public MediaType contentType() {
                return null;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                sink.writeUtf8("hello");
                sink.close();
            }

            @Override
            public boolean isDuplex() {
                return true;
            }
        };
        Request request = get("/").newBuilder().post(duplex).build();
        assertThat(door.status(client, throttles, request)).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    private OkHttpClient h2() {
        return plain().newBuilder()
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void a429IsRepeatedForAnyMethodAndA503ForIdempotentOnes(Door door) throws IOException {
        server.enqueue(status(503));
        assertThat(door.status(plain(), throttles, post("x"))).isEqualTo(503);
        assertThat(server.getRequestCount()).isEqualTo(1);

        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, post("x"))).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(3);

        server.enqueue(status(503));
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(5);

        server.enqueue(status(503));
        server.enqueue(status(200));
        Request optedIn = post("x")
                .newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.idempotent(true))
                .build();
        assertThat(door.status(plain(), throttles, optedIn)).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource
    void theLastRefusalIsReturnedOpenAndReadable(Door door) throws IOException {
        server.enqueue(status(302).newBuilder().addHeader("Location", "/busy").build());
        for (int i = 0; i < 3; i++) {
            if (i > 0) {
                server.enqueue(
                        status(302).newBuilder().addHeader("Location", "/busy").build());
            }
            server.enqueue(status(503)
                    .newBuilder()
                    .addHeader(MILLIS, 5)
                    .addHeader("Retry-After", "later")
                    .addHeader("Attempt", i)
                    .body("busy " + i)
                    .build());
        }
        try (Response response = door.execute(plain(), throttles, get("/"))) {
            assertThat(response.code()).isEqualTo(503);
            assertThat(response.header("Attempt")).isEqualTo("2");
            assertThat(response.header("Retry-After")).isEqualTo("later");
            assertThat(response.body().string()).isEqualTo("busy 2");
            assertThat(response.priorResponse()).isNotNull();
            assertThat(response.priorResponse().code()).isEqualTo(302);
        }
        assertThat(server.getRequestCount()).isEqualTo(6);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void a429WithRetryAfterZeroIsOursToRepeat(Door door) throws IOException {
        server.enqueue(status(429).newBuilder().addHeader("Retry-After", 0).build());
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aClassifierDecidesWhatIsARefusal(Door door) throws IOException {
        ThrottleRegistry github = throttle()
                .classifier((response, hints) -> response.status() == 403
                                && response.headers("X-RateLimit-Remaining").contains("0")
                        ? Outcome.RATE_LIMITED
                        : Outcome.SUCCESS)
                .build();
        server.enqueue(
                status(403).newBuilder().addHeader("X-RateLimit-Remaining", 0).build());
        server.enqueue(status(403));
        assertThat(door.status(plain(), github, get("/"))).isEqualTo(403);
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    private static MockResponse reset(int http2Error) {
        return new MockResponse.Builder()
                .onResponseStart(new SocketEffect.CloseStream(http2Error))
                .build();
    }

    /** Not idempotent, and without a body: the end of one that comes after the reset is an error of its own. */
    private Request lock() {
        return get("/").newBuilder().method("LOCK", null).build();
    }

    private static final int REFUSED_STREAM = 7;
    private static final int CANCEL = 8;
    private static final int ENHANCE_YOUR_CALM = 11;

    @ParameterizedTest
    @EnumSource
    void aRefusedStreamIsRepeatedForAnyMethod(Door door) throws IOException {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        server.enqueue(reset(REFUSED_STREAM));
        server.enqueue(status(200));
        assertThat(door.status(h2(), throttles, lock())).isEqualTo(200);
        // OkHttp 4 repeats it by itself, which only the observer sees.
        boolean isUnseen = door == Door.INTERCEPTOR_ALONE && !OkHttpVersion.tellsOfCancellation();
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.BUSY)).isEqualTo(isUnseen ? 0 : 1);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void enhanceYourCalmIsRepeatedForIdempotentMethods(Door door) throws IOException {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        OkHttpClient client = h2();
        server.enqueue(reset(ENHANCE_YOUR_CALM));
        assertThatThrownBy(() -> door.status(client, throttles, lock())).hasMessageContaining("ENHANCE_YOUR_CALM");
        server.enqueue(reset(ENHANCE_YOUR_CALM));
        server.enqueue(status(200));
        assertThat(door.status(client, throttles, get("/"))).isEqualTo(200);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.BUSY)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void otherFailuresOfStreamsAreNoRefusals(Door door) throws IOException {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        server.enqueue(reset(CANCEL));
        assertThatThrownBy(() -> door.status(h2(), throttles, post("x"))).isInstanceOf(IOException.class);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.BUSY)).isZero();
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.FAILED)).isEqualTo(1);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionThatBreaksIsRepeatedForIdempotentMethods(Door door) throws IOException {
        MockResponse broken = new MockResponse.Builder()
                .onResponseStart(new SocketEffect.CloseSocket())
                .build();
        server.enqueue(broken);
        server.enqueue(status(200));
        assertThat(door.status(plain(), throttles, get("/"))).isEqualTo(200);
        server.enqueue(broken);
        OkHttpClient fresh =
                plain().newBuilder().connectionPool(new ConnectionPool()).build();
        assertThatThrownBy(() -> door.status(fresh, throttles, post("x"))).isInstanceOf(IOException.class);
        assertThat(server.getRequestCount()).isEqualTo(3);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.UNREACHABLE)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatIsNotThereIsTriedThreeTimes(Door door) throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Request request = new Request.Builder().url("http://gone.test:" + port).build();
        assertThatThrownBy(() -> door.status(plain(), throttles, request))
                .isInstanceOf(java.net.ConnectException.class);
        assertThat(throttles.get(keyOf(request)).count(Outcome.UNREACHABLE)).isEqualTo(3);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatForbidsRetriesOfFailuresIsObeyed(Door door) {
        OkHttpClient client =
                plain().newBuilder().retryOnConnectionFailure(false).build();
        server.enqueue(new MockResponse.Builder()
                .onResponseStart(new SocketEffect.CloseSocket())
                .build());
        assertThatThrownBy(() -> door.status(client, throttles, get("/"))).isInstanceOf(IOException.class);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatTimesOutIsNeitherRepeatedNorARefusal(Door door) {
        OkHttpClient client =
                plain().newBuilder().callTimeout(Duration.ofSeconds(2)).build();
        answer(request ->
                status(200).newBuilder().headersDelay(30, TimeUnit.SECONDS).build());
        assertThatThrownBy(() -> door.status(client, throttles, get("/"))).isInstanceOf(InterruptedIOException.class);
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(throttles.get(keyOf(get("/"))).snapshot().outcomes())
                .containsEntry(Outcome.CANCELLED, 1L)
                .containsEntry(Outcome.FAILED, 0L)
                .containsEntry(Outcome.BUSY, 0L);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void aReadThatTimesOutIsNotRepeated(Door door) {
        OkHttpClient client =
                plain().newBuilder().readTimeout(Duration.ofMillis(200)).build();
        answer(request ->
                status(200).newBuilder().headersDelay(30, TimeUnit.SECONDS).build());
        assertThatThrownBy(() -> door.status(client, throttles, get("/")))
                .isInstanceOf(java.net.SocketTimeoutException.class);
        awaitThat(() -> server.getRequestCount() == 1); // on a busy machine it comes when nobody waits any more
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.FAILED)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aCallCanceledOnTheWireIsNoRefusal(Door door) throws Exception {
        answer(request ->
                status(200).newBuilder().headersDelay(5, TimeUnit.SECONDS).build());
        Call call = door.call(plain(), throttles, get("/"));
        CompletableFuture<Object> outcome = CompletableFuture.supplyAsync(() -> {
            try {
                return door.execute(call).code();
            } catch (IOException e) {
                return e;
            }
        });
        assertThat(server.takeRequest(10, TimeUnit.SECONDS)).isNotNull();
        call.cancel();
        assertThat(outcome.join()).isInstanceOf(IOException.class);
        assertThat(throttles.get(keyOf(get("/"))).snapshot().outcomes())
                .containsEntry(Outcome.CANCELLED, 1L)
                .containsEntry(Outcome.BUSY, 0L);
    }

    @ParameterizedTest
    @EnumSource
    void aRepetitionIsTheSameRequestSignedAnew(Door door) throws Exception {
        AtomicInteger signatures = new AtomicInteger();
        UnaryOperator<OkHttpClient> signing = client -> client.newBuilder()
                .addInterceptor(chain -> chain.proceed(chain.request()
                        .newBuilder()
                        .header("Signature", "s" + signatures.incrementAndGet())
                        .build()))
                .build();
        // The signing interceptor stands inside of the throttling one.
        OkHttpClient client = switch (door) {
            case INTERCEPTOR_ALONE ->
                signing.apply(plain().newBuilder()
                        .addInterceptor(ThrottlingInterceptor.create(throttles))
                        .build());
            case INTERCEPTOR_AND_OBSERVER -> signing.apply(throttled(throttles));
            case FACTORY_EXECUTE, FACTORY_ENQUEUE -> signing.apply(plain());
        };
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        Request request = post("payload").newBuilder().header("Own", "1").build();
        assertThat(door.status(client, throttles, request)).isEqualTo(200);
        RecordedRequest first = server.takeRequest();
        RecordedRequest second = server.takeRequest();
        assertThat(second.getMethod()).isEqualTo(first.getMethod()).isEqualTo("POST");
        assertThat(second.getTarget()).isEqualTo(first.getTarget());
        assertThat(second.getBody()).isEqualTo(first.getBody());
        assertThat(first.getHeaders().get("Signature")).isEqualTo("s1");
        assertThat(second.getHeaders().get("Signature")).isEqualTo("s2");
        assertThat(second.getHeaders().newBuilder().removeAll("Signature").build())
                .isEqualTo(
                        first.getHeaders().newBuilder().removeAll("Signature").build());
    }
}
