package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Ledger;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.testing.VirtualTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What requests cost, as they and their answers tell. */
class CostsTest {

    private static final String ANSWER = answer(29);
    private static final Cost COST =
            Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);
    private static final Cost NOTHING =
            Cost.ONE.and(Quota.INPUT_TOKENS, 0).and(Quota.OUTPUT_TOKENS, 0).and(Quota.TOKENS, 0);
    private static final String ASKED = "{\"model\":\"m\",\"max_tokens\":90,\"a\":12345}";
    private static final Cost ESTIMATE =
            Cost.of(Quota.INPUT_TOKENS, 10).and(Quota.OUTPUT_TOKENS, 90).and(Quota.TOKENS, 100);

    private final HttpClient plain = HttpClient.newHttpClient();
    private final Ledger ledger = Ledger.of(Quota.TOKENS);
    private final Throttle throttle = Throttle.builder().limit(ledger).build();
    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static String answer(long total) {
        return "{\"text\":\"Größe\",\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":" + (total - 19)
                + ",\"total_tokens\":" + total + "}}";
    }

    private static Reply json(String body) {
        return typed("application/json", body.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    private static Reply typed(String type, byte[] body, Map<String, String> others) {
        Map<String, String> headers = new HashMap<>(others);
        headers.put("Content-Type", type);
        return new Reply(200, body, headers);
    }

    private HttpClient client(Throttle chosen) {
        return ThrottlingHttpClient.newBuilder(plain).throttle(chosen).build();
    }

    private HttpRequest get() {
        return HttpRequest.newBuilder(server.uri()).build();
    }

    private HttpRequest post(String path, BodyPublisher body) {
        return HttpRequest.newBuilder(server.uri().resolve(path))
                .header("Content-Type", "application/json")
                .POST(body)
                .build();
    }

    private HttpRequest post(String path, String body) {
        return post(path, BodyPublishers.ofString(body));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void whatAnAnswerHasCostIsSettled(Mode mode) throws Exception {
        byte[] zipped = gzip(ANSWER);
        server.then(json(ANSWER));
        server.then(typed("application/json", zipped, Map.of("Content-Encoding", "gzip")));
        assertThat(mode.send(client(throttle), get(), BodyHandlers.ofString()).body())
                .isEqualTo(ANSWER);
        assertThat(ledger.settled()).containsExactly(COST);
        assertThat(mode.send(client(throttle), get(), BodyHandlers.ofByteArray())
                        .body())
                .isEqualTo(zipped);
        assertThat(ledger.settled()).containsExactly(COST, COST);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void anAnswerOverHttp2IsSettled() throws Exception {
        Dispatcher answering = new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                return new MockResponse.Builder()
                        .addHeader("Content-Type", "application/json")
                        .body(ANSWER)
                        .build();
            }
        };
        try (Http2Server http2 = new Http2Server(answering)) {
            HttpRequest request = HttpRequest.newBuilder(http2.uri()).build();
            HttpClient client = ThrottlingHttpClient.newBuilder(Http2Server.client())
                    .throttle(throttle)
                    .build();
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(ledger.settled()).containsExactly(COST);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStreamIsSettledWhenItsEndIsReadOrItIsClosed(Mode mode) throws Exception {
        String events = "data: {\"text\":\"Hi\"}\n\ndata: " + ANSWER + "\n\ndata: [DONE]\n\n";
        byte[] bytes = events.getBytes(StandardCharsets.UTF_8);
        server.then(typed("text/event-stream", bytes, Map.of()));
        server.then(typed("text/event-stream", bytes, Map.of()));
        try (InputStream body =
                mode.send(client(throttle), get(), BodyHandlers.ofInputStream()).body()) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(events);
        }
        assertThat(ledger.settled()).containsExactly(COST);
        mode.send(client(throttle), get(), BodyHandlers.ofInputStream()).body().close();
        await().until(() -> throttle.snapshot().inFlight() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void theCostIsThatOfTheKeyThatAnsweredHoweverTheBodyIsRead(Mode mode) throws Exception {
        try (ScriptedServer target = new ScriptedServer(json(ANSWER), json(ANSWER))) {
            Reply redirect = Reply.of(302, "").with("Location", target.uri().toString());
            server.then(redirect);
            server.then(redirect);
            HttpClient following =
                    HttpClient.newBuilder().followRedirects(Redirect.ALWAYS).build();
            HttpClient client = ThrottlingHttpClient.newBuilder(following)
                    .throttles(ThrottleRegistry.builder().limit(ledger).build())
                    .build();
            mode.send(client, get(), BodyHandlers.ofString());
            assertThat(ledger.settledByKey()).endsWith(List.of(NOTHING), List.of(COST));
            try (InputStream body =
                    mode.send(client, get(), BodyHandlers.ofInputStream()).body()) {
                body.readAllBytes();
            }
            await().until(() -> ledger.settled().size() == 4);
            assertThat(ledger.settledByKey()).endsWith(List.of(NOTHING, NOTHING), List.of(COST, COST));
        }
    }

    @Test
    void whatIsCutOffOrOddIsIgnored() throws Exception {
        server.then(json("{\"usage\":{\"total_tokens\":\"many\",\"prompt_tokens\":-1}}"));
        server.then(json(ANSWER.substring(0, 40)));
        server.then(
                typed("application/json", ANSWER.getBytes(StandardCharsets.UTF_8), Map.of("Content-Encoding", "br")));
        for (int i = 0; i < 3; i++) {
            client(throttle).send(get(), BodyHandlers.ofString());
        }
        assertThat(ledger.settled()).isEmpty();
    }

    @Test
    void whatARequestShowsOfItsCostIsTaken() throws Exception {
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(plain).throttle(throttle).build();
        CallOptions own = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 7));
        client.send(post("/chat", ASKED), BodyHandlers.discarding());
        client.send(
                post("/chat", BodyPublishers.ofByteArray(ASKED.getBytes(StandardCharsets.UTF_8))),
                own,
                BodyHandlers.discarding());
        client.send(get(), BodyHandlers.discarding());
        assertThat(ledger.admitted()).containsExactly(ESTIMATE, ESTIMATE.and(Quota.TOKENS, 7), Cost.ONE);
        assertThat(server.bodies).containsExactly(ASKED, ASKED, "");
    }

    @Test
    void theUsersEstimateGoesBeforeWhatTheRequestShows() throws Exception {
        HttpClient client = ThrottlingHttpClient.newBuilder(plain)
                .throttle(throttle)
                .costEstimator(request -> request.uri().getPath().equals("/chat") ? Cost.of(Quota.TOKENS, 8) : null)
                .build();
        client.send(post("/chat", ASKED), BodyHandlers.discarding());
        client.send(post("/other", ASKED), BodyHandlers.discarding());
        assertThat(ledger.admitted()).containsExactly(ESTIMATE.and(Quota.TOKENS, 8), ESTIMATE);
    }

    @ParameterizedTest
    @EnumSource
    void anEstimatorThatThrowsFailsItsCall(Mode mode) {
        IllegalStateException mistake = new IllegalStateException("test");
        HttpClient client = ThrottlingHttpClient.newBuilder(plain)
                .throttle(throttle)
                .costEstimator(request -> {
                    throw mistake;
                })
                .build();
        assertThatThrownBy(() -> mode.send(client, get(), BodyHandlers.discarding()))
                .isSameAs(mistake);
        assertThat(server.hits()).isZero();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    /** It may be a file, a stream, or anything that notices. */
    @Test
    void aBodyThatIsNotInMemoryIsReadByWhoSendsItOnly() throws Exception {
        AtomicInteger subscriptions = new AtomicInteger();
        BodyPublisher memory = BodyPublishers.ofString(ASKED);
        BodyPublisher own = new BodyPublisher() {
            @Override
            public long contentLength() {
                return memory.contentLength();
            }

            @Override
            public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
                subscriptions.incrementAndGet();
                memory.subscribe(subscriber);
            }
        };
        client(throttle).send(post("/chat", own), BodyHandlers.discarding());
        client(throttle)
                .send(post("/chat", BodyPublishers.fromPublisher(own, own.contentLength())), BodyHandlers.discarding());
        assertThat(subscriptions).hasValue(2);
        assertThat(ledger.admitted()).containsExactly(Cost.ONE, Cost.ONE);
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatTellsOfTokensIsListenedToFromItsFirstAnswerOn(Mode mode) throws Exception {
        Ledger requests = Ledger.of(Quota.REQUESTS);
        HttpClient client = ThrottlingHttpClient.newBuilder(plain)
                .throttles(ThrottleRegistry.builder().limit(requests).build())
                .build();
        Map<String, String> limits = Map.of(
                "x-ratelimit-limit-tokens", "30000",
                "x-ratelimit-remaining-tokens", "29000",
                "x-ratelimit-reset-tokens", "100ms");
        for (int i = 1; i <= 2; i++) {
            server.then(typed("application/json", ANSWER.getBytes(StandardCharsets.UTF_8), limits));
            mode.send(client, post("/chat", ASKED), BodyHandlers.ofString());
            assertThat(requests.settled()).hasSize(i).containsOnly(COST);
        }
        assertThat(requests.admitted().get(0)).isEqualTo(Cost.ONE);
        assertThat(requests.admitted().get(1).has(Quota.TOKENS)).isTrue();
    }

    /** The caller's subscriber is the one that the wrapped client gets: nothing stands between them. */
    @Test
    void whereRequestsAreCountedBodiesAreLeftAlone() throws Exception {
        Throttle plainly = Throttle.builder().limit(Ledger.of(Quota.REQUESTS)).build();
        assertThat(onNextCallers(plainly)).noneMatch(name -> name.startsWith("dev.throttle"));
        assertThat(onNextCallers(throttle)).contains(CostTee.class.getName());
    }

    /** Who stands between the wrapped client and the caller's subscriber. */
    private List<String> onNextCallers(Throttle chosen) throws Exception {
        server.then(json(ANSWER));
        Watching watching = new Watching();
        HttpResponse<String> response = client(chosen).send(get(), watching);
        assertThat(response.body()).isEqualTo(ANSWER);
        // Up to the client: it may read a body on the thread that sends, below which there are frames of ours.
        return watching.callers.stream()
                .takeWhile(name -> !name.startsWith("jdk.internal.net.http"))
                .toList();
    }

    private static final class Watching implements BodyHandler<String> {

        private volatile List<String> callers = List.of();

        @Override
        public BodySubscriber<String> apply(HttpResponse.ResponseInfo info) {
            BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
            return new BodySubscriber<>() {
                @Override
                public java.util.concurrent.CompletionStage<String> getBody() {
                    return text.getBody();
                }

                @Override
                public void onSubscribe(Subscription subscription) {
                    text.onSubscribe(subscription);
                }

                @Override
                public void onNext(List<ByteBuffer> buffers) {
                    callers = StackWalker.getInstance()
                            .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                                    .filter(name -> !name.startsWith(Watching.class.getName()))
                                    .toList());
                    text.onNext(buffers);
                }

                @Override
                public void onError(Throwable failure) {
                    text.onError(failure);
                }

                @Override
                public void onComplete() {
                    text.onComplete();
                }
            };
        }
    }

    /** A bucket of 1,000 tokens, 100 a second: what it costs in truth is what takes time, whatever was estimated. */
    @Test
    void tooLittleIsOwedAndTooMuchComesBack() throws Exception {
        for (long actual : new long[] {600, 30}) {
            VirtualTime time = VirtualTime.autoAdvancing();
            Throttle limited = Throttle.builder()
                    .time(time)
                    .limit(Strategies.tokenBucket()
                            .unit(Quota.TOKENS)
                            .rate(100, Duration.ofSeconds(1))
                            .burst(1000)
                            .build())
                    .build();
            long begin = time.nanoTime();
            int calls = 50;
            for (int i = 0; i < calls; i++) {
                server.then(json(answer(actual)));
                client(limited).send(post("/chat", ASKED), BodyHandlers.ofString());
            }
            double seconds = (time.nanoTime() - begin) / 1e9;
            double needed = ((calls - 1) * actual - 1000) / 100.0;
            assertThat(seconds).isBetween(needed, needed + 10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQuotaAndARefusalThatOnlyBodiesTellAreHeard(Mode mode) throws Exception {
        VirtualTime time = new VirtualTime();
        Throttle standard =
                Throttle.builder().time(time).retryAfterJitter(0, Duration.ZERO).build();
        server.then(json("{\"errors\":[{\"extensions\":{\"code\":\"THROTTLED\"}}],\"extensions\":{\"cost\":"
                + "{\"requestedQueryCost\":100,\"actualQueryCost\":0,\"throttleStatus\":{\"maximumAvailable\":1000.0,"
                + "\"currentlyAvailable\":20,\"restoreRate\":50.0}}}}"));
        mode.send(client(standard), post("/graphql", "{}"), BodyHandlers.ofString());
        assertThat(standard.snapshot().blocked()).isEqualTo(Duration.ofMillis(1600));
        assertThat(standard.snapshot().quotas()).extracting(Quota::unit).containsExactly(Quota.POINTS);
    }
}
