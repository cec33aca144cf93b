package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.BodyCosts;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Test;

/** The end of a body is heard while the caller reads it, who notices nothing. */
class CostTeeTest extends LoopbackTest {

    private static final String USAGE =
            "\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29}}";
    private static final String ANSWER = "{\"text\":\"" + "Größe 日本 ".repeat(20_000) + "\"," + USAGE;
    private static final Cost COST =
            Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);

    private final List<BodyReport> heard = new CopyOnWriteArrayList<>();

    private OkHttpClient listening(Consumer<BodyReport> reports) {
        return plain().newBuilder()
                .addInterceptor(chain -> {
                    Response response = chain.proceed(chain.request());
                    BodyCosts costs = BodyCosts.of(new OkHttpHead(response), TimeSource.system(), reports);
                    return costs == null ? response : CostTee.listen(response, costs);
                })
                .build();
    }

    private static MockResponse json(String body) {
        return status(200)
                .newBuilder()
                .addHeader("Content-Type", "application/json")
                .body(body)
                .build();
    }

    private static Buffer gzip(String text) throws IOException {
        Buffer zipped = new Buffer();
        try (BufferedSink sink = Okio.buffer(new GzipSink(zipped))) {
            sink.writeUtf8(text);
        }
        return zipped;
    }

    @Test
    void theCallerGetsTheWholeBodyAndTheCostIsHeardOnce() throws IOException {
        server.enqueue(json(ANSWER));
        server.enqueue(json("").newBuilder().chunkedBody(ANSWER, 1000).build());
        server.enqueue(json("").newBuilder()
                .addHeader("Content-Encoding", "gzip")
                .body(gzip(ANSWER))
                .build());
        for (int i = 1; i <= 3; i++) {
            try (Response response = listening(heard::add).newCall(get("/")).execute()) {
                assertThat(response.body().string()).isEqualTo(ANSWER);
            }
            assertThat(heard).hasSize(i).extracting(BodyReport::cost).containsOnly(COST);
        }
    }

    @Test
    void whatTheCallerHasUnpackedItselfIsUnpackedForTheLookToo() throws IOException {
        Buffer zipped = gzip(ANSWER);
        server.enqueue(json("").newBuilder()
                .addHeader("Content-Encoding", "gzip")
                .body(zipped.clone())
                .build());
        Request request =
                get("/").newBuilder().header("Accept-Encoding", "gzip").build();
        try (Response response = listening(heard::add).newCall(request).execute()) {
            assertThat(response.body().byteString()).isEqualTo(zipped.readByteString());
        }
        assertThat(heard).extracting(BodyReport::cost).containsExactly(COST);
    }

    @Test
    void nothingIsHeardOfOtherBodies() throws IOException {
        server.enqueue(json(ANSWER).newBuilder().code(400).build());
        server.enqueue(json(ANSWER)
                .newBuilder()
                .setHeader("Content-Type", "text/plain")
                .build());
        server.enqueue(json("{\"text\":\"no usage\"}"));
        for (int i = 0; i < 3; i++) {
            try (Response response = listening(heard::add).newCall(get("/")).execute()) {
                assertThat(response.body().string()).isNotEmpty();
            }
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void aBodyThatBreaksBreaksForTheCallerAsItWould() throws IOException {
        server.enqueue(json(ANSWER)
                .newBuilder()
                .onResponseBody(new SocketEffect.CloseSocket())
                .build());
        try (Response response = listening(heard::add).newCall(get("/")).execute()) {
            assertThatThrownBy(() -> response.body().string()).isInstanceOf(IOException.class);
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void whoHearsOfItCannotHarmTheCall() throws IOException {
        server.enqueue(json(ANSWER));
        Consumer<BodyReport> broken = report -> {
            throw new IllegalStateException("test");
        };
        try (Response response = listening(broken).newCall(get("/")).execute()) {
            assertThat(response.body().string()).isEqualTo(ANSWER);
        }
    }

    /** The server goes on only when the caller has read the first event. */
    @Test
    void aStreamIsNotDelayedAndIsHeardWhenItIsClosedBeforeItsEnd() throws Exception {
        CountDownLatch isRead = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Boolean> served = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = listener.accept()) {
                    OutputStream out = socket.getOutputStream();
                    send(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"text\":\"Hi\"}\n\n");
                    boolean wasRead = isRead.await(20, TimeUnit.SECONDS);
                    send(out, "data: {" + USAGE + "\n\ndata: [DONE]\n\n");
                    return wasRead && isClosed.await(20, TimeUnit.SECONDS);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Request request = new Request.Builder()
                    .url("http://localhost:" + listener.getLocalPort() + "/")
                    .build();
            try (Response response = listening(heard::add).newCall(request).execute()) {
                assertThat(response.body().source().readUtf8Line()).isEqualTo("data: {\"text\":\"Hi\"}");
                isRead.countDown();
                while (!"data: [DONE]".equals(response.body().source().readUtf8Line())) {
                    assertThat(heard).isEmpty();
                }
            }
            assertThat(heard).extracting(BodyReport::cost).containsExactly(COST);
            isClosed.countDown();
            assertThat(served.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void send(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
