package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.Throttle;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.okhttp.ThrottlingCallFactory;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import retrofit2.Call;
import retrofit2.Callback;
import retrofit2.Invocation;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.GET;
import retrofit2.http.Path;
import retrofit2.http.Tag;

/** A project with Retrofit 3 and throttle-okhttp; keys and streams with the real Retrofit. */
class RetrofitTest {

    interface Api {
        @GET("/things")
        Call<ResponseBody> things();

        @GET("/health")
        Call<ResponseBody> health(@Tag CallOptions options);

        @GET("/users/{name}")
        Call<ResponseBody> user(@Path("name") String name);

        @GET("/find/{name}")
        Call<ResponseBody> find(@Path("name") String name);
    }

    private final AtomicInteger requests = new AtomicInteger();
    private final OkHttpClient client = new OkHttpClient();
    private HttpServer server;
    private ThrottlingCallFactory calls;
    private Api api;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(requests.incrementAndGet() == 1 ? 429 : 204, -1);
            exchange.close();
        });
        server.start();
        calls = ThrottlingCallFactory.builder(client, ThrottleRegistry.builder().build())
                .keyResolver(request -> {
                    Invocation invocation = request.tag(Invocation.class);
                    return invocation == null ? null : invocation.method().getName();
                })
                .build();
        api = api(calls);
    }

    private Api api(ThrottlingCallFactory factory) {
        return new Retrofit.Builder()
                .baseUrl("http://localhost:" + server.getAddress().getPort())
                .callFactory(factory)
                .build()
                .create(Api.class);
    }

    @AfterEach
    void stop() {
        calls.close();
        client.dispatcher().executorService().shutdown();
        server.stop(0);
    }

    @Test
    void thereIsOneCopyOfOkHttp() throws Exception {
        List<URL> copies =
                Collections.list(getClass().getClassLoader().getResources("okhttp3/OkHttpClient.class"));
        assertEquals(1, copies.size(), () -> "copies of OkHttp: " + copies);
        assertTrue(copies.get(0).toString().contains("okhttp-jvm-5"), copies::toString);
    }

    @Test
    void aRefusedCallIsRepeatedAndItsKeyIsTheMethod() throws Exception {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        api.things().enqueue(new Callback<>() {
            @Override
            public void onResponse(Call<ResponseBody> call, Response<ResponseBody> response) {
                status.complete(response.code());
            }

            @Override
            public void onFailure(Call<ResponseBody> call, Throwable t) {
                status.completeExceptionally(t);
            }
        });
        assertEquals(204, status.get(20, TimeUnit.SECONDS));
        assertEquals(2, requests.get());
        Throttle things = calls.throttles().getIfPresent("things");
        assertNotNull(things);
        assertEquals(1, things.count(Outcome.RATE_LIMITED));
        assertEquals(429, api.health(refusedOnce()).execute().code());
    }

    /** Names look like parts of a path: only the interface says that they are not. */
    @Test
    void callsOfAMethodAreOneRouteAndWaitForItsQuotaOnly() throws Exception {
        server.createContext("/users", exchange -> answer(exchange, 200, "users", 900));
        server.createContext("/find", exchange -> {
            boolean isUsedUp = exchange.getRequestURI().getPath().endsWith("/last");
            exchange.getResponseHeaders().set("Retry-After", "3600");
            answer(exchange, isUsedUp ? 429 : 200, "find", isUsedUp ? 0 : 900);
        });
        try (ThrottlingCallFactory oneKey = ThrottlingCallFactory.builder(
                        client, ThrottleRegistry.builder().build())
                .build()) {
            Api all = api(oneKey);
            for (String name : List.of("anna", "bert", "carl")) {
                assertEquals(200, all.user(name).execute().code());
                assertEquals(200, all.find(name).execute().code());
            }
            assertThrows(ThrottleRejectedException.class, () -> all.find("last").execute());
            ThrottleRejectedException rejection =
                    assertThrows(ThrottleRejectedException.class, () -> all.find("dora").execute());
            assertTrue(rejection.getMessage().contains("quota find"), rejection::getMessage);
            assertEquals(200, all.user("dora").execute().code());
        }
    }

    private static void answer(HttpExchange exchange, int status, String quota, int remaining) throws IOException {
        exchange.getResponseHeaders().set("X-RateLimit-Limit", "1000");
        exchange.getResponseHeaders().set("X-RateLimit-Remaining", Integer.toString(remaining));
        exchange.getResponseHeaders().set("X-RateLimit-Reset", "3600");
        exchange.getResponseHeaders().set("X-RateLimit-Resource", quota);
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** The next request is the server's first again; being exempt it is not repeated. */
    private CallOptions refusedOnce() {
        requests.set(0);
        return CallOptions.exempt();
    }
}
