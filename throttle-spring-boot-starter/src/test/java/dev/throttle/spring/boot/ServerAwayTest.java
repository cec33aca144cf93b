package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Service;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * How long a request to a controller takes while the server behind it is away, with real sockets. The exact bounds,
 * also those of the defaults, are in {@link RequestThreadsTest}.
 */
class ServerAwayTest {

    /** The bound is a second and a half. The rest is for what a busy machine takes itself. */
    private static final Duration LONGEST = Duration.ofMillis(2500);

    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;
    private ConfigurableApplicationContext service;
    private int targetPort;
    private volatile int status = 200;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        targetPort = server.getAddress().getPort();
        service = new SpringApplicationBuilder(Service.class)
                .run(
                        "--server.port=0",
                        "--server.shutdown=immediate",
                        "--spring.main.banner-mode=off",
                        "--management.health.redis.enabled=false",
                        "--throttle.overload-wait=1s");
        assertThat(ask().statusCode()).isEqualTo(200);
    }

    @AfterEach
    void end() {
        service.close();
        server.stop(0);
    }

    private HttpResponse<String> ask() throws Exception {
        int port = ((WebServerApplicationContext) service).getWebServer().getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + "/ask?url=http://127.0.0.1:" + targetPort + "/items");
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    /** {@return how long the longest of some requests takes} */
    private Duration longest() throws Exception {
        Duration longest = Duration.ZERO;
        for (int i = 0; i < 2; i++) {
            long began = System.nanoTime();
            assertThat(ask().statusCode()).isIn(500, 503);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            longest = took.compareTo(longest) > 0 ? took : longest;
        }
        return longest;
    }

    @Test
    void aServerThatAnswers503ToEverything() throws Exception {
        status = 503;
        assertThat(longest()).isLessThan(LONGEST);
    }

    @Test
    void aServerThatHasClosedItsPort() throws Exception {
        server.stop(0);
        assertThat(longest()).isLessThan(LONGEST);
    }
}
