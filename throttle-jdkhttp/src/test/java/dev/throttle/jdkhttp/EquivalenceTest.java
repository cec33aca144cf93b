package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.PasswordAuthentication;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Headers;
import okhttp3.Protocol;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row is a kind of request, made through the client as it is and through a throttling one, blocking and
 * asynchronously, where nothing is to be throttled: everything that shows of it is the same.
 */
class EquivalenceTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final int LONG_SECONDS = 20;
    private static final int MANY_REDIRECTS = 8;

    private static final HeldCertificate CERTIFICATE =
            new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();

    @TempDir
    static Path folder;

    /** What happens in a row. */
    @FunctionalInterface
    interface Play {
        void play(EquivalenceScene scene) throws Exception;
    }

    record Row(String name, Play play) {

        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aThrottlingClientDoesWhatABareOneDoes(Row row) throws Exception {
        for (boolean isAsync : new boolean[] {false, true}) {
            assertThat(play(row, true, isAsync))
                    .as("%s, asynchronous %s", row, isAsync)
                    .isEqualTo(play(row, false, isAsync));
        }
    }

    private static List<String> play(Row row, boolean isThrottled, boolean isAsync) throws Exception {
        try (EquivalenceScene scene = new EquivalenceScene(isThrottled, isAsync)) {
            row.play().play(scene);
            scene.logRequests();
            return scene.log();
        }
    }

    static Stream<Row> rows() {
        List<Row> rows = new ArrayList<>();
        addStatuses(rows);
        addHandlers(rows);
        addPublishers(rows);
        addRedirects(rows);
        addFaults(rows);
        addFutures(rows);
        addHttp2(rows);
        return rows.stream();
    }

    private static void addStatuses(List<Row> rows) {
        for (int status : new int[] {200, 201, 206, 400, 401, 402, 403, 404, 409, 418, 429, 500, 503, 529}) {
            rows.add(new Row("status " + status, scene -> {
                scene.answer(response(status, "body of " + status));
                scene.get();
            }));
        }
        for (int status : new int[] {204, 304}) {
            rows.add(new Row("status " + status, scene -> {
                scene.answer(empty(status).build());
                scene.get();
            }));
        }
        for (String method : new String[] {"POST", "PUT", "PATCH", "DELETE", "REPORT"}) {
            rows.add(new Row("method " + method, scene -> {
                scene.answer(response(200, "ok"));
                scene.call(scene.request()
                        .method(method, BodyPublishers.ofString("sent"))
                        .header("Mine", "1")
                        .header("Mine", "2")
                        .build());
            }));
        }
        rows.add(new Row("method HEAD", scene -> {
            scene.answer(empty(200).setHeader("Content-Length", "5").build());
            scene.call(scene.request().method("HEAD", BodyPublishers.noBody()).build());
        }));
        rows.add(new Row("second call on a connection", scene -> {
            scene.answer(response(200, "one"), response(200, "two"));
            scene.get();
            scene.get();
        }));
    }

    private static void addHandlers(List<Row> rows) {
        for (int status : new int[] {200, 403, 429}) {
            rows.add(new Row("long answer with status " + status, scene -> {
                scene.answer(response(status, "0123456789".repeat(50_000)));
                scene.get();
            }));
            rows.add(new Row("stream of an answer with status " + status, scene -> {
                scene.answer(response(status, "0123456789".repeat(20_000)));
                scene.call(scene.request().build(), BodyHandlers.ofInputStream());
            }));
            rows.add(new Row("answer with status " + status + " that breaks off", scene -> {
                scene.answer(new MockResponse.Builder()
                        .code(status)
                        .body("0123456789".repeat(1_000))
                        .onResponseBody(new SocketEffect.CloseSocket())
                        .build());
                scene.call(scene.request().build(), BodyHandlers.discarding());
            }));
        }
        rows.add(new Row("lines", scene -> {
            scene.answer(response(200, "a\nb\nc"));
            scene.call(scene.request().build(), BodyHandlers.ofLines());
        }));
        rows.add(new Row("bytes", scene -> {
            scene.answer(response(200, "a\nb\nc"));
            scene.call(scene.request().build(), BodyHandlers.ofByteArray());
        }));
        rows.add(new Row("file", scene -> {
            scene.answer(response(200, "to a file"));
            Path file = folder.resolve("file");
            scene.call(scene.request().build(), BodyHandlers.ofFile(file));
            scene.log(Files.readString(file));
            Files.delete(file);
        }));
        rows.add(new Row("nothing of the body", scene -> {
            scene.answer(response(200, "dropped"));
            scene.call(scene.request().build(), BodyHandlers.discarding());
        }));
        rows.add(new Row("something else than the body", scene -> {
            scene.answer(response(200, "dropped"));
            scene.call(scene.request().build(), BodyHandlers.replacing("instead"));
        }));
        rows.add(new Row("buffered and mapped", scene -> {
            scene.answer(response(200, "some text"));
            scene.call(
                    scene.request().build(),
                    BodyHandlers.buffering(
                            info -> BodySubscribers.mapping(
                                    BodySubscribers.ofString(StandardCharsets.UTF_8), String::length),
                            3));
        }));
        rows.add(new Row("handler that throws", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().build(), info -> {
                throw new IllegalStateException("mine");
            });
        }));
        rows.add(new Row("mapping that throws", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(
                    scene.request().build(),
                    info -> BodySubscribers.mapping(BodySubscribers.ofString(StandardCharsets.UTF_8), text -> {
                        throw new UncheckedIOException(new IOException("mine"));
                    }));
        }));
        rows.add(new Row("chunked answer with trailers", scene -> {
            scene.answer(new MockResponse.Builder()
                    .chunkedBody("in three chunks", 6)
                    .trailers(Headers.of("Sum", "15"))
                    .build());
            scene.get();
        }));
    }

    private static void addPublishers(List<Row> rows) {
        addPublisher(rows, "bytes", () -> BodyPublishers.ofByteArray("bytes".getBytes(StandardCharsets.UTF_8), 1, 3));
        addPublisher(rows, "nothing", BodyPublishers::noBody);
        addPublisher(
                rows,
                "stream",
                () -> BodyPublishers.ofInputStream(() -> new ByteArrayInputStream("stream".getBytes())));
        addPublisher(rows, "no stream", () -> BodyPublishers.ofInputStream(() -> null));
        addPublisher(
                rows, "many arrays", () -> BodyPublishers.ofByteArrays(List.of("one".getBytes(), "two".getBytes())));
        addPublisher(
                rows,
                "another's, of known length",
                () -> BodyPublishers.fromPublisher(BodyPublishers.ofString("known"), 5));
        addPublisher(rows, "a long text", () -> BodyPublishers.ofString("0123456789".repeat(20_000)));
    }

    private static void addPublisher(List<Row> rows, String name, java.util.function.Supplier<BodyPublisher> made) {
        rows.add(new Row("body that is " + name, scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().POST(made.get()).build());
            if (name.equals("no stream")) {
                scene.ignoreServer();
            }
        }));
    }

    private static void addRedirects(List<Row> rows) {
        for (Redirect policy : Redirect.values()) {
            for (int status : new int[] {301, 303, 307}) {
                rows.add(new Row("redirect " + status + " with " + policy, scene -> {
                    scene.client(client -> client.followRedirects(policy));
                    scene.answer(redirect(status, "/there"), response(200, "there"));
                    scene.call(scene.request()
                            .POST(BodyPublishers.ofString("sent"))
                            .build());
                }));
            }
        }
        rows.add(new Row("redirects without end", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            for (int i = 0; i < MANY_REDIRECTS; i++) {
                scene.answer(redirect(302, "/" + i));
            }
            scene.get();
        }));
        rows.add(new Row("redirect to another name of the server", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(
                    redirect(302, "http://127.0.0.1:" + scene.server().getPort() + "/there"), response(200, "there"));
            scene.get();
        }));
        rows.add(new Row("redirect to nowhere", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(empty(302).build());
            scene.get();
        }));
        rows.add(new Row("authentication", scene -> {
            scene.client(client -> client.authenticator(new Authenticator() {
                @Override
                protected PasswordAuthentication getPasswordAuthentication() {
                    return new PasswordAuthentication("user", "secret".toCharArray());
                }
            }));
            scene.answer(
                    empty(401)
                            .addHeader("WWW-Authenticate", "Basic realm=\"r\"")
                            .build(),
                    response(200, "in"));
            scene.get();
        }));
        rows.add(new Row("cookies", scene -> {
            scene.client(client -> client.cookieHandler(new CookieManager()));
            scene.answer(empty(200).addHeader("Set-Cookie", "a=1").build(), response(200, "ok"));
            scene.get();
            scene.get();
        }));
    }

    private static void addFaults(List<Row> rows) {
        rows.add(new Row("connection that is closed at once", scene -> {
            MockResponse closed = new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseSocket())
                    .build();
            scene.answer(closed, closed, closed);
            scene.get();
        }));
        rows.add(new Row("answer that is not in time", scene -> {
            scene.answer(late());
            scene.call(scene.request().timeout(SHORT).build());
            scene.ignoreServer();
        }));
        rows.add(new Row("no HTTP", scene -> {
            scene.answer(new MockResponse.Builder().status("BANG 1 2 3").build());
            scene.get();
        }));
        rows.add(new Row("nobody listens", scene -> {
            int port;
            try (ServerSocket socket = new ServerSocket(0)) {
                port = socket.getLocalPort();
            }
            scene.call(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                    .build());
        }));
        rows.add(new Row(
                "unknown host",
                scene -> scene.call(HttpRequest.newBuilder(URI.create("http://unknown.invalid/"))
                        .build())));
        rows.add(new Row("no request", scene -> scene.call(null, BodyHandlers.ofString())));
        rows.add(new Row("no handler", scene -> scene.call(scene.request().build(), null)));
        rows.add(new Row("interrupted before", scene -> {
            if (!scene.isAsync()) {
                Thread.currentThread().interrupt();
            }
            scene.answer(response(200, "ok"));
            scene.get();
            scene.ignoreServer();
        }));
        rows.add(new Row("the settings that it shows", scene -> {
            scene.client(client -> client.connectTimeout(Duration.ofSeconds(7)).followRedirects(Redirect.ALWAYS));
            HttpClient client = scene.client();
            scene.log(client.connectTimeout() + " " + client.followRedirects() + " " + client.version() + " "
                    + client.cookieHandler() + client.proxy() + client.authenticator() + client.executor() + " "
                    + client.sslParameters().getProtocols().length);
        }));
    }

    private static void addFutures(List<Row> rows) {
        rows.add(new Row("future that is cancelled", scene -> {
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
        rows.add(new Row("future on which another depends", scene -> {
            scene.answer(response(200, "ok"));
            CompletableFuture<Integer> length = scene.client()
                    .sendAsync(scene.request().build(), BodyHandlers.ofString())
                    .thenApply(HttpResponse::body)
                    .thenApply(String::length);
            scene.log("length " + length.join() + length.isCancelled());
        }));
    }

    private static void addFuture(List<Row> rows, String name, java.util.function.Consumer<CompletableFuture<?>> deed) {
        rows.add(new Row("future that is " + name, scene -> {
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

    private static void addHttp2(List<Row> rows) {
        for (boolean hasBody : new boolean[] {false, true}) {
            rows.add(new Row("HTTP/2, with body " + hasBody, scene -> {
                HttpRequest.Builder request = overHttp2(scene);
                scene.answer(response(200, "over HTTP/2"));
                scene.call((hasBody ? request.POST(BodyPublishers.ofString("sent")) : request).build());
            }));
        }
        rows.add(new Row("HTTP/2, stream that is reset", scene -> {
            HttpRequest.Builder request = overHttp2(scene);
            scene.answer(new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseStream(2))
                    .build());
            scene.call(request.build());
        }));
        rows.add(new Row("TLS with a server that is not trusted", scene -> {
            HttpRequest.Builder request = overHttp2(scene);
            scene.client(client -> client.sslContext(
                    new HandshakeCertificates.Builder().build().sslContext()));
            scene.answer(response(200, "ok"));
            scene.call(request.build());
            scene.ignoreServer();
        }));
    }

    private static HttpRequest.Builder overHttp2(EquivalenceScene scene) {
        scene.server()
                .useHttps(new HandshakeCertificates.Builder()
                        .heldCertificate(CERTIFICATE)
                        .build()
                        .sslSocketFactory());
        scene.server().setProtocols(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1));
        scene.client(client -> client.version(HttpClient.Version.HTTP_2)
                .sslContext(new HandshakeCertificates.Builder()
                        .addTrustedCertificate(CERTIFICATE.certificate())
                        .build()
                        .sslContext()));
        return HttpRequest.newBuilder(URI.create(scene.uri().toString().replace("http:", "https:")));
    }

    private static MockResponse.Builder empty(int status) {
        return new MockResponse.Builder().code(status);
    }

    private static MockResponse response(int status, String body) {
        return new MockResponse.Builder().code(status).body(body).build();
    }

    private static MockResponse redirect(int status, String location) {
        return empty(status).addHeader("Location", location).build();
    }

    private static MockResponse late() {
        return empty(200).headersDelay(LONG_SECONDS, TimeUnit.SECONDS).build();
    }
}
