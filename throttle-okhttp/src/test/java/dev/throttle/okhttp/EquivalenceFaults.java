package dev.throttle.okhttp;

import static dev.throttle.fixtures.EquivalenceRows.empty;
import static dev.throttle.fixtures.EquivalenceRows.late;
import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Call;
import okhttp3.ConnectionSpec;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Rows about what goes wrong, or is cancelled. */
final class EquivalenceFaults {

    private static final MediaType TEXT = MediaType.get("text/plain");
    private static final int SHORT_MILLIS = 50;

    private EquivalenceFaults() {}

    static void addFaults(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("connection that is closed at once", scene -> {
            MockResponse closed = new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseSocket())
                    .build();
            scene.answer(closed, closed, closed);
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("connection that is closed at once on a POST", scene -> {
            MockResponse closed = new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseSocket())
                    .build();
            scene.answer(closed, closed, closed);
            scene.call(scene.request().post(RequestBody.create("sent", TEXT)).build());
        }));
        rows.add(new EquivalenceRow<>("second call on a connection", scene -> {
            scene.answer(response(200, "one"), response(200, "two"));
            scene.get();
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("head that does not come in time", scene -> {
            scene.client(client -> client.readTimeout(SHORT_MILLIS, TimeUnit.MILLISECONDS));
            scene.answer(late());
            scene.get();
            scene.ignoreHowFarItCame();
        }));
        rows.add(new EquivalenceRow<>("call that times out", scene -> {
            scene.client(client -> client.callTimeout(SHORT_MILLIS, TimeUnit.MILLISECONDS));
            scene.answer(late());
            scene.get();
            scene.ignoreHowFarItCame();
        }));
        rows.add(new EquivalenceRow<>("call with a timeout of its own", scene -> {
            scene.answer(late());
            Call call = scene.newCall(scene.request().build());
            call.timeout().timeout(SHORT_MILLIS, TimeUnit.MILLISECONDS);
            scene.run(call, response -> {});
            scene.ignoreHowFarItCame();
        }));
        rows.add(new EquivalenceRow<>("nobody listens", scene -> {
            int port;
            try (ServerSocket socket = new ServerSocket(0)) {
                port = socket.getLocalPort();
            }
            Call call = scene.newCall(
                    new Request.Builder().url("http://other.test:" + port + "/").build());
            scene.run(call, response -> {});
            replaceInLog(scene, port);
        }));
        rows.add(new EquivalenceRow<>("unknown host", scene -> {
            scene.client(client -> client.dns(host -> {
                throw new UnknownHostException(host);
            }));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("TLS with a client that has none", scene -> {
            scene.client(client -> client.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT)));
            scene.answer(response(200, "ok"));
            scene.call(scene.request()
                    .url(scene.url("other.test", "/").replace("http:", "https:"))
                    .build());
        }));
        rows.add(new EquivalenceRow<>("no TLS with a client that wants it", scene -> {
            scene.client(client -> client.connectionSpecs(List.of(ConnectionSpec.MODERN_TLS)));
            scene.get();
        }));
        for (boolean hasBody : new boolean[] {false, true}) {
            rows.add(new EquivalenceRow<>("HTTP/2, with body " + hasBody, scene -> {
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
        rows.add(new EquivalenceRow<>("HTTP/2, stream that is reset", scene -> {
            overHttp2(scene);
            scene.answer(new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseStream(2))
                    .build());
            scene.get();
        }));
    }

    static void addCancellations(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("cancelled before", scene -> {
            Call call = scene.newCall(scene.request().build());
            call.cancel();
            scene.run(call, response -> {});
        }));
        rows.add(new EquivalenceRow<>("cancelled on the way out", scene -> {
            scene.client(client -> client.addNetworkInterceptor(chain -> {
                chain.call().cancel();
                return chain.proceed(chain.request());
            }));
            scene.answer(response(200, "ok"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("cancelled on the way back", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                Response response = chain.proceed(chain.request());
                chain.call().cancel();
                return response;
            }));
            scene.answer(response(200, "0123456789".repeat(30_000)));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("cancelled while its body is read", scene -> {
            scene.answer(response(200, "0123456789".repeat(200_000)));
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {
                scene.log("some " + response.body().source().readUtf8(10));
                call.cancel();
                scene.log(response.body().string());
            });
        }));
        rows.add(new EquivalenceRow<>("made twice", scene -> {
            scene.answer(response(200, "ok"));
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {});
            scene.run(call, response -> {});
        }));
        rows.add(new EquivalenceRow<>("clone", scene -> {
            scene.answer(empty(200).build(), response(200, "two")); // an unread body that is late costs the connection
            Call call = scene.newCall(scene.request().build());
            scene.run(call, response -> {});
            Call clone = call.clone();
            scene.log("clone executed " + clone.isExecuted() + " canceled " + clone.isCanceled() + " of "
                    + clone.request());
            scene.run(clone, response -> {});
        }));
    }

    private static void overHttp2(EquivalenceScene scene) {
        scene.server().setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        scene.client(client -> client.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)));
    }

    /** The port of nobody's is another one each time. */
    private static void replaceInLog(EquivalenceScene scene, int port) {
        scene.replace(":" + port + "\\b", ":NOBODY");
    }
}
