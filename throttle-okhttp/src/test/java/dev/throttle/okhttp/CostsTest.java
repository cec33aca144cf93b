package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Ledger;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.testing.VirtualTime;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests cost, as they and their answers tell. */
class CostsTest extends LoopbackTest {

    private static final MediaType JSON = MediaType.get("application/json");
    private static final String ANSWER = answer(29);
    private static final Cost COST =
            Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);
    private static final String ASKED = "{\"model\":\"m\",\"max_tokens\":90,\"a\":12345}";
    private static final Cost ESTIMATE =
            Cost.of(Quota.INPUT_TOKENS, 10).and(Quota.OUTPUT_TOKENS, 90).and(Quota.TOKENS, 100);

    private final Ledger ledger = Ledger.of(Quota.TOKENS);
    private final ThrottleRegistry throttles = throttle().limit(ledger).build();

    private static String answer(long total) {
        return "{\"text\":\"Größe\",\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":" + (total - 19)
                + ",\"total_tokens\":" + total + "}}";
    }

    private static MockResponse json(String body) {
        return status(200)
                .newBuilder()
                .addHeader("Content-Type", "application/json")
                .body(body)
                .build();
    }

    private Request post(String path, String body) {
        return get(path).newBuilder().post(RequestBody.create(body, JSON)).build();
    }

    private static String textOf(Call call) throws IOException {
        try (Response response = call.execute()) {
            return response.body().string();
        }
    }

    @Test
    void whatAnAnswerHasCostIsSettled() throws IOException {
        Buffer zipped = new Buffer();
        try (BufferedSink sink = Okio.buffer(new GzipSink(zipped))) {
            sink.writeUtf8(ANSWER);
        }
        server.enqueue(json(ANSWER));
        server.enqueue(json("").newBuilder()
                .addHeader("Content-Encoding", "gzip")
                .body(zipped)
                .build());
        for (int i = 1; i <= 2; i++) {
            assertThat(textOf(throttled(throttles).newCall(get("/")))).isEqualTo(ANSWER);
            assertThat(ledger.settled()).hasSize(i).containsOnly(COST);
        }
        assertIdle(throttles);
    }

    @Test
    void anAnswerOverHttp2IsSettled() throws IOException {
        try (MockWebServer http2 = new MockWebServer()) {
            http2.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
            http2.start(InetAddress.getLoopbackAddress(), 0);
            http2.enqueue(json(ANSWER));
            OkHttpClient client = throttled(throttles)
                    .newBuilder()
                    .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                    .build();
            Request request = new Request.Builder().url(http2.url("/")).build();
            assertThat(textOf(client.newCall(request))).isEqualTo(ANSWER);
            client.connectionPool().evictAll();
        }
        assertThat(ledger.settled()).containsExactly(COST);
    }

    @Test
    void aCallThatIsCanceledWhileItsBodyIsReadLeavesNothingBehind() throws IOException {
        server.enqueue(json("").newBuilder()
                .chunkedBody(ANSWER.repeat(50), 100)
                .throttleBody(100, 1, TimeUnit.HOURS)
                .build());
        Call call = throttled(throttles).newCall(get("/"));
        try (Response response = call.execute()) {
            assertThat(response.body().source().readByte()).isEqualTo((byte) '{');
            call.cancel();
            assertThatThrownBy(() -> response.body().string()).isInstanceOf(IOException.class);
        }
        assertIdle(throttles);
    }

    @Test
    void aStreamIsSettledWhenItsEndIsRead() throws IOException {
        server.enqueue(status(200)
                .newBuilder()
                .addHeader("Content-Type", "text/event-stream")
                .chunkedBody("data: {\"text\":\"Hi\"}\n\ndata: " + ANSWER + "\n\ndata: [DONE]\n\n", 40)
                .build());
        try (Response response = throttled(throttles).newCall(get("/")).execute()) {
            assertThat(response.body().source().readUtf8Line()).isEqualTo("data: {\"text\":\"Hi\"}");
            assertThat(ledger.settled()).isEmpty();
            assertThat(response.body().string()).endsWith("[DONE]\n\n");
        }
        assertThat(ledger.settled()).containsExactly(COST);
        assertIdle(throttles);
    }

    @Test
    void aCallOfTheFactoryIsSettledToo() throws Exception {
        server.enqueue(json(ANSWER));
        CompletableFuture<String> text = new CompletableFuture<>();
        ThrottlingCallFactory.create(plain(), throttles).newCall(get("/")).enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) throws IOException {
                text.complete(response.body().string());
            }

            @Override
            public void onFailure(Call call, IOException e) {
                text.completeExceptionally(e);
            }
        });
        assertThat(text.get(20, TimeUnit.SECONDS)).isEqualTo(ANSWER);
        assertThat(ledger.settled()).containsExactly(COST);
    }

    @Test
    void whatIsCutOffOrOddIsIgnored() throws IOException {
        server.enqueue(json("{\"usage\":{\"total_tokens\":\"many\",\"prompt_tokens\":-1}}"));
        server.enqueue(json(ANSWER)
                .newBuilder()
                .onResponseBody(new SocketEffect.CloseSocket())
                .build());
        assertThat(textOf(throttled(throttles).newCall(get("/")))).contains("many");
        assertThatThrownBy(() -> textOf(throttled(throttles).newCall(get("/")))).isInstanceOf(IOException.class);
        assertThat(ledger.settled()).isEmpty();
        assertIdle(throttles);
    }

    @Test
    void theCostIsThatOfTheKeyThatAnswered() throws IOException {
        server.enqueue(status(307)
                .newBuilder()
                .addHeader("Location", getFrom("other.test", "/").url().toString())
                .build());
        server.enqueue(json(ANSWER));
        assertThat(textOf(throttled(throttles).newCall(getFrom("first.test", "/"))))
                .isEqualTo(ANSWER);
        Cost nothing =
                Cost.ONE.and(Quota.INPUT_TOKENS, 0).and(Quota.OUTPUT_TOKENS, 0).and(Quota.TOKENS, 0);
        assertThat(ledger.settledByKey()).endsWith(List.of(nothing), List.of(COST));
    }

    @Test
    void whatARequestShowsOfItsCostIsTaken() throws IOException {
        answer(request -> json("{}"));
        OkHttpClient client = throttled(throttles);
        textOf(client.newCall(post("/chat", ASKED)));
        CallOptions own = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 7));
        textOf(client.newCall(
                post("/chat", ASKED).newBuilder().tag(CallOptions.class, own).build()));
        textOf(client.newCall(get("/chat")));
        assertThat(ledger.admitted()).containsExactly(ESTIMATE, ESTIMATE.and(Quota.TOKENS, 7), Cost.ONE);
    }

    @Test
    void theUsersEstimateGoesBeforeWhatTheRequestShows() throws IOException {
        answer(request -> json("{}"));
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .costEstimator(request -> request.url().encodedPath().equals("/chat") ? Cost.of(Quota.TOKENS, 8) : null)
                .build()
                .newBuilder()
                .build();
        textOf(throttled(plain(), throttling).newCall(post("/chat", ASKED)));
        textOf(throttled(plain(), throttling).newCall(post("/other", ASKED)));
        assertThat(ledger.admitted()).containsExactly(ESTIMATE.and(Quota.TOKENS, 8), ESTIMATE);
    }

    @Test
    void anEstimatorThatThrowsFailsItsCall() {
        IllegalStateException mistake = new IllegalStateException("test");
        Call call = ThrottlingCallFactory.builder(plain(), throttles)
                .costEstimator(request -> {
                    throw mistake;
                })
                .build()
                .newBuilder()
                .build()
                .newCall(get("/"));
        assertThatThrownBy(call::execute).isInstanceOf(IOException.class).hasCause(mistake);
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void aBodyThatCanBeWrittenOnceIsWrittenOnce() throws IOException {
        answer(request -> json("{}"));
        AtomicInteger written = new AtomicInteger();
        RequestBody once = new RequestBody() {
            @Override
            public MediaType contentType() {
                return JSON;
            }

            @Override
            public boolean isOneShot() {
                return true;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                written.incrementAndGet();
                sink.writeUtf8(ASKED);
            }
        };
        textOf(throttled(throttles).newCall(get("/").newBuilder().post(once).build()));
        assertThat(written).hasValue(1);
        assertThat(ledger.admitted()).containsExactly(Cost.ONE);
    }

    @Test
    void aBodyThatIsLongerThanItSaysIsNotKept() {
        AtomicLong most = new AtomicLong();
        RequestBody endless = new RequestBody() {
            @Override
            public MediaType contentType() {
                return JSON;
            }

            @Override
            public long contentLength() {
                return 10;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                byte[] piece = new byte[65_536];
                for (long written = 0; written < 100L << 20; written += piece.length) {
                    most.accumulateAndGet(written, Math::max);
                    sink.write(piece);
                }
            }
        };
        Request request = get("/").newBuilder().post(endless).build();
        assertThatThrownBy(() -> throttled(throttles).newCall(request).execute())
                .isInstanceOf(IOException.class);
        assertThat(most.get()).isLessThan(2L << 20);
        assertIdle(throttles);
    }

    @Test
    void aServerThatTellsOfTokensIsListenedToFromItsFirstAnswerOn() throws IOException {
        Ledger requests = Ledger.of(Quota.REQUESTS);
        ThrottleRegistry learning = ThrottleRegistry.builder().limit(requests).build();
        answer(request -> json(ANSWER)
                .newBuilder()
                .addHeader("x-ratelimit-limit-tokens", 30_000)
                .addHeader("x-ratelimit-remaining-tokens", 29_000)
                .addHeader("x-ratelimit-reset-tokens", "100ms")
                .build());
        for (int i = 1; i <= 2; i++) {
            assertThat(textOf(throttled(learning).newCall(post("/chat", ASKED))))
                    .isEqualTo(ANSWER);
            assertThat(requests.settled()).hasSize(i).containsOnly(COST);
        }
        assertThat(requests.admitted().get(0)).isEqualTo(Cost.ONE);
        assertThat(requests.admitted().get(1).has(Quota.TOKENS)).isTrue();
    }

    /** It has the body that it would have without a throttle, and nothing is made of what stands in it. */
    @Test
    void whereRequestsAreCountedBodiesAreLeftAlone() throws IOException {
        Ledger requests = Ledger.of(Quota.REQUESTS);
        ThrottleRegistry plainly = ThrottleRegistry.builder().limit(requests).build();
        answer(request -> json(ANSWER)
                .newBuilder()
                .addHeader("X-RateLimit-Limit", 100)
                .addHeader("X-RateLimit-Remaining", 90)
                .build());
        for (int i = 0; i < 2; i++) {
            try (Response bare = plain().newCall(post("/", ASKED)).execute();
                    Response throttled =
                            throttled(plainly).newCall(post("/", ASKED)).execute()) {
                assertThat(throttled.body()).hasSameClassAs(bare.body());
                assertThat(throttled.body().source()).hasSameClassAs(bare.body().source());
                assertThat(sourceOf(throttled)).isEqualTo(sourceOf(bare));
                assertThat(throttled.body().string()).isEqualTo(ANSWER);
            }
        }
        assertThat(requests.admitted()).containsOnly(Cost.ONE);
        assertThat(requests.settled()).isEmpty();
    }

    /** All sources, one within the other. */
    private static String sourceOf(Response response) {
        return response.body().source().toString().replaceAll("@[0-9a-f]+", "");
    }

    @Test
    void everythingElseOfAResponseStaysAsItWas() throws IOException {
        server.enqueue(status(307).newBuilder().addHeader("Location", "/b").build());
        server.enqueue(json("").newBuilder()
                .chunkedBody(ANSWER, 20)
                .trailers(Headers.of("Checksum", "abc"))
                .build());
        try (Response response = throttled(throttles).newCall(get("/a")).execute()) {
            assertThat(response.priorResponse()).extracting(Response::code).isEqualTo(307);
            assertThat(response.networkResponse()).isNotNull();
            assertThat(response.cacheResponse()).isNull();
            assertThat(response.body().contentType()).isEqualTo(JSON);
            assertThat(response.body().string()).isEqualTo(ANSWER);
            assertThat(response.trailers()).isEqualTo(Headers.of("Checksum", "abc"));
        }
        assertThat(ledger.settled()).contains(COST);
    }

    @Test
    void aStoredAnswerCostsNothingAgain(@TempDir Path folder) throws IOException {
        server.enqueue(json(ANSWER).newBuilder().addHeader("ETag", "\"1\"").build());
        server.enqueue(status(304));
        try (Cache cache = new Cache(new File(folder.toFile(), "cache"), 1 << 20)) {
            OkHttpClient client = throttled(throttles).newBuilder().cache(cache).build();
            for (int i = 0; i < 2; i++) {
                assertThat(textOf(client.newCall(get("/")))).isEqualTo(ANSWER);
            }
        }
        assertThat(ledger.settled()).containsExactly(COST);
    }

    /** A bucket of 1,000 tokens, 100 a second: what it costs in truth is what takes time, whatever was estimated. */
    @Test
    void tooLittleIsOwedAndTooMuchComesBack() throws IOException {
        for (long actual : new long[] {600, 30}) {
            VirtualTime time = VirtualTime.autoAdvancing();
            ThrottleRegistry limited = throttle()
                    .time(time)
                    .limit(Strategies.tokenBucket()
                            .unit(Quota.TOKENS)
                            .rate(100, Duration.ofSeconds(1))
                            .burst(1000)
                            .build())
                    .build();
            answer(request -> json(answer(actual)));
            long begin = time.nanoTime();
            int calls = 50;
            for (int i = 0; i < calls; i++) {
                textOf(throttled(limited).newCall(post("/chat", ASKED)));
            }
            double seconds = (time.nanoTime() - begin) / 1e9;
            double needed = ((calls - 1) * actual - 1000) / 100.0;
            assertThat(seconds).isBetween(needed, needed + 10);
        }
    }

    /** A bucket of 1,000 points, 50 a second, a hundred for a query, of which only bodies tell. */
    @Test
    void aQuotaThatOnlyBodiesTellPacesTheDefaultStrategy() throws IOException {
        VirtualTime time = VirtualTime.autoAdvancing();
        Points points = new Points(time);
        answer(request -> json(points.query()));
        ThrottleRegistry standard =
                ThrottleRegistry.builder().time(time).seed(1).build();
        long begin = time.nanoTime();
        for (int i = 0; i < 60; i++) {
            textOf(throttled(standard).newCall(post("/admin/api/graphql.json", "{\"query\":\"{shop}\"}")));
        }
        assertThat(points.refused).isZero();
        assertThat((time.nanoTime() - begin) / 1e9).isBetween(98.0, 115.0);
        assertThat(standard.all().iterator().next().snapshot().quotas())
                .extracting(Quota::unit)
                .containsExactly(Quota.POINTS);
    }

    @Test
    void aRefusalInTheBodyOfASuccessKeepsOthersWaiting() throws IOException {
        VirtualTime time = new VirtualTime();
        ThrottleRegistry standard = ThrottleRegistry.builder()
                .time(time)
                .retryAfterJitter(0, Duration.ZERO)
                .build();
        answer(request -> json("{\"errors\":[{\"extensions\":{\"code\":\"THROTTLED\"}}]," + Points.cost(100, 0, 20)));
        textOf(throttled(standard).newCall(post("/graphql", "{}")));
        assertThat(standard.get(keyOf(get("/"))).snapshot().blocked()).isEqualTo(Duration.ofMillis(1600));
    }

    /** Answers as Shopify does. */
    private static final class Points {

        private final VirtualTime time;
        private double left = 1000;
        private int refused;
        private long leftAt;

        Points(VirtualTime time) {
            this.time = time;
            this.leftAt = time.nanoTime();
        }

        String query() {
            long now = time.nanoTime();
            left = Math.min(1000, left + (now - leftAt) / 1e9 * 50);
            leftAt = now;
            if (left < 100) {
                refused++;
                return "{\"errors\":[{\"extensions\":{\"code\":\"THROTTLED\"}}]," + cost(100, 0, (long) left);
            }
            left -= 100;
            return "{\"data\":{\"shop\":1}," + cost(100, 100, (long) left);
        }

        static String cost(long requested, long actual, long available) {
            return "\"extensions\":{\"cost\":{\"requestedQueryCost\":" + requested + ",\"actualQueryCost\":" + actual
                    + ",\"throttleStatus\":{\"maximumAvailable\":1000.0,\"currentlyAvailable\":" + available
                    + ",\"restoreRate\":50.0}}}}";
        }
    }
}
