package dev.throttle.okhttp;

import static dev.throttle.fixtures.EquivalenceRows.brokenOff;
import static dev.throttle.fixtures.EquivalenceRows.response;
import static dev.throttle.okhttp.EquivalenceRequestBodies.body;

import dev.throttle.fixtures.EquivalenceRow;
import java.util.List;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.FormBody;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;

/** Rows about bodies, of answers and of requests. */
final class EquivalenceBodies {

    private static final MediaType TEXT = MediaType.get("text/plain");
    private static final int SHORT_MILLIS = 50;

    private EquivalenceBodies() {}

    static void addBodies(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("chunked answer with trailers", scene -> {
            scene.answer(new MockResponse.Builder()
                    .chunkedBody("in three chunks", 6)
                    .trailers(Headers.of("Sum", "15"))
                    .build());
            scene.run(scene.newCall(scene.request().build()), response -> {
                scene.log("body " + response.body().string());
                scene.log("trailers " + response.trailers());
            });
        }));
        rows.add(new EquivalenceRow<>("compressed answer", scene -> {
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
        rows.add(new EquivalenceRow<>("answer that says it is compressed and is not", scene -> {
            scene.answer(new MockResponse.Builder()
                    .body("plain text")
                    .addHeader("Content-Encoding", "gzip")
                    .build());
            scene.get();
        }));
        for (int status : new int[] {200, 403, 429}) {
            rows.add(new EquivalenceRow<>("answer with status " + status + " of which half is read", scene -> {
                scene.answer(response(status, "0123456789".repeat(3_000)));
                scene.run(
                        scene.newCall(scene.request().build()),
                        response -> scene.log("half "
                                + response.body().source().readUtf8(15_000).hashCode()));
                scene.replace("responseBodyEnd \\d+", "responseBodyEnd"); // as much as had come
            }));
            rows.add(new EquivalenceRow<>("answer with status " + status + " that breaks off", scene -> {
                scene.answer(brokenOff(status));
                scene.get();
                takeEndForFailure(scene, status);
            }));
            rows.add(new EquivalenceRow<>("answer with status " + status + " that stalls in its body", scene -> {
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
        rows.add(new EquivalenceRow<>("answer that is peeked at, and has a type", scene -> {
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
        rows.add(new EquivalenceRow<>("answer that is not read", scene -> {
            scene.answer(response(200, "unread"));
            scene.run(scene.newCall(scene.request().build()), response -> {});
        }));
        rows.add(new EquivalenceRow<>("form", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .post(new FormBody.Builder().add("a", "1 2").build())
                    .build());
        }));
        rows.add(new EquivalenceRow<>("multipart body", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .post(new MultipartBody.Builder("bound")
                            .addFormDataPart("a", "1")
                            .build())
                    .build());
        }));
        rows.add(new EquivalenceRow<>("body that can be sent once", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(true, "once")).build());
        }));
        rows.add(new EquivalenceRow<>("body of unknown length", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(false, "long".repeat(10_000))).build());
        }));
        rows.add(new EquivalenceRow<>("body that fails", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().post(body(true, null)).build());
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
}
