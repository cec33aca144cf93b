package dev.throttle.okhttp;

import static dev.throttle.fixtures.EquivalenceRows.empty;
import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mockwebserver3.MockResponse;
import okhttp3.CacheControl;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** Rows about what else a client has: interceptors, a cache, cookies, an executor. */
final class EquivalenceNeighbours {

    private static final MediaType TEXT = MediaType.get("text/plain");

    private EquivalenceNeighbours() {}

    static void addNeighbours(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("interceptor that answers itself", scene -> {
            scene.client(client -> client.addInterceptor(chain -> new Response.Builder()
                    .request(chain.request())
                    .protocol(Protocol.HTTP_1_1)
                    .code(200)
                    .message("mine")
                    .body(ResponseBody.create("own", TEXT))
                    .build()));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("interceptor that fails", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                throw new IOException("mine");
            }));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("interceptor with a defect", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                throw new IllegalStateException("defect");
            }));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("interceptors that change request and response", scene -> {
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
        rows.add(new EquivalenceRow<>("interceptor that sends twice", scene -> {
            scene.client(client -> client.addInterceptor(chain -> {
                chain.proceed(chain.request()).close();
                return chain.proceed(chain.request());
            }));
            scene.answer(empty(500).build(), response(200, "two")); // a body that is late costs the connection
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("cache that has it", scene -> {
            scene.cache();
            scene.answer(new MockResponse.Builder()
                    .addHeader("Cache-Control", "max-age=60")
                    .body("kept")
                    .build());
            scene.get();
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("cache that asks whether it is still right", scene -> {
            scene.cache();
            scene.answer(
                    new MockResponse.Builder()
                            .addHeader("ETag", "\"1\"")
                            .body("kept")
                            .build(),
                    empty(304).build());
            scene.get();
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("cache alone, which has nothing", scene -> {
            scene.cache();
            scene.call(scene.request().cacheControl(CacheControl.FORCE_CACHE).build());
        }));
        rows.add(new EquivalenceRow<>("cookies", scene -> {
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
        rows.add(new EquivalenceRow<>("interrupted before", scene -> {
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
        rows.add(new EquivalenceRow<>("executor that is shut down", scene -> {
            scene.client().dispatcher().executorService().shutdown();
            scene.answer(response(200, "ok"));
            scene.get();
        }));
    }
}
