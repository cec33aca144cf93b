package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** A project with throttle-okhttp and nothing else. */
class AloneTest {

    @Test
    void okHttpComesWithTheModule() throws Exception {
        List<URL> copies =
                Collections.list(getClass().getClassLoader().getResources("okhttp3/OkHttpClient.class"));
        assertEquals(1, copies.size(), () -> "copies of OkHttp: " + copies);
    }

    @Test
    void aThrottledCallRuns() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(ThrottleRegistry.create());
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        String url = "http://localhost:" + server.getAddress().getPort();
        try (Response response =
                client.newCall(new Request.Builder().url(url).build()).execute()) {
            assertEquals(204, response.code());
        } finally {
            server.stop(0);
        }
        assertEquals(1, throttling.throttles().all().size());
    }
}
