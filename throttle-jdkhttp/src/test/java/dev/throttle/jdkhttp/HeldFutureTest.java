package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cache may hold the future of a call, or a stage that depends on it, long after the call. */
class HeldFutureTest {

    /** How a call is sent. */
    enum Way {
        ANSWERED {
            @Override
            CallOptions options() {
                return CallOptions.DEFAULT;
            }
        },
        REPEATED {
            @Override
            CallOptions options() {
                return CallOptions.DEFAULT;
            }
        },
        EXEMPT {
            @Override
            CallOptions options() {
                return CallOptions.exempt();
            }
        };

        abstract CallOptions options();
    }

    /** A call that has ended; nothing of it is on any stack. */
    private record Ended(CompletableFuture<?> future, CompletableFuture<?> stage, List<WeakReference<?>> parts) {}

    private static Ended call(Way way) throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            if (way == Way.REPEATED) {
                server.then(Reply.of(429, 10));
            }
            HttpClient delegate = HttpClient.newHttpClient();
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(delegate)
                    .throttle(TestThrottles.throttle(Duration.ofMillis(1)))
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<HttpResponse<byte[]>> future =
                    client.sendAsync(request, way.options(), BodyHandlers.ofByteArray());
            CompletableFuture<Integer> stage = future.thenApply(HttpResponse::statusCode);
            assertThat(stage.join()).isEqualTo(200);
            return new Ended(
                    future,
                    stage,
                    List.of(
                            new WeakReference<>(client),
                            new WeakReference<>(delegate),
                            new WeakReference<>(future.join().body()),
                            new WeakReference<>(request)));
        }
    }

    private static void assertCollected(List<WeakReference<?>> parts) {
        await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
            System.gc();
            assertThat(parts).filteredOn(part -> part.get() != null).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aStageKeepsNothingOfItsCall(Way way) throws Exception {
        Ended ended = call(way);
        CompletableFuture<?> stage = ended.stage();
        List<WeakReference<?>> parts = ended.parts();
        ended = null;
        assertCollected(parts);
        Reference.reachabilityFence(stage);
    }

    /** It keeps the response, of course, and what that consists of. */
    @ParameterizedTest
    @EnumSource
    void aFutureKeepsNoClient(Way way) throws Exception {
        Ended ended = call(way);
        assertCollected(ended.parts().subList(0, 2));
        Reference.reachabilityFence(ended.future());
    }
}
