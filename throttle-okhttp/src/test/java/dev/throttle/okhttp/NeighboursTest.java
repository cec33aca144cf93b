package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import mockwebserver3.MockResponse;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.Dispatcher;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.jupiter.api.Test;

/** Keys, exemptions, and what stands beside the throttle. */
class NeighboursTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();

    /** What Retrofit puts on a request; its own class is found by the same type. */
    private record Invocation(Method method) {}

    interface Api {
        void list();

        void search();
    }

    @Test
    void theDefaultKeyIsSchemeHostAndPort() {
        KeyResolver origin = KeyResolver.origin();
        assertThat(origin.keyOf(
                        new Request.Builder().url("https://Example.com/a?b=c").build()))
                .isEqualTo("https://example.com:443");
        assertThat(origin.keyOf(
                        new Request.Builder().url("http://example.com:8080/").build()))
                .isEqualTo("http://example.com:8080");
    }

    @Test
    void aResolverSeesTheTagsOfARequestAndNullIsNotThrottled() throws Exception {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .keyResolver(request -> {
                    Invocation invocation = request.tag(Invocation.class);
                    return invocation == null ? null : invocation.method().getName();
                })
                .build();
        OkHttpClient client = throttled(plain(), throttling);
        answerAlways(200);
        for (String method : List.of("list", "search", "list")) {
            Request request = get("/").newBuilder()
                    .tag(Invocation.class, new Invocation(Api.class.getDeclaredMethod(method)))
                    .build();
            assertThat(statusOf(client.newCall(request))).isEqualTo(200);
            assertThat(enqueue(throttling.callFactory(client).newCall(request)).await())
                    .isEqualTo(200);
        }
        assertThat(statusOf(client.newCall(get("/")))).isEqualTo(200);
        assertThat(enqueue(throttling.callFactory(client).newCall(get("/"))).await())
                .isEqualTo(200);
        assertThat(throttles.all()).extracting(Throttle::key).containsExactlyInAnyOrder("list", "search");
        assertThat(throttles.get("list").count(Outcome.SUCCESS)).isEqualTo(4);
        assertThat(throttles.get("search").count(Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void theKeysAreBounded() throws IOException {
        ThrottleRegistry few = throttle().maxKeys(4).build();
        OkHttpClient client = throttled(few);
        answerAlways(200);
        for (int i = 0; i < 50; i++) {
            assertThat(statusOf(client.newCall(getFrom("h" + i + ".test", "/"))))
                    .isEqualTo(200);
        }
        assertThat(few.all().size()).isLessThanOrEqualTo(8);
    }

    @Test
    void anExemptCallPassesABlockedKey() throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = throttled(plain(), throttling);
        ThrottlingCallFactory calls = throttling.callFactory(plain());
        block(throttles, keyOf(get("/")), Duration.ofMinutes(5));
        answerAlways(200);
        Request exempt = get("/").newBuilder()
                .tag(CallOptions.class, CallOptions.exempt())
                .build();
        for (int i = 0; i < 11; i++) {
            assertThat(statusOf(client.newCall(exempt))).isEqualTo(200);
            assertThat(enqueue(calls.newCall(exempt)).await()).isEqualTo(200);
        }
        assertThat(throttles.get(keyOf(exempt)).count(Outcome.SUCCESS)).isZero();
    }

    @Test
    void eachCallOptionIsObserved() throws IOException {
        VirtualTime time = new VirtualTime();
        ThrottleRegistry paced = throttle()
                .time(time)
                .strategy(new TestPace(Duration.ofMillis(300)))
                .build();
        OkHttpClient client = throttled(paced);
        answerAlways(200);
        CallOptions costly = CallOptions.DEFAULT.permits(3);
        long start = time.nanoTime();
        assertThat(statusOf(client.newCall(with(costly)))).isEqualTo(200);
        assertThatThrownBy(() -> client.newCall(with(CallOptions.DEFAULT.maxWait(Duration.ofMillis(1))))
                        .execute())
                .isInstanceOf(dev.throttle.ThrottleRejectedException.class);
        assertThat(time.await(outcomeOf(client.newCall(get("/"))))).isEqualTo(200);
        assertThat(time.nanoTime() - start).isEqualTo(Duration.ofMillis(900).toNanos()); // three intervals
        answer(request -> refusal(429, 1));
        int before = server.getRequestCount();
        assertThat(time.await(outcomeOf(client.newCall(with(CallOptions.DEFAULT.maxAttempts(3))))))
                .isEqualTo(429);
        assertThat(server.getRequestCount() - before).isEqualTo(3);
    }

    @Test
    void theOptionsOfTheInterceptorHoldForRequestsWithoutTheirOwn() throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .options(CallOptions.DEFAULT.maxAttempts(1))
                .build();
        OkHttpClient client = throttled(plain(), throttling.newBuilder().build());
        answer(request -> refusal(429, 1));
        assertThat(statusOf(client.newCall(get("/")))).isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(1);
        assertThat(statusOf(client.newCall(with(CallOptions.DEFAULT.maxAttempts(2)))))
                .isEqualTo(429);
        assertThat(server.getRequestCount()).isEqualTo(3);
    }

    private Request with(CallOptions options) {
        return get("/").newBuilder().tag(CallOptions.class, options).build();
    }

    @Test
    void badOptionsAreRefusedNamingThem() {
        assertThatThrownBy(() -> CallOptions.DEFAULT.permits(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits must be");
        assertThatThrownBy(() -> CallOptions.DEFAULT.maxWait(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWait must be");
        assertThatThrownBy(() -> CallOptions.DEFAULT.maxAttempts(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxAttempts must be");
        assertThatThrownBy(() -> ThrottlingInterceptor.builder(throttles).options(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("options must not be null");
        assertThatThrownBy(() -> ThrottlingInterceptor.builder(throttles).keyResolver(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("keyResolver must not be null");
        assertThatThrownBy(() -> ThrottlingCallFactory.create(null, throttles))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("client must not be null");
    }

    @Test
    void theHandshakeOfAWebSocketIsThrottledAndItsFramesAreNot() throws Exception {
        ThrottleRegistry paced =
                throttle().strategy(new TestPace(Duration.ofMillis(200))).build();
        OkHttpClient client = throttled(paced);
        CompletableFuture<List<String>> echoed = new CompletableFuture<>();
        MockResponse upgrade = new MockResponse.Builder()
                .webSocketUpgrade(new WebSocketListener() {
                    @Override
                    public void onMessage(WebSocket webSocket, String text) {
                        webSocket.send(text);
                    }
                })
                .build();
        server.enqueue(status(200));
        server.enqueue(upgrade);
        long start = System.nanoTime();
        assertThat(statusOf(client.newCall(get("/")))).isEqualTo(200);
        List<String> messages = new CopyOnWriteArrayList<>();
        AtomicReference<Duration> opened = new AtomicReference<>();
        WebSocket socket = client.newWebSocket(get("/"), new WebSocketListener() {
            @Override
            public void onOpen(WebSocket webSocket, Response response) {
                opened.set(since(start));
                for (int i = 0; i < 20; i++) {
                    webSocket.send("frame " + i);
                }
            }

            @Override
            public void onMessage(WebSocket webSocket, String text) {
                messages.add(text);
                if (messages.size() == 20) {
                    echoed.complete(messages);
                }
            }

            @Override
            public void onFailure(WebSocket webSocket, Throwable t, Response response) {
                echoed.completeExceptionally(t);
            }
        });
        assertThat(echoed.get(20, TimeUnit.SECONDS)).hasSize(20);
        assertThat(opened.get()).isGreaterThanOrEqualTo(Duration.ofMillis(200)); // the handshake waited its turn
        assertThat(paced.get(keyOf(get("/"))).count(Outcome.SUCCESS)).isEqualTo(2); // 101 is a success
        assertIdle(paced);
        socket.cancel();
    }

    @Test
    void aStreamThatStaysOpenHoldsNoPermit() throws Exception {
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), throttles);
        server.enqueue(status(200)
                .newBuilder()
                .addHeader("Content-Type", "text/event-stream")
                .body("data: one\n\n".repeat(1000))
                .throttleBody(11, 5, TimeUnit.SECONDS)
                .build());
        server.enqueue(status(200));
        CompletableFuture<Response> open = new CompletableFuture<>();
        Call stream = calls.newCall(get("/events"));
        stream.enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) throws IOException {
                response.body().source().require(11);
                open.complete(response);
            }

            @Override
            public void onFailure(Call call, IOException e) {
                open.completeExceptionally(e);
            }
        });
        Response response = open.get(20, TimeUnit.SECONDS);
        ThrottleSnapshot snapshot = throttles.get(keyOf(get("/"))).snapshot();
        assertThat(snapshot.inFlight()).isZero();
        assertThat(snapshot.outcomes()).containsEntry(Outcome.SUCCESS, 1L);
        assertThat(enqueue(calls.newCall(get("/"))).await()).isEqualTo(200);
        stream.cancel(); // as an event source or a coroutine would
        response.close();
    }

    @Test
    void aSigningInterceptorInsideStampsAfterTheWait() throws Exception {
        AtomicLong stamped = new AtomicLong();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient signing = plain().newBuilder()
                .addInterceptor(chain -> {
                    stamped.set(System.nanoTime());
                    return chain.proceed(chain.request());
                })
                .build();
        OkHttpClient.Builder outermost = signing.newBuilder();
        outermost.interceptors().add(0, throttling);
        answerAlways(200);
        for (Call.Factory calls : List.of(outermost.build(), throttling.callFactory(signing))) {
            long start = System.nanoTime();
            block(throttles, keyOf(get("/")), Duration.ofMillis(200));
            assertThat(statusOf(calls.newCall(get("/")))).isEqualTo(200);
            assertThat(stamped.get() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(200).toNanos());
        }
    }

    @Test
    void clientsShareAThrottleByPassingItOnAndOtherwiseHaveTheirOwn() throws IOException {
        OkHttpClient one = throttled(throttles);
        OkHttpClient sibling =
                one.newBuilder().readTimeout(Duration.ofSeconds(5)).build();
        OkHttpClient other = throttled(throttle().build());
        server.enqueue(refusal(429, 30_000));
        assertThat(statusOf(one.newCall(with(CallOptions.DEFAULT.maxAttempts(1)))))
                .isEqualTo(429);
        Request hurried = with(CallOptions.DEFAULT.maxWait(Duration.ZERO));
        assertThatThrownBy(() -> sibling.newCall(hurried).execute())
                .isInstanceOf(dev.throttle.ThrottleRejectedException.class);
        server.enqueue(status(200));
        assertThat(statusOf(other.newCall(hurried))).isEqualTo(200);
    }

    @Test
    void aThreadPerCallDoesNotCureTheDispatchersLimitsButTheFactoryDoes() throws Exception {
        VirtualTime time = new VirtualTime();
        ThrottleRegistry still = throttle().time(time).build();
        String key = keyOf(get("/"));
        ExecutorService threads = threadPerCall();
        try {
            OkHttpClient bare =
                    plain().newBuilder().dispatcher(new Dispatcher(threads)).build();
            ThrottlingInterceptor throttling = ThrottlingInterceptor.create(still);
            OkHttpClient client = throttled(bare, throttling);
            Request exempt = with(CallOptions.exempt());
            answerAlways(200);
            Dispatcher dispatcher = bare.dispatcher();
            block(still, key, Duration.ofMillis(700));
            List<Answer> sleepers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                sleepers.add(enqueue(client.newCall(get("/"))));
            }
            awaitWaiting(still, key, 5);
            Answer behindInterceptor = enqueue(client.newCall(exempt));
            assertThat(dispatcher.queuedCallsCount()).isEqualTo(1); // until a sleeper has left
            time.advance(Duration.ofMillis(700));
            assertThat(behindInterceptor.await()).isEqualTo(200);
            for (Answer sleeper : sleepers) {
                assertThat(sleeper.await()).isEqualTo(200);
            }
            ThrottlingCallFactory calls = throttling.callFactory(bare);
            block(still, key, Duration.ofSeconds(30));
            for (int i = 0; i < 5; i++) {
                enqueue(calls.newCall(get("/")));
            }
            assertThat(enqueue(calls.newCall(exempt)).await()).isEqualTo(200);
            calls.cancelAll();
        } finally {
            threads.shutdown();
        }
    }

    /** Virtual threads where this JDK has them. */
    private static ExecutorService threadPerCall() throws ReflectiveOperationException {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            return Executors.newCachedThreadPool();
        }
    }

    @Test
    void waitsAreReportedByKeyAndTheFactorysAreOutsideOfTheCallsEvents() throws Exception {
        List<String> waits = new CopyOnWriteArrayList<>();
        AtomicReference<Duration> waited = new AtomicReference<>();
        AtomicLong order = new AtomicLong();
        AtomicLong waitEnded = new AtomicLong();
        VirtualTime time = new VirtualTime();
        ThrottleRegistry heard = throttle()
                .time(time)
                .listener(new ThrottleListener() {
                    @Override
                    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
                        waits.add(throttle.key() + " " + reason);
                        waited.set(wait);
                        waitEnded.set(order.incrementAndGet());
                    }
                })
                .build();
        AtomicLong callStart = new AtomicLong();
        OkHttpClient client = plain().newBuilder()
                .eventListener(new EventListener() {
                    @Override
                    public void callStart(Call call) {
                        callStart.set(order.incrementAndGet());
                    }
                })
                .build();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(heard);
        answerAlways(200);
        String key = keyOf(get("/"));

        block(heard, key, Duration.ofMillis(900));
        Answer parked = enqueue(throttling.callFactory(client).newCall(get("/secret?token=1")));
        ThrottleSnapshot snapshot = heard.get(key).snapshot();
        assertThat(snapshot.waiting()).isEqualTo(1);
        assertThat(snapshot.blocked()).isEqualTo(Duration.ofMillis(900));
        assertThat(callStart).hasValue(0);
        time.advance(Duration.ofMillis(900));
        assertThat(parked.await()).isEqualTo(200);
        assertThat(callStart.get()).isPositive();
        assertThat(waited).hasValue(Duration.ofMillis(900));

        block(heard, key, Duration.ofMillis(900));
        assertThat(time.await(outcomeOf(throttled(client, throttling).newCall(get("/")))))
                .isEqualTo(200);
        assertThat(callStart.get()).isLessThan(waitEnded.get());

        assertThat(waits).hasSize(2).containsOnly(key + " retry-after");
        assertThat(waited).hasValue(Duration.ofMillis(900));
        assertThat(heard.get(key).count(Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void cookiesOfARefusalAreSentWithItsRepetition() throws Exception {
        CookieJar jar = new CookieJar() {
            private List<Cookie> cookies = List.of();

            @Override
            public void saveFromResponse(HttpUrl url, List<Cookie> received) {
                cookies = received;
            }

            @Override
            public List<Cookie> loadForRequest(HttpUrl url) {
                return cookies;
            }
        };
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = plain().newBuilder().cookieJar(jar).build();
        for (Call.Factory calls : List.of(throttled(client, throttling), throttling.callFactory(client))) {
            server.enqueue(refusal(429, 5)
                    .newBuilder()
                    .addHeader("Set-Cookie", "session=fresh")
                    .build());
            server.enqueue(status(200));
            assertThat(statusOf(calls.newCall(get("/")))).isEqualTo(200);
            server.takeRequest();
            assertThat(server.takeRequest().getHeaders().get("Cookie")).isEqualTo("session=fresh");
        }
    }
}
