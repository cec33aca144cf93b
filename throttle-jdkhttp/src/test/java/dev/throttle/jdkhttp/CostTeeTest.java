package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.throttle.client.BodyCosts;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.time.TimeSource;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of a body is heard while the caller reads it, who notices nothing. */
class CostTeeTest {

    private static final String USAGE =
            "\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29}}";
    private static final String ANSWER = "{\"text\":\"" + "Größe 日本 ".repeat(20_000) + "\"," + USAGE;
    private static final Cost COST =
            Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<BodyReport> heard = new CopyOnWriteArrayList<>();

    private static <T> BodyHandler<T> listening(BodyHandler<T> handler, Consumer<BodyReport> reports) {
        return info -> {
            ResponseInfoHead head = new ResponseInfoHead("localhost", info.statusCode(), info.headers());
            BodyCosts costs = BodyCosts.of(head, TimeSource.system(), reports);
            BodySubscriber<T> target = handler.apply(info);
            return costs == null ? target : new CostTee<>(target, costs);
        };
    }

    private static Reply json(byte[] body, String... more) {
        Map<String, String> headers = more.length == 0
                ? Map.of("Content-Type", "application/json")
                : Map.of("Content-Type", "application/json", more[0], more[1]);
        return new Reply(200, body, headers);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static HttpRequest get(java.net.URI uri) {
        return HttpRequest.newBuilder(uri).build();
    }

    @ParameterizedTest
    @EnumSource
    void theCallerGetsTheWholeBodyAndTheCostIsHeardBeforeItHasIt(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(json(utf8(ANSWER)), json(utf8(ANSWER)), json(utf8(ANSWER)))) {
            HttpRequest request = get(server.uri());
            assertThat(mode.send(client, request, listening(BodyHandlers.ofString(), heard::add))
                            .body())
                    .isEqualTo(ANSWER);
            assertThat(heard).hasSize(1);
            assertThat(mode.send(client, request, listening(BodyHandlers.ofLines(), heard::add))
                            .body()
                            .toList())
                    .containsExactly(ANSWER);
            assertThat(heard).hasSize(2);
            try (InputStream in = mode.send(client, request, listening(BodyHandlers.ofInputStream(), heard::add))
                    .body()) {
                assertThat(in.readAllBytes()).isEqualTo(utf8(ANSWER));
            }
            assertThat(heard).hasSize(3).extracting(BodyReport::cost).containsOnly(COST);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPackedBodyIsUnpackedForTheLookOnly(Mode mode) throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(utf8(ANSWER));
        }
        try (ScriptedServer server = new ScriptedServer(json(packed.toByteArray(), "Content-Encoding", "gzip"))) {
            HttpResponse<byte[]> response =
                    mode.send(client, get(server.uri()), listening(BodyHandlers.ofByteArray(), heard::add));
            assertThat(response.body()).isEqualTo(packed.toByteArray());
        }
        assertThat(heard).extracting(BodyReport::cost).containsExactly(COST);
    }

    @Test
    void nothingIsHeardOfOtherBodies() throws Exception {
        Reply refusal = new Reply(400, utf8(ANSWER), Map.of("Content-Type", "application/json"));
        Reply text = new Reply(200, utf8(ANSWER), Map.of("Content-Type", "text/plain"));
        try (ScriptedServer server = new ScriptedServer(refusal, text, json(utf8("{\"text\":\"no usage\"}")))) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(get(server.uri()), listening(BodyHandlers.ofString(), heard::add))
                                .body())
                        .isNotEmpty();
            }
        }
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whoHearsOfItCannotHarmTheCall(Mode mode) throws Exception {
        Consumer<BodyReport> broken = report -> {
            throw new IllegalStateException("test");
        };
        try (ScriptedServer server = new ScriptedServer(json(utf8(ANSWER)))) {
            assertThat(mode.send(client, get(server.uri()), listening(BodyHandlers.ofString(), broken))
                            .body())
                    .isEqualTo(ANSWER);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBodyThatBreaksBreaksForTheCallerAsItWould(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"text\":");
            exchange.close();
        })) {
            assertThat(catchThrowable(
                            () -> mode.send(client, get(server.uri()), listening(BodyHandlers.ofString(), heard::add))))
                    .isInstanceOf(IOException.class);
        }
        assertThat(heard).isEmpty();
    }

    /** The server goes on only when the caller has read the first event. */
    @ParameterizedTest
    @EnumSource
    void aStreamIsNotDelayedAndIsHeardWhenItIsClosedBeforeItsEnd(Mode mode) throws Exception {
        CountDownLatch isRead = new CountDownLatch(1);
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"text\":\"Hi\"}\n\n");
            if (isRead.await(20, TimeUnit.SECONDS)) {
                exchange.send("data: {" + USAGE + "\n\ndata: [DONE]\n\n");
            }
            exchange.hang();
        })) {
            InputStream body = mode.send(client, get(server.uri()), listening(BodyHandlers.ofInputStream(), heard::add))
                    .body();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
                assertThat(lines.readLine()).isEqualTo("data: {\"text\":\"Hi\"}");
                isRead.countDown();
                String line = "";
                while (!"data: [DONE]".equals(line)) {
                    line = lines.readLine();
                }
                assertThat(heard).isEmpty();
            }
            assertThat(heard).extracting(BodyReport::cost).containsExactly(COST);
        }
    }
}
