package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.control.Strategies;
import dev.throttle.okhttp.RefusalTest.Door;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.MockResponse;
import okhttp3.Cache;
import okhttp3.CacheControl;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which responses are read, and for whom. */
class SignalReadingTest extends LoopbackTest {

    private static final String REMAINING = "Test-Remaining";

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry throttles = heard().build();

    private ThrottleRegistry.Builder heard() {
        return throttle().listener(new ThrottleListener() {
            @Override
            public void onSignal(Source throttle, Signal signal) {
                Quota quota = signal.hints().scarcest();
                heard.add(throttle.key().replaceAll("http://|:\\d+", "") + " " + signal.outcome()
                        + (quota == null ? "" : " " + quota.remaining()));
            }
        });
    }

    private OkHttpClient caching = plain();

    @BeforeEach
    void addCache(@TempDir Path folder) {
        File directory = folder.toFile();
        caching = plain().newBuilder().cache(new Cache(directory, 1 << 20)).build();
    }

    private static MockResponse cacheable() {
        return status(200)
                .newBuilder()
                .addHeader("Cache-Control", "max-age=60")
                .addHeader(REMAINING, 0)
                .body("stored")
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void whatTheCacheAnswersIsNeitherReadNorCharged(Door door) throws IOException {
        ThrottleRegistry still = heard().time(time).build(); // in which no permit grows old
        server.enqueue(cacheable());
        assertThat(door.status(caching, still, get("/"))).isEqualTo(200);
        assertThat(door.status(caching, still, get("/"))).isEqualTo(200);
        assertThat(server.getRequestCount()).isEqualTo(1);
        Throttle throttle = still.get(keyOf(get("/")));
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(1);
        assertThat(heard).containsOnlyOnce("localhost SUCCESS 0");
        assertIdle(still);
    }

    @ParameterizedTest
    @EnumSource
    void aCacheHitGivesItsPermitToTheNext(Door door) throws IOException {
        Duration interval = Duration.ofMillis(900);
        ThrottleRegistry paced =
                throttle().time(time).strategy(new TestPace(interval)).build();
        server.enqueue(cacheable());
        assertThat(door.status(caching, paced, get("/"))).isEqualTo(200);
        long start = time.nanoTime();
        // It waits for its permit, and gives it back.
        CompletableFuture<Object> hit = outcomeOf(() -> door.status(caching, paced, get("/")));
        assertThat(time.await(hit)).isEqualTo(200);
        server.enqueue(status(200));
        assertThat(door.status(caching, paced, get("/other"))).isEqualTo(200);
        assertThat(time.nanoTime() - start).isEqualTo(interval.toNanos()); // and not two
    }

    @ParameterizedTest
    @EnumSource
    void aRevalidationIsReadFromTheWireAndNotFromTheCache(Door door) throws IOException {
        server.enqueue(status(200)
                .newBuilder()
                .addHeader("ETag", "\"1\"")
                .addHeader("Cache-Control", "max-age=0")
                .addHeader(REMAINING, 0)
                .body("stored")
                .build());
        server.enqueue(status(304));
        server.enqueue(status(304).newBuilder().addHeader(REMAINING, 7).build());
        assertThat(door.status(caching, throttles, get("/"))).isEqualTo(200);
        heard.clear();
        assertThat(door.status(caching, throttles, get("/"))).isEqualTo(200);
        assertThat(heard).isEmpty();
        assertThat(door.status(caching, throttles, get("/"))).isEqualTo(200);
        assertThat(heard).containsExactly("localhost SUCCESS 7");
        assertThat(server.getRequestCount()).isEqualTo(3);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.SUCCESS)).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void aForcedCacheMissIsNoRefusalAndCostsNothing(Door door) throws IOException {
        ThrottleRegistry strict = throttle()
                .time(time) // in which no permit grows old
                .classifier((response, hints) -> response.status() == 504 ? Outcome.BUSY : Outcome.SUCCESS)
                .build();
        Request request =
                get("/").newBuilder().cacheControl(CacheControl.FORCE_CACHE).build();
        assertThat(door.status(caching, strict, request)).isEqualTo(504);
        Throttle throttle = strict.get(keyOf(request));
        assertThat(throttle.count(Outcome.BUSY)).isZero();
        assertThat(throttle.count(Outcome.IGNORED)).isEqualTo(1);
        assertThat(server.getRequestCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void eachHopOfARedirectIsReadForItsOwnKey(Door door) throws IOException {
        Request request = getFrom("a.test", "/from");
        Request target = getFrom("b.test", "/to");
        MockResponse redirect = status(302)
                .newBuilder()
                .addHeader("Location", target.url())
                .addHeader(REMAINING, 7)
                .build();
        server.enqueue(redirect);
        server.enqueue(refusal(429, 150));
        server.enqueue(redirect);
        server.enqueue(status(200));
        long start = System.nanoTime();
        assertThat(door.status(plain(), throttles, request)).isEqualTo(200);
        assertThat(since(start)).isGreaterThan(Duration.ofMillis(150)); // waited for b before it asked a again
        assertThat(server.getRequestCount()).isEqualTo(4);
        assertThat(heard).contains("a.test SUCCESS 7", "b.test RATE_LIMITED").doesNotContain("a.test RATE_LIMITED");
        assertThat(throttles.get(keyOf(request)).count(Outcome.SUCCESS)).isEqualTo(2);
        ThrottleSnapshot b = throttles.get(keyOf(target)).snapshot();
        assertThat(b.outcomes()).containsEntry(Outcome.RATE_LIMITED, 1L).containsEntry(Outcome.SUCCESS, 1L);
        assertIdle(throttles);
    }

    @ParameterizedTest
    @EnumSource
    void theRefusalOfARedirectBlocksItsOwnHostOnly(Door door) throws IOException {
        Request request = getFrom("a.test", "/from");
        Request target = getFrom("b.test", "/to");
        ThrottleRegistry impatient =
                throttle().time(time).maxWait(Duration.ofSeconds(1)).build();
        server.enqueue(
                status(302).newBuilder().addHeader("Location", target.url()).build());
        server.enqueue(refusal(429, 5_000));
        assertThatThrownBy(() -> door.status(plain(), impatient, request))
                .isInstanceOf(ThrottleRejectedException.class);
        assertThat(impatient.get(keyOf(request)).snapshot().blocked()).isZero();
        assertThat(impatient.get(keyOf(target)).snapshot().blocked()).isEqualTo(Duration.ofSeconds(5));
    }

    private static final BodyClassifier SLOW_DOWN = new BodyClassifier() {
        @Override
        public boolean needsBody(ResponseHead response, Signal signal) {
            return response.status() == 403;
        }

        @Override
        public Signal classify(ResponseHead response, Signal signal, String start) {
            return start.contains("slow down")
                    ? new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMillis(100), List.of()))
                    : null;
        }
    };

    private static MockResponse forbidden(String text) {
        Buffer zipped = new Buffer();
        try (BufferedSink sink = Okio.buffer(new GzipSink(zipped))) {
            sink.writeUtf8(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return status(403)
                .newBuilder()
                .addHeader("Content-Encoding", "gzip")
                .body(zipped)
                .build();
    }

    @Test
    void aRefusalThatOnlyTheBodyTellsIsSeenThroughEachDoorAndTheBodyIsLeft() throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .bodyClassifier(SLOW_DOWN)
                .build();
        OkHttpClient alone = plain().newBuilder().addInterceptor(throttling).build();
        ThrottlingCallFactory factory =
                throttling.callFactory(plain()).newBuilder().build();
        String harmless = "you may not ".repeat(2000);
        int refused = 0;
        for (Call.Factory calls : List.of(alone, throttled(plain(), throttling), factory)) {
            for (Door door : List.of(Door.FACTORY_EXECUTE, Door.FACTORY_ENQUEUE)) {
                server.enqueue(forbidden("please slow down"));
                server.enqueue(forbidden(harmless));
                long start = System.nanoTime();
                try (Response response = door.execute(calls.newCall(get("/")))) {
                    assertThat(response.code()).isEqualTo(403);
                    assertThat(response.body().string()).isEqualTo(harmless);
                }
                assertThat(since(start)).isGreaterThan(Duration.ofMillis(100));
                assertThat(throttles.get(keyOf(get("/"))).count(Outcome.RATE_LIMITED))
                        .isEqualTo(++refused);
            }
        }
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.SUCCESS)).isEqualTo(refused);
        assertIdle(throttles);
    }

    @Test
    void gitHubsSecondaryLimitIsKnownByDefault() throws IOException {
        server.enqueue(forbidden("{\"message\":\"You have exceeded a secondary rate limit\"}"));
        ThrottleRegistry impatient = throttle().maxWait(Duration.ofSeconds(5)).build();
        assertThatThrownBy(() -> throttled(impatient).newCall(get("/")).execute())
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.lastStatus()).isEqualTo(403));
        assertThat(impatient.get(keyOf(get("/"))).snapshot().blocked()).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void theSleepOfTheThrottleFollowsTheHeadersThatOkHttpDelivers() throws IOException {
        ThrottleRegistry sleeping = throttle()
                .strategy(Strategies.exponentialIncreaseProportionalRemainingDecrease()
                        .minSleep(Duration.ofMillis(20))
                        .decreaseDivisor(100)
                        .jitter(0)
                        .build())
                .build();
        server.enqueue(status(429));
        server.enqueue(status(200).newBuilder().addHeader(REMAINING, 50).build());
        assertThat(statusOf(throttled(sleeping).newCall(get("/")))).isEqualTo(200);
        // 20 ms, times 1.2 after the retry's sleep, less a half.
        assertThat(sleeping.get(keyOf(get("/"))).snapshot().sleep()).isEqualTo(Duration.ofMillis(12));
    }
}
