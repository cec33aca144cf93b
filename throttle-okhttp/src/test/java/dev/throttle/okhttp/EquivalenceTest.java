package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.okhttp.EquivalenceScene.Door;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Cache;
import okhttp3.CacheControl;
import okhttp3.Call;
import okhttp3.ConnectionSpec;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.FormBody;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row is a kind of request, made through the client as it is, with the interceptor, and by the call factory, where
 * nothing is to be throttled: everything that shows of it is the same.
 */
@Tag(LoopbackTest.NEEDS_OKHTTP5)
class EquivalenceTest {

    private static final MediaType TEXT = MediaType.get("text/plain");
    private static final int SHORT_MILLIS = 50;
    private static final int LONG_MILLIS = 20_000;
    private static final int MANY_REDIRECTS = 25;

    @TempDir
    static Path folder;

    private static int caches;

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
    void aThrottledClientDoesWhatABareOneDoes(Row row) throws Exception {
        for (boolean isAsync : new boolean[] {false, true}) {
            List<String> bare = play(row, Door.BARE, isAsync);
            for (Door door : new Door[] {Door.INTERCEPTOR, Door.FACTORY}) {
                assertThat(play(row, door, isAsync))
                        .as("%s, %s, asynchronous %s", row, door, isAsync)
                        .isEqualTo(bare);
            }
        }
    }

    private static List<String> play(Row row, Door door, boolean isAsync) throws Exception {
        try (EquivalenceScene scene = new EquivalenceScene(door, isAsync)) {
            row.play().play(scene);
            scene.logTheRest();
            return scene.log();
        }
    }

    static Stream<Row> rows() {
        List<Row> rows = new ArrayList<>();
        addStatuses(rows);
        addMethods(rows);
        addBodies(rows);
        addRedirects(rows);
        addFaults(rows);
        addCancellations(rows);
        addNeighbours(rows);
        return rows.stream();
    }

    private static void addStatuses(List<Row> rows) {
        for (int status : new int[] {200, 201, 206, 304, 400, 401, 402, 403, 404, 405, 409, 418, 429, 500, 503, 529}) {
            rows.add(new Row("status " + status, scene -> {
                scene.answer(response(status, "body of " + status));
                scene.get();
            }));
        }
        rows.add(new Row("status 204", scene -> {
            scene.answer(empty(204).build());
            scene.get();
        }));
        rows.add(new Row("status 503 that is tried again at once by OkHttp itself", scene -> {
            scene.answer(empty(503).addHeader("Retry-After", "0").build(), response(200, "ok"));
            scene.get();
        }));
        rows.add(new Row("status 408 that is tried again by OkHttp itself", scene -> {
            scene.answer(empty(408).build(), response(200, "ok"));
            scene.get();
        }));
    }

    private static void addMethods(List<Row> rows) {
        for (String method : new String[] {"POST", "PUT", "PATCH", "DELETE", "REPORT"}) {
            rows.add(new Row("method " + method, scene -> {
                scene.answer(response(200, "ok"));
                scene.call(scene.request()
                        .method(method, RequestBody.create("sent", TEXT))
                        .build());
            }));
        }
        rows.add(new Row("method HEAD", scene -> {
            scene.answer(empty(200).addHeader("Content-Length", "5").build());
            scene.call(scene.request().head().build());
        }));
        rows.add(new Row("method OPTIONS without body", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().method("OPTIONS", null).build());
        }));
    }

    private static void addBodies(List<Row> rows) {
        rows.add(new Row("chunked answer with trailers", scene -> {
            scene.answer(new MockResponse.Builder()
                    .chunkedBody("in three chunks", 6)
                    .trailers(Headers.of("Sum", "15"))
                    .build());
            scene.run(scene.newCall(scene.request().build()), response -> {
                scene.log("body " + response.body().string());
                scene.log("trailers " + response.trailers());
            });
        }));
        rows.add(new Row("compressed answer", scene -> {
            Buffer zipped = new Buffer();
            try (BufferedSink sink = Okio.buffer(new GzipSink(zipped))) {
                sink.writeUtf8("compressed".repeat(100));
            }
            scene.answer(new MockResponse.Builder()
                    .body(zipped)
                    .addHeader("Content-Encoding", "gzip")
                    .build());
            scene.get();
        }));
        rows.add(new Row("answer that says it is compressed and is not", scene -> {
            scene.answer(new MockResponse.Builder()
                    .body("plain text")
                    .addHeader("Content-Encoding", "gzip")
                    .build());
            scene.get();
        }));
        for (int status : new int[] {200, 403, 429}) {
            rows.add(new Row("long answer with status " + status, scene -> {
                scene.answer(response(status, "0123456789".repeat(30_000)));
                scene.get();
            }));
            rows.add(new Row("answer with status " + status + " of which half is read", scene -> {
                scene.answer(response(status, "0123456789".repeat(3_000)));
                scene.run(
                        scene.newCall(scene.request().build()),
                        response -> scene.log("half "
                                + response.body().source().readUtf8(15_000).hashCode()));
                scene.replace("responseBodyEnd \\d+", "responseBodyEnd"); // as much as had come
            }));
            rows.add(new Row("answer with status " + status + " that breaks off", scene -> {
                scene.answer(new MockResponse.Builder()
                        .code(status)
                        .body("0123456789".repeat(1_000))
                        .onResponseBody(new SocketEffect.CloseSocket())
                        .build());
                scene.get();
                takeEndForFailure(scene, status);
            }));
            rows.add(new Row("answer with status " + status + " that stalls in its body", scene -> {
                scene.client(client -> client.addNetworkInterceptor(chain -> {
                    Response response = chain.proceed(chain.request()); // however long that takes,
                    response.body().source().request(1); // and until some of its body is there
                    response.body().source().timeout().timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS);
                    return response;
                }));
                scene.answer(new MockResponse.Builder()
                        .code(status)
                        .body("0123456789".repeat(1_000))
                        .onResponseBody(SocketEffect.Stall.INSTANCE)
                        .build());
                scene.get();
                takeEndForFailure(scene, status);
            }));
        }
        rows.add(new Row("answer that is peeked at, and has a type", scene -> {
            scene.answer(new MockResponse.Builder()
                    .body("{\"a\":1}")
                    .addHeader("Content-Type", "application/json; charset=utf-16")
                    .build());
            scene.run(scene.newCall(scene.request().build()), response -> {
                scene.log("peeked " + response.peekBody(3).string());
                ResponseBody body = response.body();
                scene.log(body.contentType() + " " + body.contentLength() + " " + body.string());
            });
        }));
        rows.add(new Row("answer that is not read", scene -> {
            scene.answer(response(200, "unread"));
            scene.run(scene.newCall(scene.request().build()), response -> {});
        }));
        rows.add(new Row("form", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .post(new FormBody.Builder().add("a", "1 2").build())
                    .build());
        }));
        rows.add(new Row("multipart body", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .post(new MultipartBody.Builder("bound")
                            .addFormDataPart("a", "1")
                            .build())
                    .build());
        }));
        rows.add(new Row("body that can be sent once", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(true, "once")).build());
        }));
        rows.add(new Row("body of unknown length", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(false, "long".repeat(10_000))).build());
        }));
        rows.add(new Row("body that fails", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(true, null)).build());
        }));
    }

    private static void addRedirects(List<Row> rows) {
        for (int status : new int[] {301, 302, 303, 307, 308}) {
            rows.add(new Row("redirect " + status + " of GET to another host", scene -> {
                scene.answer(redirect(status, scene.url("other.test", "/there")), response(200, "there"));
                scene.call(scene.request().tag(String.class, "tag").build());
            }));
            rows.add(new Row("redirect " + status + " of POST", scene -> {
                scene.answer(redirect(status, "/there"), response(200, "there"));
                scene.call(
                        scene.request().post(RequestBody.create("sent", TEXT)).build());
            }));
        }
        rows.add(new Row("redirects without end", scene -> {
            for (int i = 0; i < MANY_REDIRECTS; i++) {
                scene.answer(redirect(302, "/" + i));
            }
            scene.get();
        }));
        rows.add(new Row("redirect to nowhere", scene -> {
            scene.answer(empty(302).build());
            scene.get();
        }));
        rows.add(new Row("redirect to what is no HTTP", scene -> {
            scene.answer(redirect(302, "ftp://other.test/"));
            scene.get();
        }));
        rows.add(new Row("redirect that is not followed", scene -> {
            scene.client(client -> client.followRedirects(false));
            scene.answer(redirect(302, "/there"));
            scene.get();
        }));
        rows.add(new Row("authentication", scene -> {
            scene.client(client ->
                    client.authenticator((route, response) -> response.request().header("Authorization") != null
                            ? null
                            : response.request()
                                    .newBuilder()
                                    .header("Authorization", "secret")
                                    .build()));
            scene.answer(
                    empty(401)
                            .addHeader("WWW-Authenticate", "Basic realm=\"r\"")
                            .build(),
                    response(200, "in"));
            scene.get();
        }));
        rows.add(new Row("authentication in vain", scene -> {
            scene.client(client -> client.authenticator((route, response) -> response.priorResponse() != null
                    ? null
                    : response.request()
                            .newBuilder()
                            .header("Authorization", "wrong")
                            .build()));
            scene.answer(empty(401).build(), empty(401).build());
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
        rows.add(new Row("connection that is closed at once on a POST", scene -> {
            MockResponse closed = new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseSocket())
                    .build();
            scene.answer(closed, closed, closed);
            scene.call(scene.request().post(RequestBody.create("sent", TEXT)).build());
        }));
        rows.add(new Row("second call on a connection", scene -> {
            scene.answer(response(200, "one"), response(200, "two"));
            scene.get();
            scene.get();
        }));
        rows.add(new Row("head that does not come in time", scene -> {
            scene.client(client -> client.readTimeout(SHORT_MILLIS, TimeUnit.MILLISECONDS));
            scene.answer(late());
            scene.get();
            scene.ignoreHowFarItCame();
        }));
        rows.add(new Row("call that times out", scene -> {
            scene.client(client -> client.callTimeout(SHORT_MILLIS, TimeUnit.MILLISECONDS));
            scene.answer(late());
            scene.get();
            scene.ignoreHowFarItCame();
        }));
        rows.add(new Row("call with a timeout of its own", scene -> {
            scene.answer(late());
            Call call = scene.newCall(scene.request().build());
            call.timeout().timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS);
            scene.run(call, response -> {});
            scene.ignoreHowFarItCame();
        }));
        rows.add(new Row("nobody listens", scene -> {
            int port;
            try (ServerSocket socket = new ServerSocket(0)) {
                port = socket.getLocalPort();
            }
            Call call = scene.newCall(
                    new Request.Builder().url("http://other.test:" + port + "/").build());
            scene.run(call, response -> {});
            replaceInLog(scene, port);
        }));
        rows.add(new Row("unknown host", scene -> {
            scene.client(client -> client.dns(host -> {
                throw new UnknownHostException(host);
            }));
            scene.get();
        }));
        rows.add(new Row("TLS with a client that has none", scene -> {
            scene.client(client -> client.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT)));
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .url(scene.url("other.test", "/").replace("http:", "https:"))
                    .build());
        }));
        rows.add(new Row("no TLS with a client that wants it", scene -> {
            scene.client(client -> client.connectionSpecs(List.of(ConnectionSpec.MODERN_TLS)));
            scene.get();
        }));
        for (boolean hasBody : new boolean[] {false, true}) {
            rows.add(new Row("HTTP/2, with body " + hasBody, scene -> {
                overHttp2(scene);
                scene.answer(new MockResponse.Builder()
                        .body("over HTTP/2")
                        .trailers(Headers.of("sum", "11"))
                        .build());
                Request request = hasBody
                        ? scene.request().post(RequestBody.create("sent", TEXT)).build()
                        : scene.request().build();
                scene.run(scene.newCall(request), response -> {
                    scene.log("body " + response.body().string());
                    scene.log("trailers " + response.trailers());
                });
            }));
        }
        rows.add(new Row("HTTP/2, stream that is reset", scene -> {
            overHttp2(scene);
            scene.answer(new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseStream(2))
                    .build());
            scene.get();
        }));
    }

    private static void addCancellations(List<Row> rows) {
        rows.add(new Row("cancelled before", scene -> {
            Call call = scene.newCall(scene.request().build());
            call.cancel();
            scene.run(call, response -> {});
        }));
        rows.add(new Row("cancelled on the way out", scene -> {
            scene.client(client -> client.addNetworkInterceptor(chain -> {
                chain.call().cancel();
                return chain.proceed(chain.request());
            }));
            scene.answer(response(200, "ok"));
            scene.get();
        }));
        rows.add(new Row("cancelled on the way back", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                Response response = chain.proceed(chain.request());
                chain.call().cancel();
                return response;
            }));
            scene.answer(response(200, "0123456789".repeat(30_000)));
            scene.get();
        }));
        rows.add(new Row("cancelled while its body is read", scene -> {
            scene.answer(response(200, "0123456789".repeat(200_000)));
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {
                scene.log("some " + response.body().source().readUtf8(10));
                call.cancel();
                scene.log(response.body().string());
            });
        }));
        rows.add(new Row("made twice", scene -> {
            scene.answer(response(200, "ok"));
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {});
            scene.run(call, response -> {});
        }));
        rows.add(new Row("clone", scene -> {
            scene.answer(empty(200).build(), response(200, "two")); // an unread body that is late costs the connection
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {});
            Call clone = call.clone();
            scene.log("clone executed " + clone.isExecuted() + " canceled " + clone.isCanceled() + " of "
                    + clone.request());
            scene.run(clone, response -> {});
        }));
    }

    private static void addNeighbours(List<Row> rows) {
        rows.add(new Row("interceptor that answers itself", scene -> {
            scene.client(client -> client.addInterceptor(chain -> new Response.Builder()
                    .request(chain.request())
                    .protocol(Protocol.HTTP_1_1)
                    .code(200)
                    .message("mine")
                    .body(ResponseBody.create("own", TEXT))
                    .build()));
            scene.get();
        }));
        rows.add(new Row("interceptor that fails", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                throw new IOException("mine");
            }));
            scene.get();
        }));
        rows.add(new Row("interceptor with a defect", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                throw new IllegalStateException("defect");
            }));
            scene.get();
        }));
        rows.add(new Row("interceptors that change request and response", scene -> {
            scene.client(client -> client.addInterceptor(chain -> chain.proceed(chain.request()
                                    .newBuilder()
                                    .header("Mine", "1")
                                    .build())
                            .newBuilder()
                            .header("Back", "2")
                            .build())
                    .addNetworkInterceptor(chain -> chain.proceed(
                            chain.request().newBuilder().header("Mine-Too", "3").build())));
            scene.answer(response(200, "ok"));
            scene.get();
        }));
        rows.add(new Row("interceptor that sends twice", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                chain.proceed(chain.request()).close();
                return chain.proceed(chain.request());
            }));
            scene.answer(empty(500).build(), response(200, "two")); // a body that is late costs the connection
            scene.get();
        }));
        rows.add(new Row("cache that has it", scene -> {
            cached(scene);
            scene.answer(new MockResponse.Builder()
                    .addHeader("Cache-Control", "max-age=60")
                    .body("kept")
                    .build());
            scene.get();
            scene.get();
        }));
        rows.add(new Row("cache that asks whether it is still right", scene -> {
            cached(scene);
            scene.answer(
                    new MockResponse.Builder()
                            .addHeader("ETag", "\"1\"")
                            .body("kept")
                            .build(),
                    empty(304).build());
            scene.get();
            scene.get();
        }));
        rows.add(new Row("cache alone, which has nothing", scene -> {
            cached(scene);
            scene.call(scene.request().cacheControl(CacheControl.FORCE_CACHE).build());
        }));
        rows.add(new Row("cookies", scene -> {
            List<Cookie> cookies = new ArrayList<>();
            scene.client(client -> client.cookieJar(new CookieJar() {
                @Override
                public void saveFromResponse(HttpUrl url, List<Cookie> told) {
                    cookies.addAll(told);
                }

                @Override
                public List<Cookie> loadForRequest(HttpUrl url) {
                    return cookies;
                }
            }));
            scene.answer(empty(200).addHeader("Set-Cookie", "a=1").build(), response(200, "ok"));
            scene.get();
            scene.get();
        }));
        rows.add(new Row("interrupted before", scene -> {
            scene.answer(response(200, "ok"));
            scene.client(client -> client.addInterceptor(chain -> {
                Thread.currentThread().interrupt();
                try {
                    return chain.proceed(chain.request());
                } finally {
                    scene.log("still interrupted " + Thread.interrupted());
                }
            }));
            scene.get();
            scene.ignoreHowFarItCame();
        }));
        rows.add(new Row("executor that is shut down", scene -> {
            scene.client().dispatcher().executorService().shutdown();
            scene.answer(response(200, "ok"));
            scene.get();
        }));
    }

    /**
     * A body that is looked at may break off while it is, when the call has not returned yet: OkHttp calls that the end
     * of the call and not its failure, as docs/okhttp.md says.
     */
    private static void takeEndForFailure(EquivalenceScene scene, int status) {
        if (status != 200) {
            scene.replace("callFailed.*|callEnd.*", "callEnd]");
        }
    }

    private static void overHttp2(EquivalenceScene scene) {
        scene.server().setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        scene.client(client -> client.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)));
    }

    private static void cached(EquivalenceScene scene) {
        caches++;
        scene.client((OkHttpClient.Builder client) ->
                client.cache(new Cache(folder.resolve("cache" + caches).toFile(), 1 << 20)));
    }

    /** The port of nobody's is another one each time. */
    private static void replaceInLog(EquivalenceScene scene, int port) {
        scene.replace(":" + port + "\\b", ":NOBODY");
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
        return empty(200).headersDelay(LONG_MILLIS, TimeUnit.MILLISECONDS).build();
    }

    /** A body of unknown length; one without content fails when it is written. */
    private static RequestBody body(boolean isOneShot, String content) {
        return new RequestBody() {
            @Override
            public MediaType contentType() {
                return TEXT;
            }

            @Override
            public boolean isOneShot() {
                return isOneShot;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                if (content == null) {
                    throw new IOException("nothing to send");
                }
                sink.writeUtf8(content);
            }
        };
    }
}
