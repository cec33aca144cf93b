package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.EquivalenceRows.late;
import static dev.throttle.fixtures.EquivalenceRows.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.fixtures.EquivalenceRow;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;

/** Rows about what goes wrong, and about futures that end early. */
final class EquivalenceEndings {

    private static final Duration SHORT = Duration.ofMillis(50);

    private EquivalenceEndings() {}

    static void addFaults(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("connection that is closed at once", scene -> {
            MockResponse closed = new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseSocket())
                    .build();
            scene.answer(closed, closed, closed);
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("answer that is not in time", scene -> {
            scene.answer(late());
            scene.call(scene.request().timeout(SHORT).build());
            scene.ignoreServer();
        }));
        rows.add(new EquivalenceRow<>("no HTTP", scene -> {
            scene.answer(new MockResponse.Builder().status("BANG 1 2 3").build());
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("nobody listens", scene -> {
            int port;
            try (ServerSocket socket = new ServerSocket(0)) {
                port = socket.getLocalPort();
            }
            scene.call(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                    .build());
        }));
        rows.add(new EquivalenceRow<>(
                "unknown host",
                scene -> scene.call(HttpRequest.newBuilder(URI.create("http://unknown.invalid/"))
                        .build())));
        rows.add(new EquivalenceRow<>("no request", scene -> scene.call(null, BodyHandlers.ofString())));
        rows.add(new EquivalenceRow<>(
                "no handler", scene -> scene.call(scene.request().build(), null)));
        rows.add(new EquivalenceRow<>("interrupted before", scene -> {
            if (!scene.isAsync()) {
                Thread.currentThread().interrupt();
            }
            scene.answer(response(200, "ok"));
            scene.get();
            scene.ignoreServer();
        }));
        rows.add(new EquivalenceRow<>("the settings that it shows", scene -> {
            scene.client(client -> client.connectTimeout(Duration.ofSeconds(7)).followRedirects(Redirect.ALWAYS));
            HttpClient client = scene.client();
            scene.log(client.connectTimeout() + " " + client.followRedirects() + " " + client.version() + " "
                    + client.cookieHandler() + client.proxy() + client.authenticator() + client.executor() + " "
                    + client.sslParameters().getProtocols().length);
        }));
    }

    static void addFutures(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("future that is cancelled", scene -> {
            scene.answer(late());
            CompletableFuture<?> future =
                    scene.client().sendAsync(scene.request().build(), BodyHandlers.ofString());
            future.cancel(true);
            // The JDK cancels its exchange first, whose end may complete the future before it is cancelled itself.
            assertThatThrownBy(future::join)
                    .satisfiesAnyOf(
                            e -> assertThat(e).isInstanceOf(CancellationException.class),
                            e -> assertThat(e).hasCauseInstanceOf(CancellationException.class));
            scene.log("state " + future.isDone() + future.isCompletedExceptionally());
            scene.ignoreServer();
        }));
        addFuture(rows, "cancelled without interrupting", future -> future.cancel(false));
        addFuture(rows, "completed by its caller", future -> future.complete(null));
        addFuture(
                rows,
                "failed by its caller",
                future -> future.completeExceptionally(new IllegalStateException("mine")));
        addFuture(rows, "given less time", future -> future.orTimeout(1, TimeUnit.MILLISECONDS));
        rows.add(new EquivalenceRow<>("future on which another depends", scene -> {
            scene.answer(response(200, "ok"));
            CompletableFuture<Integer> length = scene.client()
                    .sendAsync(scene.request().build(), BodyHandlers.ofString())
                    .thenApply(HttpResponse::body)
                    .thenApply(String::length);
            scene.log("length " + length.join() + length.isCancelled());
        }));
    }

    private static void addFuture(
            List<EquivalenceRow<EquivalenceScene>> rows, String name, Consumer<CompletableFuture<?>> deed) {
        rows.add(new EquivalenceRow<>("future that is " + name, scene -> {
            scene.answer(late());
            CompletableFuture<?> future =
                    scene.client().sendAsync(scene.request().build(), BodyHandlers.ofString());
            deed.accept(future);
            try {
                scene.log("result " + future.join());
            } catch (CompletionException e) {
                scene.failed(e);
            } catch (RuntimeException e) {
                scene.failed(e);
            }
            scene.log("state " + future.isDone() + future.isCancelled() + future.isCompletedExceptionally());
            scene.ignoreServer();
        }));
    }
}
