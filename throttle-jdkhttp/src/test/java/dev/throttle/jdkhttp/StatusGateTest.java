package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which response the caller's handler sees, and what becomes of the others. */
class StatusGateTest {

    private final List<Integer> seen = new CopyOnWriteArrayList<>();
    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));

    private <T> BodyHandler<T> seeing(BodyHandler<T> handler) {
        return info -> {
            seen.add(info.statusCode());
            return handler.apply(info);
        };
    }

    private HttpClient client() {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(throttle)
                .build();
    }

    private static HttpRequest get(ScriptedServer server) {
        return HttpRequest.newBuilder(server.uri()).build();
    }

    @ParameterizedTest
    @EnumSource
    void theHandlerSeesTheAcceptedResponseAndNoRefusal(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 1000), Reply.of(429, 1000))) {
            HttpResponse<String> response = mode.send(client(), get(server), seeing(BodyHandlers.ofString()));
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("{}");
            assertThat(seen).containsExactly(200);
            assertThat(server.hits()).isEqualTo(3);
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(2);
            assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLastRefusalIsHandedOverWhole(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(
                Reply.of(503, 1000), Reply.of(503, 1000), Reply.of(503, 1000).with("Reason", "tired"))) {
            HttpResponse<String> response = mode.send(client(), get(server), seeing(BodyHandlers.ofString()));
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("Reason")).hasValue("tired");
            assertThat(response.body()).hasSize(1000);
            assertThat(seen).containsExactly(503);
            assertThat(server.hits()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQuotaRefusalThatIsNotRepeatedIsHandedOverWhole(Mode mode) throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(Reply.of(429, 1000).with(TestThrottles.CLOSE_MILLIS, "3600000"))) {
            HttpClient once = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttle(throttle)
                    .options(CallOptions.DEFAULT.maxAttempts(1))
                    .build();
            HttpResponse<String> response = mode.send(once, get(server), seeing(BodyHandlers.ofString()));
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.body()).hasSize(1000);
            assertThat(seen).containsExactly(429);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQuotaRefusalThatCannotBeWaitedOutIsARejectionAndTheHandlerDoesNotSeeIt(Mode mode) throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(Reply.of(429, 1000).with(TestThrottles.CLOSE_MILLIS, "3600000"))) {
            assertThatThrownBy(() -> mode.send(client(), get(server), seeing(BodyHandlers.ofString())))
                    .isInstanceOf(ThrottleRejectedException.class);
            assertThat(seen).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void smallRefusalsCostNoConnection(Mode mode) throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(Reply.of(429, 1000), Reply.of(429, 60_000), Reply.of(429, 1000))) {
            assertThat(mode.send(client(), get(server), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            assertThat(server.hits()).isEqualTo(4);
            assertThat(new HashSet<>(server.clientPorts)).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void longRefusalsAreNotReadToTheEnd(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 5_000_000), Reply.of(429, 5_000_000))) {
            assertThat(mode.send(client(), get(server), seeing(BodyHandlers.ofString()))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(seen).containsExactly(200);
            assertThat(new HashSet<>(server.clientPorts)).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFileHoldsExactlyTheFinalBody(Mode mode, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("body");
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, "<html>slow down</html>"))) {
            mode.send(client(), get(server), BodyHandlers.ofFile(file));
            assertThat(Files.readString(file)).isEqualTo("{}");
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusalsWithoutABodyAreRepeatedToo(Mode mode) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 0), Reply.of(429, 0))) {
            HttpRequest head = HttpRequest.newBuilder(server.uri())
                    .method("HEAD", HttpRequest.BodyPublishers.noBody())
                    .build();
            HttpResponse<String> response = mode.send(client(), head, seeing(BodyHandlers.ofString()));
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(seen).containsExactly(200);
            assertThat(server.hits()).isEqualTo(3);
        }
        seen.clear();
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 0))) {
            assertThat(mode.send(client(), get(server), seeing(BodyHandlers.ofString()))
                            .body())
                    .isEqualTo("{}");
            assertThat(seen).containsExactly(200);
        }
    }
}
