package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockResponseBody;
import mockwebserver3.SocketEffect;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A look at a body holds no response up for long, and changes nothing of what the caller meets. */
class BodyPeekTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();

    /** A refusal of whose body only the first half comes before the test says so. */
    private static MockResponse half(CountDownLatch rest) {
        return new MockResponse.Builder()
                .code(403)
                .body(new MockResponseBody() {
                    @Override
                    public long getContentLength() {
                        return 10;
                    }

                    @Override
                    public void writeTo(BufferedSink sink) throws IOException {
                        sink.writeUtf8("01234");
                        sink.flush();
                        try {
                            assertThat(rest.await(20, TimeUnit.SECONDS)).isTrue();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        sink.writeUtf8("56789");
                        sink.flush(); // the server of OkHttp 5.4 does not
                    }
                })
                .build();
    }

    @Tag(NEEDS_OKHTTP5)
    @ParameterizedTest
    @EnumSource(names = {"INTERCEPTOR_AND_OBSERVER", "FACTORY_ENQUEUE"})
    void aBodyThatDoesNotComeHoldsItsResponseBackForASecondOrSo(RefusalTest.Door door) throws IOException {
        OkHttpClient patient = plain().newBuilder().readTimeout(Duration.ZERO).build();
        CountDownLatch rest = new CountDownLatch(1);
        server.enqueue(half(rest));
        try (Response response = door.execute(patient, throttles, get("/"))) { // while the rest is still to come
            assertThat(response.code()).isEqualTo(403);
            assertThat(response.body().contentLength()).isEqualTo(10);
            assertIdle(throttles);
            rest.countDown();
            assertThat(response.body().string()).isEqualTo("0123456789");
        }
    }

    private record Ending(Throwable thrown, IOException event) {}

    private Ending endingOf(OkHttpClient client) throws Exception {
        server.enqueue(new MockResponse.Builder()
                .code(403)
                .body("0123456789")
                .onResponseBody(SocketEffect.Stall.INSTANCE)
                .build());
        CompletableFuture<IOException> failed = new CompletableFuture<>();
        Call call = client.newCall(get("/"));
        call.addEventListener(new EventListener() {
            @Override
            public void responseFailed(Call c, IOException e) {
                failed.complete(e);
            }
        });
        try (Response response = call.execute()) {
            assertThat(response.code()).isEqualTo(403);
            IOException thrown = catchThrowableOfType(
                    IOException.class, () -> response.body().string());
            return new Ending(thrown, failed.get(20, TimeUnit.SECONDS));
        }
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void theCallerMeetsTheExceptionThatTheBareClientThrows() throws Exception {
        OkHttpClient impatient = plain().newBuilder()
                .addNetworkInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    response.body().source().timeout().timeout(200, TimeUnit.MILLISECONDS); // and not for the head
                    return response;
                })
                .build();
        Ending bare = endingOf(impatient);
        Ending throttled = endingOf(throttled(impatient, ThrottlingInterceptor.create(throttles)));
        assertThat(throttled.thrown)
                .isInstanceOf(SocketTimeoutException.class)
                .hasSameClassAs(bare.thrown); // its text depends on which of two time-outs of OkHttp's is first
        assertThat(throttled.event).isSameAs(throttled.thrown);
        assertThat(bare.event).isSameAs(bare.thrown);
    }

    @Tag(NEEDS_OKHTTP5)
    @ParameterizedTest
    @EnumSource
    void aCallThatIsAboutToTimeOutGetsItsResponseAsFromTheBareClient(RefusalTest.Door door) throws IOException {
        OkHttpClient hurried = plain().newBuilder()
                .callTimeout(Duration.ofMillis(900)) // less than the longest look
                .build();
        server.enqueue(status(200));
        assertThat(statusOf(hurried.newCall(get("/")))).isEqualTo(200); // which leaves a connection behind
        CountDownLatch rest = new CountDownLatch(1);
        server.enqueue(half(rest));
        try (Response response = door.execute(hurried, throttles, get("/"))) {
            assertThat(response.code()).isEqualTo(403);
            assertThatThrownBy(() -> response.body().string()).isInstanceOf(IOException.class);
        } finally {
            rest.countDown();
        }
        assertIdle(throttles);
    }

    @Tag(NEEDS_OKHTTP5)
    @Test
    void aBodyThatIsClosedWhileItIsLookedAtFreesItsConnection() throws IOException {
        CountDownLatch rest = new CountDownLatch(1);
        server.enqueue(half(rest));
        OkHttpClient client = throttled(throttles);
        client.newCall(get("/")).execute().close();
        rest.countDown();
        awaitThat(() -> client.connectionPool().connectionCount()
                == client.connectionPool().idleConnectionCount());
    }

    /** As with the bare client: whoever closes a body gives its connection up, if the rest does not come. */
    @Tag(NEEDS_OKHTTP5)
    @ParameterizedTest
    @EnumSource(names = {"INTERCEPTOR_AND_OBSERVER", "FACTORY_ENQUEUE", "FACTORY_EXECUTE"})
    void aBodyThatIsClosedAndNeverEndsHoldsNoConnection(RefusalTest.Door door) throws IOException {
        OkHttpClient patient = plain().newBuilder().readTimeout(Duration.ZERO).build();
        CountDownLatch rest = new CountDownLatch(1);
        server.enqueue(half(rest));
        try {
            door.execute(patient, throttles, get("/")).close(); // while the rest is still to come
            awaitThat(() -> patient.connectionPool().connectionCount() == 0);
        } finally {
            rest.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anErrorOfAClassifierIsLoggedAndKeepsNoPermit(RefusalTest.Door door) throws IOException {
        for (boolean isAtFirst : new boolean[] {true, false}) {
            ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                    .bodyClassifier(new BodyClassifier() {
                        @Override
                        public boolean needsBody(ResponseHead response, Signal signal) {
                            if (isAtFirst) {
                                throw new StackOverflowError("needsBody");
                            }
                            return true;
                        }

                        @Override
                        public @Nullable Signal classify(ResponseHead response, Signal signal, String start) {
                            throw new StackOverflowError("classify");
                        }
                    })
                    .build();
            server.enqueue(new MockResponse.Builder().code(200).body("whole").build());
            try (Response response = door.execute(door.call(plain(), throttling, get("/")))) {
                assertThat(response.body().string()).isEqualTo("whole");
            }
        }
        assertIdle(throttles);
        assertThat(throttles.get(keyOf(get("/"))).count(Outcome.SUCCESS)).isEqualTo(2);
    }
}
