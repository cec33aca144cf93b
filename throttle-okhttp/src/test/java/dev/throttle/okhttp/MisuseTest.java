package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that is set up wrongly says so in the log, once. */
class MisuseTest extends LoopbackTest {

    private static final Logger LOG = Logger.getLogger("dev.throttle.Throttle");

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final ThrottleRegistry throttles = throttle().build();
    private final ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
            warnings.add(logRecord.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOG.addHandler(handler);
        LOG.setUseParentHandlers(false);
        answerAlways(200);
    }

    @AfterEach
    void listenNoMore() {
        LOG.removeHandler(handler);
        LOG.setUseParentHandlers(true);
    }

    private void call(OkHttpClient client, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(statusOf(client.newCall(get("/")))).isEqualTo(200);
        }
    }

    @Test
    void aClientThatIsSetUpAsDocumentedIsNotWarnedOf() throws Exception {
        OkHttpClient client = throttled(plain(), throttling);
        call(client, 2);
        assertThat(statusOf(throttling.callFactory(client).newCall(get("/")))).isEqualTo(200);
        assertThat(statusOf(throttling.callFactory(plain()).newCall(get("/")))).isEqualTo(200);
        assertThat(warnings).isEmpty();
    }

    @Test
    void aMissingObserverIsToldOnce() throws Exception {
        call(plain().newBuilder().addInterceptor(throttling).build(), 3);
        assertThat(warnings).singleElement().asString().contains("observer() with addNetworkInterceptor");
    }

    @Test
    void nothingIsSaidWhereTheClientHasNoPlaceForTheObserver() throws Exception {
        ThrottlingInterceptor alone = throttling.withoutObserver();
        call(plain().newBuilder().addInterceptor(alone).build(), 3);
        assertThat(warnings).isEmpty();
        assertThat(alone.throttles()).isSameAs(throttling.throttles());
    }

    @Test
    void anInterceptorThatWasAddedTwiceIsToldOnce() throws Exception {
        call(throttled(throttled(plain(), throttling), throttling), 3);
        assertThat(warnings).singleElement().asString().contains("added to an OkHttpClient twice");
    }

    @Test
    void twoSetsOfThrottlesWithTheSameKeyAreToldOnce() throws Exception {
        OkHttpClient client = throttled(plain(), throttling);
        ThrottleRegistry others = throttle().build();
        call(throttled(client, ThrottlingInterceptor.create(others)), 2);
        assertThat(warnings).singleElement().asString().contains("two sets of throttles with the same key");
        warnings.clear();
        ThrottlingInterceptor perAccount = ThrottlingInterceptor.builder(others)
                .keyResolver(request -> "account")
                .build();
        call(throttled(client, perAccount), 2);
        assertThat(warnings).isEmpty();
    }

    @Test
    void anInterceptorOnTheWrongListFailsTheCallAndIsToldOnce() {
        OkHttpClient swapped =
                plain().newBuilder().addNetworkInterceptor(throttling).build();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> statusOf(swapped.newCall(get("/")))).hasMessageContaining("addInterceptor");
        }
        assertThat(warnings).singleElement().asString().contains("addInterceptor");
        OkHttpClient observed =
                plain().newBuilder().addInterceptor(throttling.observer()).build();
        assertThatThrownBy(() -> statusOf(observed.newCall(get("/")))).hasMessageContaining("addNetworkInterceptor");
        assertThat(warnings).hasSize(2).last().asString().contains("addNetworkInterceptor");
    }

    @Test
    void aWebSocketHasNoObserverAndIsNotWarnedOf() throws Exception {
        CompletableFuture<Integer> opened = new CompletableFuture<>();
        WebSocketListener quiet = new WebSocketListener() {
            @Override
            public void onOpen(WebSocket webSocket, Response response) {
                opened.complete(response.code());
            }

            @Override
            public void onFailure(WebSocket webSocket, Throwable t, Response response) {
                opened.completeExceptionally(t);
            }
        };
        answer(request -> new MockResponse.Builder()
                .webSocketUpgrade(new WebSocketListener() {})
                .build());
        WebSocket socket = throttled(plain(), throttling).newWebSocket(get("/"), quiet);
        assertThat(opened.get(20, TimeUnit.SECONDS)).isEqualTo(101);
        assertThat(warnings).isEmpty();
        socket.cancel();
    }
}
